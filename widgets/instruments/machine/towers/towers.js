// Towers: an encoder above and a decoder below, both from left to right. A word is a row that runs through its tower, from
// station to station; words meet in three kinds of joints only. What the encoder has made of the source runs on as a rail
// over the decoder, which reads it in every block.
//
// Nodes as for a stream, the encoder's before the decoder's. Tensors: the stations [words, dim]; of each attention
// `weights` [queries, keys], of one head (`head` in the spec) or of all; of each feed-forward network `hidden`; chances
// `word/out` [target words, words shown], and `was`. Labels: `source`, `target` (what the decoder reads), vocabulary.
// The frame counts the target words that are read. `lit`: the attentions whose beams are seen: source, target, cross.
// Chosen is a word that asks: ["source 2", "query"] in all blocks, else with the id of a block. Off: an attention's or a
// head's id, or one of the three kinds.

import { number } from "../../../base/js/words.js";
import { BESIDE, bars, fan } from "../stream/signs.js";
import { vectorInWords } from "../arithmetic.js";
import { Sheet } from "../sheet.js";
import { asked, asker, flows, lastRead, told, wordAt } from "./flow.js";
import { brackets, joint, KINDS } from "./joint.js";
import { HEIGHT, kindOf, places, readTowers } from "./places.js";
import { panel } from "./panel.js";
import { matrix, once, rowOf, rowsBetween, widthOf } from "../tensors.js";

// What the rail is called: the first that has room.
const TOP = ["the top of the encoder: keys and values for every block", "the top of the encoder: keys and values"];

export function lay(machine, look) {
  const model = readTowers(machine);
  const sheet = new Sheet();
  const at = places(model, look);
  const view = { machine, look, model, sheet, at, size: at.size, width: at.width, lit: machine.spec.lit ?? [] };
  for (const tower of [model.source, model.target]) drawTower(view, tower);
  rail(view);
  for (const tower of [model.source, model.target]) at[tower.name].columns.forEach((_, i) => gap(view, tower, i));
  panel(view);
  if (at.target.rows) chances(view);
  return {
    width: at.width,
    height: HEIGHT,
    parts: sheet.parts,
    marks: sheet.marks,
    hint: "click a word: whom does it ask?",
  };
}

function drawTower(view, tower) {
  const { sheet, at } = view;
  const { top, tall, rows, labels, columns } = at[tower.name];
  const isSource = tower.name === "source";
  const name = isSource ? "encoder" : "decoder";
  const runs = isSource ? "runs once" : rows ? `run ${rows} of ${tower.words.length}` : "runs word by word";
  sheet.text(`${name} name`, labels, top - 23, name, { bold: true, anchor: "end" });
  sheet.text(`${name} runs`, labels, top - 8, runs, { size: 12, colour: "ink2", anchor: "end" });
  const [from, to] = [columns[0].x, columns.at(-1).x + columns.at(-1).width];
  sheet.rect(`${name} room`, from, top, to - from, tall, { below: true, fill: "ink", opacity: 0.015 });
  band(view, name, from, to, top, rows);
  words(view, tower);
  columns.forEach((column, i) => column.kind === "station" && station(view, tower, i));
  brackets(view, tower);
}

// The stream between stations: a band, and a line for each word.
function band({ sheet, at }, key, from, to, top, rows, how = { fill: "ink", stroke: "wire" }) {
  const lines = Array.from({ length: rows }, (_, i) => `M${from} ${top + (i + 0.5) * at.row}H${to}`);
  sheet.rect(`${key} band`, from, top, to - from, rows * at.row, { below: true, fill: how.fill, opacity: 0.045 });
  sheet.path(`${key} lanes`, lines.join(""), { below: true, stroke: how.stroke, thick: 1, opacity: 0.45 });
}

// The words at the left.
function words(view, tower) {
  const { sheet, at, look, size } = view;
  const { top, rows, labels, columns } = at[tower.name];
  const isSource = tower.name === "source";
  const joints = columns.filter((column) => column.kind === "joint" && kindOf(tower, column.sublayer));
  const asking = new Set(joints.map((column) => asker(view, tower, column)));
  for (let i = 0; i < rows; i++) {
    const letters = Math.max(11, Math.min(13, at.row));
    const how = { size: letters, bold: asking.has(i), colour: isSource ? "key" : "query", anchor: "end" };
    const text = look.fit(tower.words[i], size.labels, letters, how.bold);
    const y = top + (i + 0.5) * at.row + 0.35 * letters;
    sheet.text(`${tower.name} word ${i}`, labels, y, text, { ...how, part: wordAt(columns[0].tensor, i) });
  }
}

// The strips of all words at one place; the newest word of the target runs along its row.
function station(view, tower, i) {
  const { at, look } = view;
  const { top, rows, columns, labels } = at[tower.name];
  const { tensor, x, width, block } = columns[i];
  const late = tower.name === "target" && look.p < i / columns.length ? 1 : 0;
  const before = columns[i - 1]?.sublayer;
  const kind = before && kindOf(tower, before);
  const after = kind ? KINDS[kind].name : before?.label;
  const where = before ? `after ${after}, ${block.label}` : i ? "after its blocks" : "as it is read";
  strips(view, tensor, x, top, rows - late, tower.words, (row) => wordAt(tensor, row));
  for (let row = 0; row < rows; row++) {
    const asks = `${block?.id ?? tower.name} ${row}`;
    const from = i ? x : labels - look.measure(tower.words[row]) - 4;
    view.sheet.part({
      id: wordAt(tensor, row),
      name: `“${tower.words[row]}” ${where}${told(view, tower, i, row)}`,
      line: (before ?? columns[i - 1]?.node ?? tower.stream)?.line,
      shape: () => numbersOf(view, tensor, row),
      role: "radio",
      choose: [asks, "query"],
      checked: look.chosen[0] === asks,
      box: [Math.max(0, from), top + row * at.row, x + width - Math.max(0, from), at.row],
      ...flows(view, tower, i, row),
    });
  }
}

