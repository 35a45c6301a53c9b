// Towers: where words meet, and where each is by itself. A joint lies between two stations.

import { asked, asker, isOff, LEAST, weightsOf, wordAt } from "./flow.js";
import { kindOf } from "./places.js";
import { hundredths } from "../sheet.js";
import { matrix, rowOf, rowsBetween } from "../tensors.js";

const PALE = 0.15; // least weight of a beam whose word is not seen asking
const TOLD = 0.05; // least weight of a word that is outlined as answering
const SIDE = 16; // pixels for the norm and the plus of a joint

// Kind of attention -> its name in full, who asks whom, and its name at a joint: in two lines, or short.
export const KINDS = {
  source: { name: "encoder self-attention", who: "source asks source", lines: ["self-", "attention"], short: "self" },
  target: { name: "causal self-attention", who: "target asks target", lines: ["self-", "attention"], short: "self" },
  cross: { name: "cross-attention", who: "target asks source", lines: ["cross-", "attention"], short: "cross" },
};
const FORWARD = { lines: ["feed-", "forward"], short: "FFN" };

export function joint(view, tower, i) {
  const { sheet, at, machine } = view;
  const { top, high, columns } = at[tower.name];
  const { x, width, sublayer, block } = columns[i];
  const kind = kindOf(tower, sublayer);
  title(view, tower, columns[i], kind);
  const name = `${kind ? KINDS[kind].name : sublayer.label}, ${block.label}`;
  const table = weightsOf(view, tower, columns[i]);
  const shape = table ? `${table.rows} × ${table.columns} weights, ${headOf(machine.spec)}` : sublayer.shape;
  sheet.part({ id: sublayer.id, name, line: sublayer.line, shape, box: [x, top, width, high] });
  if (kind) knob(view, tower, columns[i], kind);
  if (!kind) hidden(view, tower, i);
  else if (isOff(view, tower, columns[i])) off(view, tower, columns[i]);
  else if (table && view.lit.includes(kind)) meet(view, tower, i, table);
  sums(view, tower, columns[i]);
}

const headOf = ({ head }) => (head === undefined ? "mean of the heads" : `head ${head + 1}`);

// Where names and switches stand, above the encoder and below the decoder.
function margin({ at }, tower) {
  const { top, tall } = at[tower.name];
  const low = top + tall;
  return tower.name === "source"
    ? { knob: top - 18, lines: [top - 38, top - 25], bracket: top - 52, name: top - 57 }
    : { knob: low + 6, lines: [low + 31, low + 44], bracket: low + 51, name: low + 65 };
}

function title(view, tower, { x, width, sublayer }, kind) {
  const { sheet, at, lit } = view;
  const { lines } = margin(view, tower);
  const { lines: words, short } = kind ? KINDS[kind] : FORWARD;
  const how = { size: 12, anchor: "middle", colour: kind && lit.includes(kind) ? "ink" : "ink2" };
  if (width + at.size.station > view.look.measure(words[1], 12) + 2)
    words.forEach((word, k) => sheet.text(`${sublayer.id} name ${k}`, x + width / 2, lines[k], word, how));
  else sheet.text(`${sublayer.id} name`, x + width / 2, lines[1], short, how);
}

// The switch of what is seen: of the whole attention, or of the one head.
function knob(view, tower, { x, width, sublayer, block }, kind) {
  const { sheet, machine, look } = view;
  if (look.off.has(kind)) return;
  const { head } = machine.spec;
  const id = head === undefined ? sublayer.id : `${sublayer.id}:${head}`;
  const name = `${head === undefined ? "" : `head ${head + 1} of `}${KINDS[kind].name}, ${block.label}`;
  sheet.knob(id, x + width / 2 - 11, margin(view, tower).knob, look.off.has(id), name);
}

function off({ sheet, at }, tower, { x, width, sublayer }) {
  const { top, tall } = at[tower.name];
  const path = `M${x + width / 2} ${top + 4}V${top + tall - 4}`;
  sheet.path(`${sublayer.id} off`, path, { stroke: "ink2", thick: 1, dash: "2 4" });
}

// Beams from what is asked to the row of the word that asks: all of one word are as wide as its row.
function meet(view, tower, i, table) {
  const { at, look } = view;
  const { top, rows, columns } = at[tower.name];
  const { x, width, sublayer } = columns[i];
  const from = asked(view, tower, i);
  const inset = sublayer.place === "pre" ? SIDE : 0;
  const ends = [
    from.x + (from.x > x + 1 || columns[i].tap ? 0 : inset),
    x + width - (sublayer.place === "bare" ? 3 : SIDE),
  ];
  const row = asker(view, tower, columns[i]);
  const late = tower.name === "target" && look.p < (i + 1) / columns.length ? 1 : 0;
  const after = columns[i + 1].tensor;
  const beams = { view, id: sublayer.id, from, ends, top, after };
  for (let query = 0; query < rows - late; query++)
    if (query !== row) pale({ ...beams, query, weights: rowOf(table, query).data });
  if (row === null || row >= rows - late) return;
  full({ ...beams, query: row, weights: rowOf(table, row).data });
  question(view, tower, i, row);
}

// For each key its beam's width, and where it begins and ends.
function* places({ view, from, top, query, weights }) {
  const { row } = view.at;
  let y = top + query * row;
  for (const [key, weight] of weights.entries()) {
    const width = weight * row;
    yield { key, weight, width, begin: from.top + (key + 0.5) * row, end: y + width / 2 };
    y += width;
  }
}

