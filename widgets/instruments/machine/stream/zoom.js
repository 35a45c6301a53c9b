// A block from near: each head with its queries, keys, values, weights, context and what it adds.

import { boxedNear } from "./box.js";
import { FRAME, MIDDLE } from "./frame.js";
import { beside, drawHead, gridOf, headColour, lastSquare } from "./block.js";
import { behind, branchWidth, joint, landing, postWidth, read, stem, withNorm } from "./sublayer.js";
import { lanes, rowsOf, shapeOf, station, stationWidth, tokenLabels } from "./signs.js";
import { normWords, tableWords } from "./words.js";
import { matrix, tensorOf, widthOf } from "../tensors.js";

const ROWS = 6; // heads that have a row each; more stand as their weights alone
const [TOP, BELOW] = [30, FRAME.top + FRAME.tall + 44]; // of the heads, and of the feed-forward network
const TALL = 58; // its tables, and those of one or two heads

export function zoomedBlock(view, block, right) {
  const { sheet, size } = view;
  const wide = stationWidth(view, block);
  let x = size.labels + 8;
  tokenLabels(view, size.labels);
  const first = block.before;
  station(view, x, wide, { id: first, tensor: first, label: "the stream" }, { ends: true });
  sheet.text("stream", x, FRAME.top + FRAME.tall + 18, "the stream", { size: 12, bold: true });
  view.before = first;
  x += wide;
  const attentions = block.sublayers.filter(({ kind }) => kind === "attention").length;
  const others = block.sublayers.length - attentions;
  const room = right - x - block.sublayers.length * wide;
  const small = attentions ? Math.min(212, room * 0.36) : room / others;
  const large = attentions && (room - others * small) / attentions;
  for (const one of block.sublayers) {
    const column = one.kind === "attention" ? large : small;
    if (one.place !== "bare") lanes(view, one.id, x + 1, x + column);
    const end = { x: x + column, adds: x + column - 16 - postWidth(view, one) };
    const ids = PARTS[one.kind](view, one, x, end);
    joint(view, one, end.adds);
    station(view, x + column, wide, behind(view, one), { from: [view.before, ...ids], ends: true });
    view.before = one.after;
    x += column + wide;
  }
  neighbours(view, block);
}

// The blocks beside this one, where they can be gone to.
function neighbours(view, block) {
  const { sheet, look, model } = view;
  const at = model.blocks.indexOf(block);
  const y = FRAME.height - 10;
  for (const [other, x, anchor] of [
    [model.blocks[at - 1], 0, "start"],
    [model.blocks[at + 1], view.width - view.size.bars - 12, "end"],
  ]) {
    if (!other || other.isBox) continue;
    const text = anchor === "start" ? `‹ ${other.label}` : `${other.label} ›`;
    const wide = look.measure(text, 12);
    sheet.text(`to ${other.id}`, x, y, text, { size: 12, colour: "ink2", anchor });
    const box = [anchor === "start" ? x - 4 : x - wide - 4, y - 16, wide + 8, 24];
    sheet.part({ id: `to ${other.id}`, name: other.label, zoom: other.id, box });
  }
}

// What a table of a head or of a network is, as a station that is followed.
function piece(view, one, { suffix, index, x, y, width, height, name, line, from, into, role = "ink2", ...how }) {
  const { sheet, machine } = view;
  const tensor = machine.tensor(`${one.id}/${suffix}`);
  const table = suffix === "weights" ? lastSquare(matrix(tensor, ...index)) : tensor && rowsOf(tensor, ...index);
  const id = `${one.id}/${[suffix, ...index].join(":")}`;
  const words = tableWords(view, one, suffix, ...index);
  sheet.station(id, x, y, width, height, table, { limit: tensor?.limit, role, part: id, ...words, ...how });
  sheet.part({ id, name, line, shape: shapeOf(view, tensor), box: [x - 3, y - 3, width + 6, height + 6], from, into });
  return id;
}

