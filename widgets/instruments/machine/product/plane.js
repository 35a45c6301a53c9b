// The plane of the layout "product", where a value has two numbers: the hull that no context can leave, the values, and
// contexts, with a line as wide as its weight to each value.

import { cellsOf, PLANE, upTo } from "./places.js";
import { points } from "./wires.js";

const BEAM = 14; // pixels at weight 1
const LEAST = 0.005; // a smaller weight has no line

// Beside the scores, or below the context where there is no room. Returns how far it reaches.
export function plane(view) {
  const { place, tables, reach: limit } = view;
  const { x, y, h, side, isBeside, bottom, room, beyond } = place;
  const middle = x.context + (view.dims.v * place.c) / 2;
  const below = Math.min(middle - side / 2, room - side - beyond); // its title stands to the left of it
  const left = isBeside ? place.right + 10 : Math.max(below, view.measure(PLANE, 13, true) + 16);
  const top = isBeside ? y.q + 34 : Math.max(y.v + view.tokens * h + 54, bottom - 6);
  const at = ([a, b]) => [left + (side * (1 + a / limit)) / 2, top + (side * (1 - b / limit)) / 2];
  const pointsOf = (table) => upTo(table.rows).map((i) => at([table.data[2 * i], table.data[2 * i + 1]]));
  const inside = ([a, b]) => a >= left - 9 && a <= left + side + 9 && b >= top - 9 && b <= top + side + 9;
  const seen = { left, top, side, at, inside, values: pointsOf(tables.v), contexts: pointsOf(tables.context) };
  axes(view, seen);
  hull(view, pointsOf(tables.hull));
  beams(view, seen);
  if (tables["context/was"]) before(view, pointsOf(tables["context/was"]), seen);
  dots(view, seen);
  names(view, seen);
  way(view, seen, middle);
  return { right: left + side + beyond, bottom: top + side + 24 };
}

// Which contexts stand out: that of the query that is followed, all where a value is, none where a key is.
const shown = ({ followed, tokens }) =>
  !followed ? upTo(tokens) : { q: [followed.at], k: [], v: upTo(tokens) }[followed.lane];

function axes({ sheet, number, place, followed, measure }, seen) {
  const { left, top, side, at } = seen;
  const [x, y] = at([0, 0]);
  sheet.path("plane axes", `M${left} ${y}h${side}M${x} ${top}v${side}`, { stroke: "grid2", thick: 1 });
  const [across, up] = number.v;
  sheet.text("plane across", left + side + 5, y + 4, across, { size: 12, colour: "ink2" });
  sheet.text("plane up", x, top - 6, up, { size: 12, colour: "ink2", anchor: "middle" });
  const says = {
    q: "no context can leave the green area",
    k: "a key moves no value",
    v: "a value goes to all, in shares",
  };
  const [titleX, titleY, anchor] = place.isBeside ? [left, top - 58, "start"] : [left - 16, top + 20, "end"];
  sheet.text("plane title", titleX, titleY, PLANE, { bold: true, anchor });
  const below = lines(
    says[followed?.lane ?? "q"],
    (text) => place.isBeside && measure(text, 12) <= side + place.beyond,
  );
  below.forEach((line, i) =>
    sheet.text(`plane says ${i}`, titleX, titleY + 17 + 16 * i, line, { size: 12, colour: "ink2", anchor }),
  );
  const box = (text, i, bold) => {
    const wide = measure(text, bold ? 13 : 12, bold);
    return [anchor === "end" ? titleX - wide : titleX, titleY + i, wide];
  };
  seen.taken = [
    [left + side + 5, y + 4, measure(across, 12)],
    [x - measure(up, 12) / 2, top - 6, measure(up, 12)],
    box(PLANE, 0, true),
    ...below.map((line, i) => box(line, 17 + 16 * i)),
  ];
}

// In one line where that fits, else in two.
function lines(text, fits) {
  const words = text.split(" ");
  const half = Math.ceil(words.length / 2);
  return fits(text) ? [text] : [words.slice(0, half).join(" "), words.slice(half).join(" ")];
}

