// Layout "grid": below a picture in places, each with a state of its own; above the decoder of rails, which asks all of
// them before each word, or is given their mean.
//
// Film, labels and tensors are those of rails; the source are the places, row by row. The spec's `grid`: [down, across];
// the tensor `image` holds the pixels.

import { number } from "../../../base/js/words.js";
import { softmaxGiving } from "../arithmetic.js";
import { beamsFrom, curve, pipe } from "./bridge.js";
import { margin } from "./margin.js";
import { context, decoder, linked, notes } from "./rails.js";
import { HEIGHT, LEFT, STRIP, Y, pens, places, present, quoted, wordColumn } from "./places.js";
import { Sheet, arrowHead } from "../sheet.js";
import { imageOf, widthOf } from "../tensors.js";

const [BOTTOM, MOST, GAP] = [446, 172, 46]; // of the squares, their side, and between two of them
const VEILED = 0.8; // how much of the page covers a place without weight

export function lay(machine, look) {
  if (!machine.spec.film?.length || !machine.tensor("image"))
    throw new Error("Expected a film and the pixels of a picture, image.");
  const sheet = new Sheet();
  const now = present(machine, look);
  const at = places(machine, look, { ...now, source: [] }); // no columns for what is looked at
  const links = { begins: [], asked: ["scores"], gives: now.looksBack ? ["weights", "picture"] : ["picture"] };
  const all = { machine, look, sheet, now, at, links, squares: squares(at), ...pens(sheet, at, look) };
  if (now.step >= 0) passes(all);
  picture(all);
  decoder(all);
  if (now.step >= 0 && now.looksBack) question(all);
  if (now.step >= 0) context(all);
  margin(all);
  notes(all);
  const track = { x: 0, width: at.x(at.columns - 1) + at.strip + 8 };
  const hint = now.looksBack && now.is("ask") ? "click a place to see its score" : "";
  return { width: at.width, height: HEIGHT, parts: linked(sheet.parts), marks: sheet.marks, track, hint };
}

// Where the squares of picture, scores and weights stand.
function squares({ margin: right, gap, labels }) {
  const room = right - gap - labels - 12 - LEFT;
  const space = room < 560 ? 24 : GAP;
  const side = Math.min(MOST, (room - 2 * space) / 3);
  const x = (place) => LEFT + place * (side + space);
  return { side, top: BOTTOM - side, picture: x(0), scores: x(1), weights: x(2) };
}

// The box of one place in a square.
function boxOf({ machine, squares }, square, i) {
  const [down, across] = machine.spec.grid;
  const [high, wide] = [squares.side / down, squares.side / across];
  return [squares[square] + (i % across) * wide, squares.top + Math.floor(i / across) * high, wide, high];
}

function passes(all) {
  const { now, squares } = all;
  const { picture, top, side } = squares;
  if (!now.looksBack) pipe(all, picture + side / 2, top - 22, top - 52);
  else if (now.shows("add")) beams(all);
}

// Each from the upper edge of the square, above its place; a line leads there.
function beams(all) {
  const { sheet, now, squares } = all;
  const column = (i) => {
    const [x, y, wide] = boxOf(all, "weights", i);
    return [x + wide / 2, y];
  };
  const start = (i) => [column(i)[0], squares.top];
  for (const i of beamsFrom(all, [...now.weights.data.keys()], start, () => "weights")) {
    const [x, y] = column(i);
    sheet.path(`stem ${i}`, `M${x} ${y}V${squares.top}`, { stroke: "key", thick: 2, part: "weights" });
  }
}

// The picture: what has no weight is pale. Each place can be chosen.
function picture(all) {
  const { machine, sheet, now, look, squares } = all;
  const { side, top, picture: x } = squares;
  const weighed = now.weights && now.shows("weigh") ? now.weights.data : null;
  const most = weighed && Math.max(...weighed);
  sheet.text("picture name", x, top - 8, now.read ? "the picture" : "a picture", { size: 12, colour: "ink2" });
  sheet.cells("image", x, top, side, side, imageOf(machine.tensor("image")), { scale: "image", part: "picture" });
  sheet.part({
    id: "picture",
    name: `a state for each of ${now.source.length} places`,
    shape: `${widthOf(now.keys)} numbers each`,
    line: machine.node("encoder/out")?.line,
    box: [x, top, side, side],
    into: now.step < 0 ? [] : now.looksBack ? ["scores", "context"] : ["context"],
  });
  if (weighed)
    weighed.forEach((weight, i) => {
      const opacity = VEILED * (1 - weight / most);
      sheet.rect(`veil ${i}`, ...boxOf(all, "picture", i), { below: true, fill: "page", opacity });
    });
  if (now.read) cuts(all, "picture");
  const long = `${now.source.length} places, a state each`;
  const words = look.measure(long, 12) < squares.scores - x ? long : `${now.source.length} places`;
  if (now.read) sheet.text("picture words", x, BOTTOM + 16, words, { size: 12, colour: "ink2" });
  if (now.step < 0 || !now.looksBack) return;
  now.source.forEach((name, i) => {
    const [id, box] = [`key ${i}`, boxOf(all, "picture", i)];
    sheet.part({ id, role: "radio", name: quoted(name), box, choose: [id, "key"], checked: look.chosen[0] === id });
  });
  chosen(all, "picture");
}