function attention(view, one, x, end) {
  if (one.heads.length > ROWS) return attentionGrid(view, one, x, end);
  const { sheet, machine, size } = view;
  const heads = one.heads.length;
  const pitch = Math.min(88, (one.memory ? 166 : 180) / heads);
  const tall = Math.min(TALL, pitch - (heads > 2 ? 10 : 28));
  const wideNorm = size.px > 3 && one.norm && withNorm(one);
  const tap = x + 18;
  const given = normOrStream(view, one, tap, wideNorm, tall);
  const left = x + (wideNorm ? 76 : 26);
  one.heads.forEach((head, i) => {
    const y = TOP + i * pitch;
    const places = headPlaces(view, left, end.adds - 16 - 4 * heads, tall);
    headRow(view, one, head, i, { y, tall, places, given, tap, wideNorm, titles: heads <= 2 || i === 0 });
    branch(view, one, head, i, { from: places.adds[0] + places.adds[1] + 4, y: y + tall / 2, end });
  });
  const dim = widthOf(machine.tensor(`${one.id}/q`));
  if (one.memory || (dim && size.px > 3 && heads <= 2)) {
    const width = widthOf(machine.tensor(`${one.id}/adds`));
    const words = one.memory ? "k and v: from the source" : `${dim} numbers a token inside a head, ${width} when added`;
    sheet.text(`${one.id} sizes`, left, FRAME.top - 6, words, { size: 12, colour: "ink2" });
  }
  return one.heads.map((_, i) => `${one.id}/adds:${i}`);
}

// The norm before the heads as a station of its own, or as a pill where there is little room; returns what they read.
function normOrStream(view, one, tap, wideNorm, tall) {
  const { sheet } = view;
  if (!wideNorm) {
    const queries = one.heads.map((_, i) => `${one.id}/q:${i}`);
    read(view, one, tap, TOP + tall / 2, queries, FRAME.top + 26);
    return withNorm(one) ? one.norm.id : view.before;
  }
  const into = one.heads.flatMap((_, i) => ["q", "k", "v"].map((part) => `${one.id}/${part}:${i}`));
  normStation(view, one, { tap, x: tap - 4, y: 72, into });
  sheet.text(`${one.norm.id} name`, tap + 16, 64, "norm", { size: 12, anchor: "middle", part: one.norm.id });
  return one.norm.id;
}

// A norm with its numbers, and the line to it from the stream.
function normStation(view, one, { tap, x, y, into }) {
  const { sheet, machine } = view;
  const { id, label, line } = one.norm;
  const tensor = machine.tensor(tensorOf(one.norm));
  const end = y < MIDDLE ? y + TALL + 2 : y - 3;
  stem(view, one, tap, end, id);
  const how = { limit: tensor?.limit, part: id, ...normWords(view, one) };
  sheet.station(`${id} numbers`, x, y, 40, TALL, rowsOf(tensor), how);
  const shape = shapeOf(view, tensor);
  sheet.part({ id, name: label, line, shape, box: [x - 3, y - 3, 46, TALL + 6], from: [view.before], into });
}

// Where the tables of a head stand from left to right: name -> [x, width].
function headPlaces(view, left, right, tall) {
  const wide = view.size.px > 3;
  const widths = wide
    ? { name: 54, q: 24, k: 24, v: 24, weights: tall, context: 24, adds: 40 }
    : { name: 34, q: 14, k: 14, v: 14, weights: Math.min(40, tall), context: 14, adds: 26 };
  const gaps = { name: 0.6, q: 1, k: 1, v: 1.7, weights: 1.7, context: 1.7, adds: 0 };
  const used = Object.values(widths).reduce((a, b) => a + b);
  const gap = Math.min(wide ? 16 : 10, (right - left - used) / Object.values(gaps).reduce((a, b) => a + b));
  let x = left + 6;
  const places = Object.entries(widths).map(([name, width]) => {
    const at = [x, width];
    x += width + gap * gaps[name];
    return [name, at];
  });
  const titles = (view.look.measure("weights", 12) + view.look.measure("context", 12)) / 2;
  return { ...Object.fromEntries(places), roomy: (widths.weights + widths.context) / 2 + gap * gaps.weights > titles };
}

