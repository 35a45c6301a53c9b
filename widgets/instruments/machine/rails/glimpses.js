// Layout "glimpses": one column for each glimpse, the picture beside them. The state before a glimpse says where to look;
// what is seen there, and where that is, make the state after it, which answers.
//
// The film says for each frame which glimpse it is, `step`, and its `phase`: look, then remember. Tensors, G glimpses:
// `image`, pixels; `glimpse.where/in` [G, 2], the places, across and down; `glimpse.what/in` [G, scales, size, size], what
// the retina shows; `glimpse.from_what/out`, `from_where/out` and their sum `glimpse/out` [G, dim]; `core/out` [G + 1, dim],
// the states, the first before any glimpse; `baseline/out` [G, 1]; `digit/out` [G, classes], `was` the untouched model's.
// Labels: vocabulary, the classes.

import { number } from "../../../base/js/words.js";
import { vectorInWords } from "../arithmetic.js";
import { row, says } from "./places.js";
import { linked } from "./rails.js";
import { Sheet } from "../sheet.js";
import { imageOf, once } from "../tensors.js";

const HEIGHT = 486;
const LEAST = 660; // narrower, the picture scrolls
const LEFT = 4;
const STRIP = 20;
const Y = { head: 22, bars: 104, state: 142, glimpse: 196, parts: 252, retina: 308, place: 384, baseline: 446 };
const BAR = 62; // the highest
const SIZES = [
  { from: 1000, picture: 190, first: 44, square: 44 },
  { from: 820, picture: 150, first: 36, square: 38 },
  { from: 0, picture: 118, first: 26, square: 27 },
];

export function lay(machine, look) {
  const [film, image] = [machine.spec.film ?? [], machine.tensor("image")];
  if (!film.length || !image) throw new Error("Expected a film and the pixels of a picture, image.");
  const now = film[Math.min(look.frame, film.length - 1)];
  const sheet = new Sheet();
  const all = { machine, look, sheet, now, at: places(machine, look) };
  picture(all, image);
  firstState(all);
  for (let t = 0; t < all.at.count; t++) column(all, t);
  notes(all);
  const track = { x: all.at.x(0), width: all.at.width - all.at.x(0) };
  return {
    width: all.at.width,
    height: HEIGHT,
    parts: linked(sheet.parts),
    marks: sheet.marks,
    track,
    hint: "drag a place up or down",
  };
}

// Where it stands: the columns and what is in each.
function places({ tensor }, { width: room }) {
  const width = Math.max(LEAST, room);
  const [size] = SIZES.filter(({ from }) => width >= from);
  const count = tensor("glimpse.where/in").shape[0];
  const begin = LEFT + size.picture + 30 + size.first + 26;
  const pitch = (width - begin) / count;
  const strip = Math.min(132, pitch - 34);
  return {
    ...size,
    width,
    count,
    pitch,
    strip,
    begin,
    x: (t) => begin + t * pitch,
    middle: (t) => begin + t * pitch + strip / 2,
  };
}

const isSeen = ({ now }, t, phase) =>
  t < now.step || (t === now.step && (phase === "look" || now.phase === "remember"));

// ---- the picture, which the model never sees as a whole

function picture(all, image) {
  const { sheet, machine, at, now } = all;
  const [x, y, side] = [LEFT, 44, at.picture];
  const table = imageOf(image);
  sheet.text("picture name", x, y - 10, "it never sees all of it", { size: 12, colour: "ink2" });
  sheet.station("image", x, y, side, side, table, { scale: "image", part: "picture" });
  sheet.part({
    id: "picture",
    name: "the picture",
    shape: `${table.rows} × ${table.columns} pixels`,
    box: [x, y, side, side],
  });
  const seen = machine.tensor("glimpse.what/in");
  const where = [...Array(now.step + 1).keys()].map((t) => [...row(machine.tensor("glimpse.where/in"), t).data]);
  const point = (place) => [0, 1].map((i) => [x, y][i] + ((place[i] + 1) / 2) * side);
  const line = where.map(point).map((place, t) => `${t ? "L" : "M"}${place.map((one) => one.toFixed(1)).join(" ")}`);
  if (where.length > 1) sheet.path("gaze", line.join(""), { stroke: "query", thick: 1, opacity: 0.6 });
  const told = [];
  where.forEach((place, t) => {
    const scales = t === now.step ? seen.shape[1] : 1;
    for (let scale = 0; scale < scales; scale++) square(all, place, t, scale);
    const [u, v] = [point(place)[0], point(place)[1] + 4];
    const isFree = told.every(([a, b]) => Math.abs(a - u) > 10 || Math.abs(b - v) > 13);
    if (!isFree) return;
    told.push([u, v]);
    const part = `retina ${t}`;
    sheet.rect(`gaze ${t} ground`, u - 6, v - 11, 12, 14, { fill: "page", opacity: 0.85, radius: 2, part });
    sheet.text(`gaze ${t}`, u, v, t + 1, { size: 12, bold: true, colour: "query", anchor: "middle", part });
  });
}