// The lines between places.
function cuts({ machine, sheet, squares }, square) {
  const [down, across] = machine.spec.grid;
  const { side, top } = squares;
  const x = squares[square];
  const rows = Array.from({ length: down - 1 }, (_, i) => `M${x} ${top + ((i + 1) * side) / down}h${side}`);
  const columns = Array.from({ length: across - 1 }, (_, i) => `M${x + ((i + 1) * side) / across} ${top}v${side}`);
  sheet.path(`${square} cuts`, [...rows, ...columns].join(""), { stroke: "grid", thick: 1 });
  sheet.outline(`${square} edge`, x, top, side, side, "grid2", 1);
}

// The place that was chosen, else the one with the largest weight.
function chosen(all, square) {
  const [x, y, wide, high] = boxOf(all, square, all.now.pick);
  all.sheet.outline(`${square} pick`, x, y, wide, high, "key", 2.5);
}

// The state asks all places; each answers with a score, softmax makes them weights.
function question(all) {
  const { sheet, now, at, squares } = all;
  const { side, top } = squares;
  const from = at.middle(wordColumn(all, now.step - 1));
  const middle = top + side / 2;
  const isAnswered = !now.is("ask") || now.p > 0.6;
  if (now.is("ask") && at.x(wordColumn(all, now.step - 1)) >= 0) {
    const to = squares.scores + side / 2;
    const { d, from: before, end } = curve(from, Y.state + STRIP + 5, to, top - 24, now.during("ask"));
    const head = now.during("ask") === 1 ? arrowHead(before, end) : "";
    sheet.path("asks", d + head, { stroke: "query", thick: 1.75, part: "scores" });
  }
  const between = (a, b) => [
    [squares[a] + side + 5, middle],
    [squares[b] - 6, middle],
  ];
  sheet.wire("keys on", between("picture", "scores"), {
    between: ["picture", "scores"],
    opacity: now.is("ask") ? 1 : 0.4,
  });
  if (isAnswered) square(all, "scores", now.scores, { limit: now.scores.limit, words: "scores" });
  if (!now.shows("weigh")) return;
  sheet.wire("scores on", between("scores", "weights"), { between: ["scores", "weights"] });
  const sums = (i) => softmaxGiving([...now.scores.data], now.scores.data[i], now.weights.data[i]);
  const most = Math.max(...now.weights.data);
  const words = `weights, at most ${number(most)}`;
  square(all, "weights", now.weights, { scale: "weights", limit: most, opacity: now.during("weigh"), sums, words });
}

// The numbers of all places as a square of the picture's size.
function square(all, name, row, { words, sums = /** @type {((i: number) => string | null) | null} */ (null), ...how }) {
  const { machine, sheet, now, squares } = all;
  const [rows, columns] = machine.spec.grid;
  const at = (r, c) => r * columns + c;
  const says = (r, c) => `place ${now.source[at(r, c)]}`;
  const table = { rows, columns, data: row.data };
  const told = { says, sums: sums && ((r, c) => sums(at(r, c))) };
  const [x, { top, side }] = [squares[name], squares];
  sheet.cells(name, x, top, side, side, table, { part: name, ...how, ...told });
  cuts(all, name);
  chosen(all, name);
  sheet.text(`${name} name`, x, BOTTOM + 16, words, { size: 12, colour: "ink2" });
  const line = machine.node(name === "scores" ? "decoder.attention/scores" : "decoder.attention")?.line;
  const from = name === "scores" ? [`state ${now.step}`, "picture"] : ["scores"];
  const into = name === "scores" ? ["weights"] : ["context"];
  const size = `${rows} × ${columns}`;
  sheet.part({ id: name, name, shape: size, line, box: [x - 3, top - 3, side + 6, side + 6], from, into });
}