// What a head is made of: its line of code, what flows in (null: what the head reads) and where it goes (the stream).
const PIECES = {
  q: { line: "q = query(y)[head]", from: null, into: ["weights"] },
  k: { line: "k = key(y)[head]", from: null, into: ["weights"] },
  v: { line: "v = value(y)[head]", from: null, into: ["context"] },
  weights: { line: "weights = softmax(q @ k.mT / head_dim ** 0.5)", from: ["q", "k"], into: ["context"] },
  context: { line: "context = weights @ v", from: ["weights", "v"], into: ["adds"] },
  adds: { line: "y = y + context @ output[head]", from: ["context"], into: null },
};
const ROLES = { q: "query", k: "key", v: "value", context: "context" };

function headRow(view, one, head, i, { y, tall, places, given, tap, wideNorm, titles }) {
  const { sheet, machine, look } = view;
  const off = look.off.has(head.id);
  const colour = off ? "ink2" : headColour(view, head, i, one.heads.length);
  const end = places.adds[0] + places.adds[1] + 8;
  const [left, top] = [places.name[0] - 8, y - (titles ? 22 : 5)];
  const box = [left, top, end - left, tall + (titles ? 30 : 10)];
  sheet.zone(head.id, ...box);
  sheet.part({ id: head.id, name: head.label, line: head.line, shape: head.shape, zoom: head.id, box });
  const id = (suffix) => `${one.id}/${suffix}:${i}`;
  const [stop, row] = [places.name[0] - 10, y + tall / 2];
  const curve = wideNorm
    ? `M${tap + 38} 101C${tap + 54} 101 ${stop - 18} ${row} ${stop} ${row}`
    : `M${tap} ${row}H${stop}`;
  sheet.path(`${head.id} reads`, curve, { stroke: "wire", thick: 1.5, between: [given, id("q")] });
  for (const [suffix, { line, from: sources, into: targets }] of Object.entries(PIECES)) {
    const [x, width] = places[suffix];
    const role = suffix === "weights" || suffix === "adds" ? colour : ROLES[suffix];
    const how =
      suffix === "weights" ? { scale: "weights", mask: lastSquare(matrix(machine.tensor(`${one.id}/mask`))) } : {};
    piece(view, one, {
      ...{ suffix, index: [i], x, y, width, height: tall, role, line, opacity: off ? 0.35 : 1, ...how },
      name: `${head.label}, ${suffix}`,
      from: sources ? sources.map(id) : [given],
      into: targets ? targets.map(id) : [one.after],
    });
    if (titles && (places.roomy || /^([qkv]|adds)$/.test(suffix)))
      sheet.text(`${id(suffix)} title`, x + width / 2, y - 7, suffix, titleOf(suffix));
  }
  for (const [a, b] of ["v weights", "weights context", "context adds"].map((pair) => pair.split(" "))) {
    const [begin, stop] = [places[a][0] + places[a][1] + 4, places[b][0] - 4];
    if (stop - begin < 6) continue;
    const line = [begin, stop].map((x) => [x, y + tall / 2]);
    sheet.wire(`${id(a)} to ${b}`, line, { between: [id(a === "v" ? "q" : a), id(b)], opacity: off ? 0.35 : 1 });
  }
  const short = view.size.px > 3 ? `head ${i + 1}` : i + 1;
  const low = tall < 34;
  sheet.text(`${head.id} name`, places.name[0], y + (low ? tall / 2 + 4 : tall / 2 - 4), short, {
    size: low ? 12 : 13,
    bold: true,
    colour,
  });
  const knob = low ? [places.name[0] + places.name[1] - 18, y + tall / 2 - 6] : [places.name[0], y + tall / 2 + 4];
  sheet.knob(head.id, knob[0], knob[1], off, head.label);
}

const titleOf = (suffix) => {
  const role = ROLES[suffix];
  return { size: 12, anchor: "middle", bold: suffix.length === 1, colour: role ?? "ink2" };
};

function branch(view, one, head, i, { from, y, end }) {
  const { sheet, machine, look } = view;
  const off = look.off.has(head.id);
  const heads = one.heads.length;
  const shift = beside(i, heads);
  const how = off
    ? { stroke: "wire", thick: 1, dash: "2 4" }
    : { stroke: headColour(view, head, i, heads), thick: branchWidth(view, machine.tensor(`${one.id}/adds`), i) };
  sheet.path(`${head.id} adds`, `M${from} ${y}H${end.adds + shift}${landing(one, end, -1, shift)}`, {
    ...how,
    part: `${one.id}/adds:${i}`,
  });
}