function numbers({ machine }, name) {
  const tensor = machine.tensor(name);
  return tensor ? `${widthOf(tensor)} numbers` : "";
}

// Those of one word.
function numbersOf({ machine }, name, row) {
  const tensor = machine.tensor(name);
  return tensor
    ? vectorInWords(once(tensor, `row ${row}`, () => ({ ...rowOf(matrix(tensor), row), of: tensor.of })))
    : "";
}

function strips({ machine, sheet, at }, name, x, top, rows, words, id, key = name) {
  const tensor = machine.tensor(name);
  if (!tensor || rows < 1) return;
  const says = (row, column) =>
    `${words[row]}, ${tensor.of ? "share" : "number"} ${column + 1} of ${tensor.shape.at(-1)}`;
  const part = Array.from({ length: rows }, (_, row) => id(row));
  const table = rowsBetween(matrix(tensor), 0, rows);
  sheet.station(`${key} station`, x, top, at.size.station, rows * at.row, table, { limit: tensor.limit, part, says });
}

// What lies between two stations, over them: joints, blocks that are folded, a last norm.
function gap(view, tower, i) {
  const { sheet, at } = view;
  const { top, tall, high, columns } = at[tower.name];
  const { kind, x, width, node, blocks } = columns[i];
  const box = [x, top, width, high];
  if (kind === "joint") joint(view, tower, i);
  if (kind === "norm") {
    sheet.upright(node.id, x + width / 2, top, tall);
    sheet.part({ id: node.id, name: node.label, line: node.line, shape: node.shape, box });
  }
  if (kind !== "fold") return;
  const id = `${blocks[0].id} fold`;
  const [first, last] = [blocks[0], blocks.at(-1)].map(({ label }) => label.split(" ").at(-1));
  const isOne = blocks.length === 1;
  sheet.zone(id, x + 2, top, width - 4, tall, { strength: 0.09 });
  const text = { size: 11, anchor: "middle" };
  sheet.text(id, x + width / 2, top + tall / 2 + 4, isOne ? first : `${first}–${last}`, text);
  const name = isOne ? blocks[0].label : `${blocks[0].label} to ${last}`;
  const shape = isOne ? "folded" : `${blocks.length} blocks, folded`;
  sheet.part({ id, name, shape, line: "x = block(x)", zoom: blocks[0].id, box });
}

// The encoder's last vectors run on over the decoder, which taps them in each block.
function rail(view) {
  const { sheet, at, model, look } = view;
  const { top, rows, columns } = at.source;
  const from = columns.at(-1).x + at.size.station;
  at.target.columns.forEach(({ tap, sublayer }, i) => {
    if (!tap?.own) return;
    const { id, words } = asked(view, model.target, i);
    strips(view, sublayer.memory, tap.x, top, rows, words, id, `${sublayer.id} tap`);
    words.forEach((word, row) =>
      sheet.part({
        id: id(row),
        name: `“${word}”, from the top of the encoder`,
        shape: numbers(view, sublayer.memory),
        line: "memory = encoder(source)",
        box: [tap.x, top + row * at.row, at.size.station, at.row],
        from: [wordAt(columns.at(-1).tensor, row)],
        ends: true,
      }),
    );
  });
  const last = at.target.columns.findLast(({ tap }) => tap);
  const to = last.tap.x + at.size.station;
  if (to > from) band(view, "rail", from, to, top, rows, { fill: "key", stroke: "key" });
  const room = at.end - BESIDE - from - 8;
  const said = (to - from > 190 ? TOP : []).find((text) => look.measure(text, 12) <= room);
  sheet.text("rail name", from + 10, top - 10, said ?? look.fit("keys and values", room, 12), {
    size: 12,
    colour: "key",
  });
  if (at.target.rows) answers(view, last.x + last.width + 5);
}

// The source's words again where the rail ends, with what the word that asks reads of each.
function answers(view, x) {
  const { sheet, at, model, look } = view;
  const last = at.target.columns.findLast(({ tap }) => tap);
  if (asker(view, model.target, last) === null) return;
  const weights = lastRead(view);
  const room = at.end - BESIDE - x - 4;
  const size = Math.max(11, Math.min(12, at.row));
  model.source.words.forEach((word, i) => {
    if (!(weights[i] >= 0.05)) return;
    const share = ` ${number(weights[i])}`;
    const text = look.fit(word, room - look.measure(share, size, true), size, true) + share;
    const y = at.source.top + (i + 0.5) * at.row + 0.35 * size;
    sheet.text(`answer ${i}`, x, y, text, { size, bold: weights[i] > 0.4, colour: "key" });
  });
}

function chances(view) {
  const { at, model, look } = view;
  const { top, rows, columns } = at.target;
  if (look.p < 1 || !model.word) return;
  const last = columns.at(-1);
  const low = top + rows * at.row;
  view.before = wordAt(last.tensor, rows - 1);
  fan(view, last.x + last.width, at.end, [low - at.row, low]);
  bars(view, at.end, rows - 1);
}
