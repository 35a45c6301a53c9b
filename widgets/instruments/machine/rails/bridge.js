// Rails: what goes over from the encoder to the decoder, as beams or through a pipe.

import { STRIP, Y, keyColumn, keysShown, row, sum, wordColumn } from "./places.js";
import { hundredths } from "../sheet.js";

const FEW = 0.005; // a weight below it has no beam

const between = (a, b, share) => a + (b - a) * share;
const points = (from, to, share) => from.map((x, i) => between(x, to[i], share));

// An upright curve from one place to another, as far as `share` of it, and its last two points. `upright`: the share of
// its height for which it leads straight on from either end.
export function curve(x1, y1, x2, y2, share = 1, upright = 0.5) {
  const ends = [
    [x1, y1],
    [x1, between(y1, y2, upright)],
    [x2, between(y2, y1, upright)],
    [x2, y2],
  ];
  const first = [0, 1, 2].map((i) => points(ends[i], ends[i + 1], share)); // de Casteljau
  const second = [0, 1].map((i) => points(first[i], first[i + 1], share));
  const end = points(second[0], second[1], share);
  const d = `M${hundredths(x1)} ${hundredths(y1)}C${[first[0], second[0], end].map((p) => p.map(hundredths).join(" ")).join(",")}`;
  return { d, from: second[0], end };
}

export function bridge(all) {
  const { now } = all;
  if (now.is("hand over")) handOver(all);
  if (now.step < 0) return;
  if (!now.looksBack) pipe(all, all.at.middle(now.source.length - 1 - all.at.firstKey), Y.key - 4, Y.key - 64);
  else if (now.shows("add")) beams(all);
}

function handOver({ sheet, now, at }) {
  const from = at.middle(now.source.length - 1 - at.firstKey);
  const [to, turn] = [at.middle(-1), Y.key - 110];
  const way = [
    [from, Y.key - 5],
    [from, turn],
    [to, turn],
    [to, Y.state + STRIP + 7],
  ];
  sheet.wire("hand over", way, { radius: 14, opacity: now.p, part: "state 0" });
  sheet.text("hand over words", (from + to) / 2, turn - 8, "the last state, mapped once", {
    size: 12,
    colour: "ink2",
    anchor: "middle",
    opacity: now.p,
  });
}

// Without a fill, since it has no weight: always the same goes through. It begins at `a`, `bottom`, and turns at `turn`.
export function pipe(all, a, bottom, turn) {
  const { sheet, now, at } = all;
  const [b, top] = [at.middle(wordColumn(all, now.step)), Y.context + STRIP + 5];
  const way = a === b ? `M${a} ${bottom}V${top}` : bent(a, b, bottom, turn, top);
  sheet.path("pipe", way, { below: true, stroke: "context", thick: 10, part: "context" });
  sheet.path("pipe inside", way, { below: true, stroke: "page", thick: 6.5, part: "context" });
  if (!now.is("pass on") || now.p === 1) return;
  const [x, y] = along(
    [
      [a, bottom],
      [a, turn],
      [b, turn],
      [b, top],
    ],
    now.p,
  );
  const passes = [x - at.strip / 4, y - STRIP / 4, at.strip / 2, STRIP / 2];
  sheet.station("passes", ...passes, now.context, { role: "context" });
}

function bent(a, b, bottom, turn, top) {
  const side = (a > b ? -1 : 1) * Math.min(14, Math.abs(a - b) / 2);
  return `M${a} ${bottom}V${turn + 14}Q${a} ${turn} ${a + side} ${turn}H${b - side}Q${b} ${turn} ${b} ${turn - 14}V${top}`;
}

// The place at a share of a way's length.
function along(way, share) {
  const lengths = way.slice(1).map(([x, y], i) => Math.hypot(x - way[i][0], y - way[i][1]));
  let left = share * lengths.reduce((sum, x) => sum + x, 0);
  for (const [i, length] of lengths.entries()) {
    if (left <= length || i === lengths.length - 1) return points(way[i], way[i + 1], length ? left / length : 1);
    left -= length;
  }
  return way[0];
}