// The square that one scale of a glimpse shows, as far as it lies on the picture.
function square({ sheet, machine, at, now }, place, t, scale) {
  const { rows, columns } = imageOf(machine.tensor("image"));
  const wide = machine.tensor("glimpse.what/in").shape.at(-1) * 2 ** scale;
  const edge = (i, length) => Math.floor(((place[i] + 1) / 2) * length - wide / 2 + 0.5);
  const inside = (i, length) => [Math.max(0, edge(i, length)), Math.min(length, edge(i, length) + wide)];
  const [[left, right], [top, bottom]] = [inside(0, columns), inside(1, rows)];
  if (right <= left || bottom <= top) return;
  const [a, b] = [at.picture / columns, at.picture / rows];
  const how = { stroke: "query", thick: t === now.step ? 2 : 1.25, part: `retina ${t}` };
  sheet.rect(`seen ${t} ${scale}`, LEFT + left * a, 44 + top * b, (right - left) * a, (bottom - top) * b, how);
}

// ---- the states and the columns

// A strip of a vector, its part, and in the first column its name above it.
function strip(all, id, [x, y, wide], tensor, index, { name, role, line, from, into, label = "" }) {
  const { sheet, machine } = all;
  const table = row(machine.tensor(tensor), index);
  sheet.station(id, x, y, wide, STRIP, table, { limit: table.limit, role, part: id, says: says(name, table) });
  if (label) sheet.text(`${id} label`, x, y - 6, label, { size: 12, colour: role === "query" ? role : "ink2" });
  const shape = () => vectorInWords(table);
  sheet.part({ id, name, shape, line, box: [x - 3, y - 3, wide + 6, STRIP + 6], from, into, ends: role === "query" });
}

function firstState(all) {
  const { at } = all;
  const x = LEFT + at.picture + 30;
  const into = ["across 0", "down 0", "baseline 0", "state 1"];
  const how = { name: "state before any glimpse: 0", label: "0", role: "query", line: "state = 0", from: [], into };
  strip(all, "state 0", [x, Y.state, at.first], "core/out", 0, how);
}

function column(all, t) {
  const { sheet, at } = all;
  const isNow = all.now.step === t;
  const how = { bold: isNow, colour: t <= all.now.step ? "ink" : "ink2" };
  sheet.text(`glimpse ${t} head`, at.x(t), Y.head, `glimpse ${t + 1}`, how);
  if (!isSeen(all, t, "look")) {
    sheet.rect(`state ${t + 1} empty`, at.x(t), Y.state, at.strip, STRIP, { stroke: "grid2", thick: 1, dash: "3 3" });
    return;
  }
  chosen(all, t);
  looks(all, t);
  if (isSeen(all, t, "remember")) remembers(all, t);
}

// From the state before: where to look, and which reward to expect.
function chosen(all, t) {
  const { machine, sheet, at, look } = all;
  const x = at.x(t);
  const before = `state ${t}`;
  const gap = x - 14;
  const wire = { stroke: "wire", thick: 1.5 };
  sheet.tap(`state ${t} tap`, gap, Y.state + STRIP / 2);
  const down = (y) => [
    [gap, Y.state + STRIP / 2],
    [gap, y - 4],
    [x - 4, y - 4],
  ];
  sheet.wire(`location ${t}`, down(Y.place + 9), { ...wire, radius: 6, between: [before, `across ${t}`] });
  sheet.wire(`expects ${t}`, down(Y.baseline), { ...wire, radius: 6, between: [before, `baseline ${t}`] });
  const words = (long, short) => (look.measure(long, 12) < at.pitch - 30 ? long : short);
  if (!t)
    sheet.text("place label", x, Y.place - 20, words("place, by location", "place"), { size: 12, colour: "query" });
  if (!t)
    sheet.text("baseline label", x, Y.baseline - 20, words("reward expected, by baseline", "expects"), {
      size: 12,
      colour: "ink2",
    });
  const where = row(machine.tensor("glimpse.where/in"), t).data;
  ["across", "down"].forEach((axis, i) => place(all, axis, t, i, where[i]));
  const expected = number(row(machine.tensor("baseline/out"), t).data[0]);
  sheet.text(`baseline ${t}`, x, Y.baseline, expected, { part: `baseline ${t}` });
  sheet.part({
    id: `baseline ${t}`,
    name: `expected reward ${expected}`,
    line: machine.node("baseline")?.line,
    box: [x - 2, Y.baseline - 15, 44, 20],
    from: [before],
  });
}