// More heads than rows: their weights, to go into.
function attentionGrid(view, one, x, end) {
  const { sheet, machine } = view;
  const grid = { ...gridOf(view, one.heads.length), title: 14 };
  const left = x + 40;
  const columns = Math.ceil(one.heads.length / 2);
  const pitch = Math.min(60, (end.adds - 20 - left) / columns);
  const thumb = Math.min(48, pitch - 6);
  const ids = one.heads.map(({ id }) => id);
  read(view, one, x + 18, FRAME.top - 48, ids);
  one.heads.forEach((head, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    drawHead(view, one, head, i, [left + column * pitch, 44 + row * 70], { ...grid, thumb });
  });
  const total = machine.tensor(`${one.id}/out`);
  const path = `M${left + columns * pitch} 100H${end.adds}${landing(one, end, -1)}`;
  sheet.path(`${one.id} adds`, path, { stroke: "ink2", thick: branchWidth(view, total), part: ids });
  return ids;
}

function forward(view, one, x, end) {
  const { sheet, machine, size, look } = view;
  const narrow = size.px === 3;
  const asStation = !narrow && withNorm(one);
  const [hidden, out] = [`${one.id}/hidden`, `${one.id}/out`];
  const first = asStation ? x + 60 : x + 20;
  const last = narrow ? 26 : 40;
  const wide = Math.min(96, end.adds - 36 - last - first);
  const second = first + wide + 12;
  const middle = BELOW + TALL / 2;
  if (asStation) {
    normStation(view, one, { tap: x + 12, x: x + 4, y: BELOW, into: [hidden] });
    sheet.wire(
      `${one.id} in`,
      [
        [x + 47, middle],
        [first - 4, middle],
      ],
      { between: [one.norm.id, hidden] },
    );
  } else read(view, one, x + 12, BELOW - 4, [hidden]);
  const shared = { y: BELOW, height: TALL, index: [] };
  const given = withNorm(one) ? one.norm.id : view.before;
  const words = { name: `${one.label}, hidden`, line: "hidden = activation(expand(y))" };
  piece(view, one, { ...shared, ...words, suffix: "hidden", x: first, width: wide, from: [given], into: [out] });
  const title = { size: 12, colour: "ink2", anchor: "middle" };
  const below = BELOW + TALL + 16;
  if (asStation) sheet.text(`${one.norm.id} name`, x + 24, below, "norm", { ...title, part: one.norm.id });
  sheet.text(`${one.id} name`, first, narrow ? below + 16 : BELOW - 10, one.label, { bold: true, size: 12 });
  const count = widthOf(machine.tensor(hidden));
  const long = `hidden, ${count}`;
  const fits = look.measure(long, 12) + look.measure("adds", 12) < wide + last + 18;
  sheet.text(`${one.id} hidden`, first + wide / 2, below, fits && count ? long : "hidden", title);
  const path = (from) => `M${from + 3} ${middle}H${end.adds}${landing(one, end, 1)}`;
  const branch = { stroke: "ink2", thick: branchWidth(view, machine.tensor(out)) };
  if (one.place === "bare") {
    sheet.path(`${one.id} adds`, path(first + wide), { ...branch, part: hidden });
    return [hidden];
  }
  sheet.wire(
    `${one.id} on`,
    [
      [first + wide + 3, middle],
      [second - 3, middle],
    ],
    { between: [hidden, out] },
  );
  const adding = { name: `${one.label}, what it adds`, line: "y = contract(hidden)" };
  piece(view, one, { ...shared, ...adding, suffix: "out", x: second, width: last, from: [hidden], into: [one.after] });
  if (look.measure("hidden", 12) + look.measure("adds", 12) < wide + last + 22)
    sheet.text(`${one.id} last`, second + last / 2, below, "adds", title);
  sheet.path(`${one.id} adds`, path(second + last), { ...branch, part: out });
  return [out];
}

const PARTS = { attention, feed_forward: forward, box: boxedNear };