// Straight at its ends, and bent no more than so wide a stroke can be without a pinch: where a curve would be, two arcs
// are joined by a line. `dash`: of those, how far they are drawn.
function beam([x1, y1], [x2, y2], share, width) {
  const [bottom, top] = [y1 - 6, y2 + 10];
  const [dx, high] = [Math.abs(x2 - x1), bottom - top];
  const upright = Math.min(0.8, Math.max(0.5, Math.sqrt((dx * width) / 2) / high)); // the bend's radius at an end is 3/4 of the width
  if (tightest(dx, high, upright) >= width / 2) {
    const { d } = curve(x1, bottom, x2, top, share, upright);
    return {
      d: `M${hundredths(x1)} ${hundredths(y1)}V${bottom}${d.replace(/^M[^C]*/, "")}${share === 1 ? `V${y2}` : ""}`,
    };
  }
  const { d, long } = arcs(x1, bottom, x2, top, Math.min(0.52 * width, high / 2));
  const all = long + y1 - bottom + top - y2;
  return {
    d: `M${hundredths(x1)} ${hundredths(y1)}V${bottom}${d}V${y2}`,
    dash: share === 1 ? undefined : `${hundredths(share * all)} ${hundredths(all)}`,
  };
}

// The least radius of such a curve's bends. The first half is as the second.
function tightest(dx, high, upright) {
  let least = Infinity;
  for (let t = 0; t < 0.5; t += 0.03) {
    const s = 1 - t;
    const [x, y] = [6 * s * t * dx, 3 * high * (upright * (s * s + t * t) + 2 * s * t * (1 - 2 * upright))];
    const [xx, yy] = [6 * (s - t) * dx, 6 * high * (t - s) * (3 * upright - 1)];
    least = Math.min(least, Math.hypot(x, y) ** 3 / Math.abs(x * yy - y * xx));
  }
  return least;
}

// Upright at both ends, with the tangent that two circles of one radius share between; and how long that is.
function arcs(x1, y1, x2, y2, radius) {
  const [across, high] = [Math.abs(x2 - x1) - 2 * radius, y1 - y2];
  const line = Math.sqrt(Math.max(0, across ** 2 + high ** 2 - 4 * radius ** 2));
  const turn = Math.atan2(across, high) + Math.atan2(2 * radius, line);
  const side = Math.sign(x2 - x1);
  const [dx, dy] = [side * radius * (1 - Math.cos(turn)), radius * Math.sin(turn)];
  const arc = (right, x, y) =>
    `A${hundredths(radius)} ${hundredths(radius)} 0 0 ${Number(right)} ${hundredths(x)} ${hundredths(y)}`;
  const d = `${arc(side > 0, x1 + dx, y1 - dy)}L${hundredths(x2 - dx)} ${hundredths(y2 + dy)}${arc(side < 0, x2, y2)}`;
  return { d, long: 2 * radius * turn + line };
}

// One stroke each, so that its width is the weight on the slope too; side by side they are as wide as the context.
// `start`: where that of a key begins; `part`: whose weight it is. Returns the keys that have one.
export function beamsFrom(all, keys, start, part) {
  const { sheet, now, at } = all;
  const share = Math.min(1, 1.6 * now.during("add"));
  let from = at.x(wordColumn(all, now.step)) + at.strip * sum(now.weights.data.subarray(0, keys[0]));
  const found = [];
  for (const i of keys) {
    const width = now.weights.data[i] * at.strip;
    const way = beam(start(i), [from + width / 2, Y.context + STRIP + 3], share, width);
    if (now.weights.data[i] >= FEW) found.push({ i, width, way });
    from += width;
  }
  found.sort((a, b) => a.width - b.width); // a thin one goes under a wide one
  for (const { i, width, way } of found) {
    sheet.path(`beam ${i} edge`, way.d, {
      below: true,
      stroke: "page",
      thick: hundredths(width + 1.5),
      dash: way.dash,
    });
    const how = {
      stroke: "key",
      tint: 0.5,
      thick: hundredths(width),
      between: [part(i), "context"],
      lit: { tint: 0.85 },
    };
    sheet.path(`beam ${i}`, way.d, { below: true, dash: way.dash, ...how });
  }
  return found.map(({ i }) => i);
}

// The states go up their beams and add.
function beams(all) {
  const { machine, sheet, now, at } = all;
  const share = now.during("add");
  const left = at.x(wordColumn(all, now.step));
  const start = (i) => [at.middle(keyColumn(all, i)), Y.weight - 6];
  const found = beamsFrom(all, keysShown(all), start, (i) => `weight ${i}`);
  if (share === 1) return;
  const eased = ease(Math.min(1, 1.15 * share));
  for (const i of found) {
    const shown = row(machine.tensor("decoder.attention/adds"), now.step, i);
    const [x, y] = points([at.x(keyColumn(all, i)), Y.key], [left, Y.context], eased);
    const opacity = 0.2 + 0.8 * now.weights.data[i];
    sheet.station(`moves ${i}`, x, y, at.strip, STRIP, shown, { role: "key", thick: 1.25, opacity });
  }
}

const ease = (x) => x * x * (3 - 2 * x);