// One number of a place, which a hand can drag.
function place({ machine, sheet, at }, axis, t, i, value) {
  const [id, x, y] = [`${axis} ${t}`, at.x(t), Y.place + 17 * i];
  sheet.text(id, x, y, `${i ? "↓" : "→"} ${number(value)}`, { part: id });
  sheet.path(`${id} can be changed`, `M${x + 14} ${y + 4}h30`, {
    stroke: "brand",
    thick: 1.5,
    dash: "1.5 2.5",
    opacity: 0,
    part: id,
    lit: { opacity: 1 },
  });
  sheet.part({
    id,
    name: `glimpse ${t + 1}, ${axis}: ${number(value)}`,
    shape: "arrow up or down, or drag",
    line: machine.node("location")?.line,
    role: "spinbutton",
    edit: ["glimpse.where/in", t, i],
    box: [x - 2, y - 13, 52, 17],
    from: [`state ${t}`],
    into: [`retina ${t}`, `where ${t}`],
    ends: true,
  });
}

// What the retina shows there; what and where become one vector.
function looks(all, t) {
  const { machine, sheet, at } = all;
  const [x, half] = [at.x(t), (at.strip - 14) / 2];
  const end = retina(all, t);
  const sides = { what: x, where: x + half + 14 };
  for (const [name, left] of Object.entries(sides)) {
    const line = machine.node(`glimpse.from_${name}`)?.line;
    const from = name === "what" ? [`retina ${t}`] : [`across ${t}`, `down ${t}`];
    const how = { name: `from ${name}`, role: "grid2", line, from, into: [`vector ${t}`] };
    strip(all, `${name} ${t}`, [left, Y.parts, half], `glimpse.from_${name}/out`, t, how);
    if (!t) sheet.text(`${name} label`, left, Y.parts + STRIP + 14, name, { size: 12, colour: "ink2" });
  }
  joined(all, t, half);
  const given = x + half - 4;
  sheet.wire(`what ${t} seen`, upright(given, Y.retina - 4, Y.parts + STRIP + 4), {
    between: [`retina ${t}`, `what ${t}`],
  });
  const third = x + 2.5 * (at.square + 5);
  sheet.wire(`retina ${t} placed`, upright(third, Y.place - 16, Y.retina + at.square + 4), {
    between: [`across ${t}`, `retina ${t}`],
  });
  const [right, low, high] = [Math.max(end, sides.where + half) + 7, Y.place + 5, Y.parts + STRIP / 2];
  const way = [
    [x + 56, low],
    [right, low],
    [right, high],
    [sides.where + half + 4, high],
  ];
  sheet.wire(`where ${t} placed`, way, { radius: 6, between: [`down ${t}`, `where ${t}`] });
}

const upright = (x, from, to) => [
  [x, from],
  [x, to],
];

// The squares of the retina, sharp to blurred; returns where they end.
function retina({ machine, sheet, at }, t) {
  const x = at.x(t);
  const seen = machine.tensor("glimpse.what/in");
  const [, scales, size] = seen.shape;
  const [step, each, id] = [at.square + 5, size * size, `retina ${t}`];
  for (let scale = 0; scale < scales; scale++) {
    const first = (t * scales + scale) * each;
    const data = once(seen, `square ${first}`, () => seen.data.slice(first, first + each).map((ink) => 1 - ink)); // on paper
    const table = once(data, "table", () => ({ rows: size, columns: size, data }));
    const box = [x + scale * step, Y.retina, at.square, at.square];
    sheet.station(`${id} ${scale}`, ...box, table, { scale: "image", part: id });
  }
  const end = x + scales * step - 5;
  if (!t) sheet.text("retina label", end, Y.retina - 6, "retina", { size: 12, colour: "ink2", anchor: "end" });
  sheet.part({
    id,
    name: "what the retina shows",
    shape: `${scales} squares, ${size} × ${size} numbers each`,
    line: machine.node("glimpse.what/in")?.line,
    box: [x - 3, Y.retina - 3, end - x + 6, at.square + 6],
    from: [`across ${t}`, `down ${t}`],
    into: [`what ${t}`],
  });
  return end;
}