const closed = (points) => `M${points.map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`).join("L")}Z`;

function hull({ sheet }, corners) {
  sheet.path("hull", closed(corners), { fill: "value", opacity: 0.08, below: true });
  sheet.path("hull line", closed(corners), { stroke: "value", thick: 1, dash: "3 3", opacity: 0.5 });
}

function beams(view, { values, contexts, inside }) {
  const { sheet, followed, tables, tokens } = view;
  const from = followed?.lane === "v" ? [followed.at] : upTo(tokens);
  if (!followed || followed.lane === "k") return;
  for (const i of shown(view))
    for (const j of from) {
      const weight = tables.weights.data[i * tokens + j];
      if (weight < LEAST || !inside(values[j]) || !inside(contexts[i])) continue;
      const d = `M${values[j].join(" ")}L${contexts[i].join(" ")}`;
      sheet.path(`beam ${i} ${j}`, d, {
        stroke: "value",
        thick: BEAM * weight,
        opacity: 0.5,
        part: `weights ${i} ${j}`,
      });
    }
}

// Where a context was before numbers were dragged.
function before(view, was, { contexts, inside }) {
  const { sheet, followed } = view;
  if (followed?.lane !== "q") return;
  const [from, to] = [was[followed.at], contexts[followed.at]];
  if (Math.hypot(from[0] - to[0], from[1] - to[1]) < 3 || !inside(from)) return;
  sheet.path("was way", `M${from.join(" ")}L${to.join(" ")}`, { stroke: "context", thick: 1.5, dash: "2 3" });
  sheet.rect("was", from[0] - 5, from[1] - 5, 10, 10, { radius: 5, stroke: "context", thick: 1.5 });
}

function dots(view, { values, contexts, inside }) {
  const { sheet, dims, followed } = view;
  values.forEach(([a, b], j) => {
    const given = followed?.lane === "q" ? [`weights ${followed.at} ${j}`] : [];
    const part = [...upTo(dims.v).map((d) => `v ${j} ${d}`), ...given];
    if (inside([a, b])) sheet.rect(`value ${j}`, a - 6, b - 6, 12, 12, { radius: 6, fill: "value", part });
  });
  for (const i of shown(view)) {
    const [a, b] = contexts[i];
    const part = upTo(dims.v).map((d) => `context ${i} ${d}`);
    const d = `M${a} ${b - 8}l8 8l-8 8l-8-8Z`;
    if (inside([a, b])) sheet.path(`context point ${i}`, d, { fill: "context", stroke: "page", thick: 1.5, part });
  }
}

// Names stand where there is room: right, left, above, below of their point. A word that stands twice is named once.
function names(view, seen) {
  const { sheet, token, followed } = view;
  const { values, contexts, inside, taken } = seen;
  const isOne = followed?.lane === "q";
  const points = [...values, ...shown(view).map((i) => contexts[i])];
  const crossed = linesOf(seen, isOne ? contexts[followed.at] : null);
  const known = new Set();
  const costOf = (place, wide, point, colour) =>
    inTheWay(place, wide, taken, points) +
    0.02 * place[2] +
    Math.min(1.5, 0.75 * countCrossed(crossed, place, wide)) +
    outOf(place, wide, seen, view.place) +
    (colour === "value" ? inwards(place, wide, point, values) : 0);
  const put = (key, [x, y], text, colour, size, bold) => {
    const name = `${colour} ${text} ${x} ${y}`;
    if (!inside([x, y]) || known.has(name)) return;
    known.add(name);
    const wide = view.measure(text, size, bold);
    let [place, least] = [[x, y], Infinity];
    for (const one of around(x, y, wide)) {
      if (0.02 * one[2] >= least) break; // those that follow are as far or farther
      const cost = costOf(one, wide, [x, y], colour);
      if (cost < least) [place, least] = [one, cost];
    }
    if (least >= 4 && size === 12) return; // a share's name is left out rather than written over another
    const [left, base] = place;
    taken.push([left, base, wide]);
    sheet.text(key, left, base, text, { size, colour, bold });
  };
  for (const i of shown(view))
    put(
      `name of context ${i}`,
      contexts[i],
      isOne ? `context of ${token[i]}` : token[i],
      "context",
      isOne ? 13 : 12,
      isOne,
    );
  const given = followed?.lane === "v" ? followed.at : -1;
  for (const j of given < 0 ? upTo(values.length) : [given, ...upTo(values.length)])
    put(`name of value ${j}`, values[j], token[j], "value", 13, j === given);
}

// Where a name may stand, the nearest first: [left, base, how far].
function* around(x, y, wide) {
  for (const far of [0, 15, 30, 45, 60]) {
    yield [x + 12 + far, y + 4.5, far];
    yield [x - 12 - far - wide, y + 4.5, far];
    yield [x - wide / 2, y - 12 - far, far];
    yield [x - wide / 2, y + 21 + far, far];
    yield [x + 10, y - 9 - far, far];
    yield [x + 10, y + 19 + far, far];
    yield [x - 10 - wide, y - 9 - far, far];
    yield [x - 10 - wide, y + 19 + far, far];
  }
}

// Names and points that it would lie on. Asked dozens of times a picture, as what follows is: so without any new arrays.
function inTheWay(place, wide, taken, points) {
  const [left, base] = place;
  const right = left + wide;
  let cost = 0;
  for (const one of taken)
    if (left < one[0] + one[2] + 4 && one[0] < right + 4 && Math.abs(base - one[1]) < 15) cost += 4;
  for (const at of points)
    if (at[0] > left - 7 && at[0] < right + 7 && at[1] > base - 17 && at[1] < base + 6) cost += 3;
  return cost;
}

// What a name does not lie on where it can stand elsewhere: the axes, and the lines from the context that is followed.
function linesOf({ at, left, top, side, values }, context) {
  const [x, y] = at([0, 0]);
  const axes = [
    [
      [left, y],
      [left + side, y],
    ],
    [
      [x, top],
      [x, top + side],
    ],
  ];
  return context ? [...axes, ...values.map((value) => [context, value])] : axes;
}

const STEPS = 24; // points of a line that are looked at, less one

function countCrossed(lines, place, wide) {
  const [left, base] = place;
  let count = 0;
  for (const [from, to] of lines)
    for (let i = 0; i <= STEPS; i++) {
      const t = i / STEPS;
      const x = from[0] + t * (to[0] - from[0]);
      const y = from[1] + t * (to[1] - from[1]);
      if (x <= left - 2 || x >= left + wide + 2 || y <= base - 12 || y >= base + 4) continue;
      count += 1;
      break;
    }
  return count;
}

// The names of values stand outside of their hull where they can.
function inwards([a, b], wide, [x, y], values) {
  const middle = [0, 1].map((axis) => values.reduce((sum, value) => sum + value[axis], 0) / values.length);
  const far = (p, q) => Math.hypot(p - middle[0], q - middle[1]);
  return far(a + wide / 2, b - 5) < far(x, y) + 6 ? 2 : 0;
}

const outOf = ([a, b], wide, { left, top, side }, { beyond, isBeside }) =>
  a < left - (isBeside ? 8 : 20) || a + wide > left + side + beyond || b < top || b > top + side + 20 ? 20 : 0;

// From the context to its plane.
function way(view, { left, top, side }, middle) {
  const { sheet, place, tokens, dims } = view;
  const { x, y, c, h, isBeside } = place;
  const [row, at] = [y.v + 2 * h, left + side / 2];
  const beside = points(x.context + dims.v * c + 8, row, at, row, at, top + side + 14);
  const below = points(middle, y.v + tokens * h + 6, middle, top - 24);
  const how = { radius: 10, part: cellsOf(view, "context"), thick: 1.25, lit: { stroke: "context", thick: 2 } };
  sheet.wire("context to plane", isBeside ? beside : below, how);
}