function curve([x1, x2], y1, y2) {
  const middle = hundredths((x1 + x2) / 2);
  return `M${hundredths(x1)} ${hundredths(y1)}C${middle} ${hundredths(y1)} ${middle} ${hundredths(y2)} ${hundredths(x2)} ${hundredths(y2)}`;
}

function pale(beams) {
  const { view, id, from, ends, after, query } = beams;
  for (const { key, weight, width, begin, end } of places(beams))
    if (weight >= PALE)
      view.sheet.path(`${id} beam ${query} ${key}`, curve(ends, begin, end), {
        stroke: "value",
        thick: hundredths(width),
        opacity: 0.13,
        between: [from.id(key), wordAt(after, query)],
        lit: { opacity: 0.7 },
      });
}

function full(beams) {
  const { view, id, from, ends, after, query, top } = beams;
  const { sheet, at } = view;
  const found = [...places(beams)].filter(({ weight }) => weight >= LEAST).sort((a, b) => b.width - a.width);
  for (const { key, weight, width, begin, end } of found) {
    const d = curve(ends, begin, end);
    sheet.path(`${id} beam ${query} ${key} edge`, d, { stroke: "page", thick: hundredths(width + 1.5) });
    sheet.path(`${id} beam ${query} ${key}`, d, {
      stroke: "value",
      tint: 0.5,
      thick: hundredths(width),
      between: [from.id(key), wordAt(after, query)],
      lit: { tint: 0.85 },
    });
    if (weight < TOLD) continue;
    const [left, y] = [from.x - at.size.station, from.top + key * at.row];
    const how = { part: from.id(key), opacity: 0.3 + 0.7 * weight };
    sheet.outline(`${id} answers ${key}`, left, y, at.size.station, at.row, "key", 1.75, how);
  }
  const sum = found.reduce((all, { width }) => all + width, 0);
  const y = top + query * at.row;
  if (sum > 0.5) sheet.rect(`${id} context`, ends[1], y, 3, sum, { fill: "context", part: wordAt(after, query) });
}

// The word's own strip asks: a line along all that it may ask.
function question(view, tower, i, row) {
  const { sheet, at } = view;
  const { top, columns } = at[tower.name];
  const { x, sublayer, tap } = columns[i];
  const before = columns[i - 1];
  const middle = (from, place) => from + (place + 0.5) * at.row;
  const [own, line] = [middle(top, row), x + 5];
  const part = wordAt(before.tensor, row);
  const high = middle(asked(view, tower, i).top, 0);
  const low = tap || tower.name === "target" ? own : middle(top, at.source.rows - 1);
  sheet.path(`${sublayer.id} asks`, `M${line} ${low}V${high}`, { stroke: "query", thick: 1.75, part });
  sheet.tap(`${sublayer.id} asks tap`, line, own, { fill: "query", part });
  sheet.outline(`${sublayer.id} asker`, before.x, top + row * at.row, before.width, at.row, "query", 1.75, { part });
}

// What a feed-forward network holds: hidden numbers of each word by itself.
function hidden(view, tower, i) {
  const { sheet, at, machine, look } = view;
  const { top, rows, columns } = at[tower.name];
  const { x, width, sublayer } = columns[i];
  const tensor = machine.tensor(`${sublayer.id}/hidden`);
  const shown = rows - (tower.name === "target" && look.p < (i + 1) / columns.length ? 1 : 0);
  if (!tensor || shown < 1) return;
  const left = x + (sublayer.place === "pre" ? SIDE : 4);
  const wide = x + width - (sublayer.place === "bare" ? 4 : SIDE + 2) - left;
  const table = rowsBetween(matrix(tensor), 0, shown);
  const how = { limit: tensor.limit, role: "ink2", thick: 1.25, part: sublayer.id };
  if (wide > 3) sheet.station(`${sublayer.id} hidden`, left, top, wide, shown * at.row, table, how);
}

// The plus at the joint's end, and the norm: before the joint, or behind the plus.
function sums({ sheet, at }, tower, { x, width, sublayer }) {
  const { place, norm, id } = sublayer;
  const { top, tall, high } = at[tower.name];
  const end = x + width - SIDE / 2 + 2;
  const start = place === "post" ? end : x + SIDE / 2;
  if (norm) {
    sheet.upright(norm.id, start, top, tall, { part: norm.id });
    const { label, line, shape } = norm;
    sheet.part({ id: norm.id, name: label, line, shape, box: [start - 5, top, 10, high] });
  }
  if (place !== "bare") sheet.plus(`${id} plus`, end, top + tall);
}

// What belongs to one block.
export function brackets(view, tower) {
  const { sheet, at, look } = view;
  const { columns } = at[tower.name];
  const { bracket, name } = margin(view, tower);
  for (const block of tower.blocks) {
    const own = columns.filter((column) => column.block === block);
    if (!own.some(({ kind }) => kind === "joint")) continue;
    const [from, to] = [own[0].x + 4, own.at(-1).x + own.at(-1).width];
    const isShort = look.measure(block.label, 12) > to - from;
    const text = isShort ? block.label.split(" ").slice(-2).join(" ") : block.label;
    sheet.path(`${block.id} bracket`, `M${from} ${bracket}H${to}`, { stroke: "ink2", thick: 1, opacity: 0.6 });
    sheet.text(`${block.id} name`, (from + to) / 2, name, text, { size: 12, anchor: "middle", colour: "ink2" });
  }
}