// Both are added; without what is below 0 that is the glimpse.
function joined(all, t, half) {
  const { machine, sheet, at } = all;
  const [x, middle, plus, id] = [at.x(t), at.middle(t), Y.parts - 16, `vector ${t}`];
  sheet.plus(`plus ${t}`, middle, plus, { part: id });
  sheet.wire(`${id} on`, upright(middle, plus - 9, Y.glimpse + STRIP + 4), { part: id });
  for (const [name, from, to] of [
    ["what", x + half - 8, middle - 9],
    ["where", x + half + 22, middle + 9],
  ]) {
    const points = [...upright(Number(from), Y.parts - 3, plus), [Number(to), plus]];
    sheet.wire(`${name} ${t} adds`, points, { head: false, part: `${name} ${t}` });
  }
  if (!t) sheet.text("relu", middle + 14, plus - 4, "relu", { size: 11, colour: "ink2", part: id });
  strip(all, id, [x, Y.glimpse, at.strip], "glimpse/out", t, {
    name: "the glimpse: what was seen and where",
    label: t ? "" : all.look.measure("glimpse", 12) < half ? "glimpse" : "seen",
    role: "ink2",
    line: machine.node("glimpse/out")?.line,
    from: [`what ${t}`, `where ${t}`],
    into: [`state ${t + 1}`],
  });
}

// The state after it, and what it answers.
function remembers(all, t) {
  const { machine, sheet, at } = all;
  const [x, id, middle] = [at.x(t), `state ${t + 1}`, at.middle(t)];
  const before = t ? at.x(t - 1) + at.strip : LEFT + at.picture + 30 + at.first;
  const high = Y.state + STRIP / 2;
  sheet.wire(
    `${id} before`,
    [
      [before + 4, high],
      [x - 5, high],
    ],
    { between: [`state ${t}`, id] },
  );
  sheet.wire(
    `${id} told`,
    [
      [middle, Y.glimpse - 5],
      [middle, Y.state + STRIP + 5],
    ],
    { between: [`vector ${t}`, id] },
  );
  const next = [`across ${t + 1}`, `down ${t + 1}`, `baseline ${t + 1}`, `state ${t + 2}`, `answer ${t}`];
  const how = {
    name: `state after glimpse ${t + 1}`,
    label: t ? "" : "state",
    role: "query",
    line: machine.node("core")?.line,
  };
  strip(all, id, [x, Y.state, at.strip], "core/out", t + 1, {
    ...how,
    from: [`state ${t}`, `vector ${t}`],
    into: next,
  });
  answer(all, t, x, middle, id);
}

function answer({ machine, sheet, at }, t, x, middle, state) {
  const id = `answer ${t}`;
  const names = machine.spec.labels.vocabulary;
  const [chances, was] = ["out", "was"].map((name) => row(machine.tensor(`digit/${name}`), t)?.data);
  const best = chances.indexOf(Math.max(...chances));
  const pitch = at.strip / names.length;
  names.forEach((name, i) => {
    const left = x + i * pitch + 1;
    const tall = Math.max(1, BAR * chances[i]);
    const table = { rows: 1, columns: 1, data: [i === best ? 0.82 : 0.5] };
    sheet.cells(`${id} ${i}`, left, Y.bars - tall, pitch - 2, tall, table, { scale: "weights", part: id });
    if (was && Math.abs(was[i] - chances[i]) > 0.01)
      sheet.path(`${id} ${i} was`, `M${left - 1} ${Y.bars - BAR * was[i]}h${pitch}`, {
        stroke: "ink",
        thick: 1.5,
        dash: "2 2",
      });
    const how = { size: 11, anchor: "middle", bold: i === best, colour: i === best ? "ink" : "ink2", part: id };
    sheet.text(`${id} ${i} name`, left + pitch / 2 - 1, Y.bars + 13, name, how);
  });
  const above = Math.max(x + 14, Math.min(x + at.strip - 14, x + (best + 0.5) * pitch));
  const how = { size: 12, bold: true, anchor: "middle", part: id };
  sheet.text(
    `${id} best`,
    above,
    Y.bars - BAR * Math.max(chances[best], was?.[best] ?? 0) - 5,
    number(chances[best]),
    how,
  );
  sheet.wire(
    `${id} on`,
    [
      [middle, Y.state - 5],
      [middle, Y.bars + 18],
    ],
    { between: [state, id] },
  );
  sheet.part({
    id,
    name: `says ${names[best]}, ${number(chances[best])}`,
    line: machine.node("action")?.line,
    box: [x - 2, Y.bars - BAR - 2, at.strip + 4, BAR + 18],
    from: [state],
    ends: true,
  });
}

function notes({ machine, sheet, look, at, now }) {
  const how = { size: 12, colour: "ink2" };
  const { of, shape } = machine.tensor("core/out");
  if (of)
    sheet.text(
      "wide",
      LEFT,
      HEIGHT - 8,
      `${of} numbers in ${shape.at(-1)} cells, each the root of the mean square of its share`,
      how,
    );
  const was = machine.tensor("digit/was");
  if (!was || now.step < 0) return;
  const text = "dashed: its own places";
  const differs = was.data.some((x, i) => Math.abs(x - machine.tensor("digit/out").data[i]) > 0.01);
  if (differs) sheet.text("dashed", at.width, HEIGHT - 8, look.fit(text, 160, 12), { ...how, anchor: "end" });
}
