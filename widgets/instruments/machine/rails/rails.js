// Layout "rails": an encoder below and a decoder above, on the same columns; between them what the decoder is given of
// the source, over the column that it writes.
//
// The spec's film says for each frame what has happened: `read`, how many source tokens; `step`, which word is being
// written, -1 before the first; `phase`: start, read, hand over; then ask, weigh, add, or pass on; then write.
// Tensors, S source tokens and T written ones: `encoder.recurrent/in` [S, n], the words' vectors; `encoder/out` [S, dim],
// the states; `encoder/hidden` [1, hidden], what the decoder starts from; `decoder.cell/out` [T + 1, hidden], its states,
// the first before any word; `decoder.output/out` [T, words], probabilities, `was` the untouched model's. Where the decoder
// looks back `decoder.attention/scores` and `weights` [T, S], `adds` [T, S, dim], what each state adds to the `context`
// [T, dim], and `hidden` [T, S, n], what adds up to a score; where it does not, its context is `encoder/hidden`.
// Labels: source, target, vocabulary (the words that have a probability).

import { number } from "../../../base/js/words.js";
import { productsGiving, softmaxGiving, vectorInWords } from "../arithmetic.js";
import { bridge, curve } from "./bridge.js";
import { margin } from "./margin.js";
import {
  HEIGHT,
  LEFT,
  STRIP,
  Y,
  keyColumn,
  keysShown,
  pens,
  places,
  present,
  quoted,
  row,
  says,
  sum,
  wordColumn,
  wordsShown,
} from "./places.js";
import { Sheet, arrowHead, hundredths } from "../sheet.js";

const GONE = 0.4; // how strong what is over stays

export function lay(machine, look) {
  if (!machine.spec.film?.length || !machine.tensor("encoder/out"))
    throw new Error("Expected a film and the states of an encoder, encoder/out.");
  const sheet = new Sheet();
  const now = present(machine, look);
  const at = places(machine, look, now);
  const keys = keysShown({ at, now });
  const last = `key ${now.source.length - 1}`;
  const links = {
    begins: [last],
    asked: keys.map((i) => `score ${i}`),
    gives: now.looksBack ? keys.flatMap((i) => [`weight ${i}`, `key ${i}`]) : [last],
  };
  const passed = row(now.keys, now.source.length - 1); // what goes over where it does not look back
  const all = { machine, look, sheet, now, at, links, passed, ...pens(sheet, at, look) };
  bridge(all);
  encoder(all);
  decoder(all);
  if (now.step >= 0 && now.looksBack) question(all);
  if (now.step >= 0) context(all);
  margin(all);
  notes(all);
  const track = { x: 0, width: at.x(at.columns - 1) + at.strip + 8 };
  const hint = now.weights && now.shows("weigh") ? "drag a weight up or down" : "";
  return { width: at.width, height: HEIGHT, parts: linked(sheet.parts), marks: sheet.marks, track, hint };
}

// The parts, without links to what is not seen yet or has no room.
export function linked(parts) {
  const seen = new Set(parts.map(({ id }) => id));
  const known = (ids = []) => ids.filter((id) => seen.has(id));
  return parts.map((part) => ({ ...part, from: known(part.from), into: known(part.into) }));
}

// ---- below: the encoder

function encoder(all) {
  const { sheet, now, at, strip, empty, word } = all;
  sheet.text("encoder", LEFT, Y.source, "encoder", { size: 12, colour: "ink2" });
  for (const i of keysShown(all)) {
    const [x, id] = [at.x(keyColumn(all, i)), `key ${i}`];
    const isRead = i < now.read;
    const isLast = i === now.source.length - 1;
    const dim = !now.looksBack && now.step >= 0 && !isLast ? 0.26 : 1;
    const appears = i === now.read - 1 ? now.during("read") : 1;
    const isBold = now.weights && now.shows("weigh") && now.weights.data[i] > 0.4;
    const opacity = isRead ? 1 : 0.38;
    word(`${id} word`, x + at.strip / 2, Y.source, now.source[i], "key", { bold: isBold, opacity, part: id });
    if (now.inputs) input(all, i, x, isRead ? dim : opacity);
    if (!isRead) {
      empty(`${id} empty`, x, Y.key, 1);
      continue;
    }
    strip(id, x, Y.key, row(now.keys, i), "key", {
      opacity: dim * appears,
      part: id,
      says: says(now.source[i], now.keys),
    });
    if (keyColumn(all, i) > 0)
      sheet.wire(
        `${id} before`,
        [
          [x - at.pitch + at.strip + 5, Y.key + 10],
          [x - 6, Y.key + 10],
        ],
        {
          opacity: dim,
          between: [`key ${i - 1}`, id],
        },
      );
    keyPart(all, i, x);
    if (now.inputs) inputPart(all, i, x);
  }
}

// The vector that a word is for the encoder, and its way into the state.
function input({ sheet, now, at, strip }, i, x, opacity) {
  const id = `input ${i}`;
  const middle = x + at.strip / 2;
  const how = { opacity, part: id, says: says(`vector of ${quoted(now.source[i])}`, now.inputs) };
  strip(id, x, Y.input, row(now.inputs, i), "hidden", how);
  if (i >= now.read) return;
  const way = [
    [middle, Y.input - 4],
    [middle, Y.key + STRIP + 5],
  ];
  sheet.wire(`${id} on`, way, { opacity, between: [id, `key ${i}`] });
}

function inputPart({ machine, sheet, now, at }, i, x) {
  sheet.part({
    id: `input ${i}`,
    name: `vector of ${quoted(now.source[i])}`,
    shape: () => vectorInWords(row(now.inputs, i)),
    line: machine.node("encoder.embedding")?.line,
    box: [x - 4, Y.input - 4, at.strip + 8, Y.source - Y.input + 12],
    into: [`key ${i}`],
  });
}

function keyPart({ machine, sheet, now, at, look }, i, x) {
  const id = `key ${i}`;
  const asked = now.looksBack && now.step >= 0;
  const into = asked ? [`score ${i}`, ...(now.shows("add") ? ["context"] : [])] : [];
  const isLast = i === now.source.length - 1;
  sheet.part({
    id,
    name: `state of ${quoted(now.source[i])}`,
    shape: () => vectorInWords(row(now.keys, i)),
    line: machine.node("encoder.recurrent")?.line,
    box: [x - 4, Y.key - 4, at.strip + 8, now.inputs ? STRIP + 8 : Y.source - Y.key + 12],
    from: [`input ${i}`, ...(i ? [`key ${i - 1}`] : [])],
    into: [...(i + 1 < now.read ? [`key ${i + 1}`] : []), ...into, ...(!now.looksBack && isLast ? ["context"] : [])],
    ends: true,
    ...(asked && { role: "radio", choose: [id, "key"], checked: look.chosen[0] === id }),
  });
}

// ---- above: the decoder

export function decoder(all) {
  const { sheet, now, at } = all;
  sheet.text("decoder", LEFT, Y.word, "decoder", { size: 12, colour: "ink2" });
  const done = now.step < 0 ? (now.is("hand over") ? 0 : -1) : now.step + Number(now.is("write"));
  if (at.firstWord === 0) state(all, 0, done);
  for (const t of wordsShown(all)) state(all, t + 1, done);
}

// The decoder's state number j: 0 is there before any word, state t + 1 names word t.
function state(all, j, done) {
  const { machine, sheet, now, at, strip, empty, word } = all;
  const [x, id] = [at.x(wordColumn(all, j - 1)), `state ${j}`];
  const isNew = j === done && (now.is("write") || now.is("hand over"));
  const asks = j === now.step && !now.is("write");
  if (j > done) {
    empty(`${id} empty`, x, Y.state, j === now.step + 1 ? 1 : 0.6);
    return;
  }
  const appears = isNew ? now.p : 1;
  const strength = isNew || asks ? 1 : GONE;
  strip(id, x, Y.state, row(now.states, j), "query", {
    opacity: strength * appears,
    part: id,
    says: says(id, now.states),
  });
  if (wordColumn(all, j - 1) >= 0)
    sheet.wire(
      `${id} before`,
      [
        [x - at.pitch + at.strip + 5, Y.state + 10],
        [x - 6, Y.state + 10],
      ],
      {
        opacity: isNew ? appears : GONE,
        between: [`state ${j - 1}`, id],
      },
    );
  if (j) written(all, j, x, isNew ? appears : 1, isNew, word);
  sheet.part({
    id,
    name: j ? `state that names ${quoted(now.target[j - 1])}` : "the decoder's first state",
    shape: () => vectorInWords(row(now.states, j)),
    line: machine.node(j ? "decoder.cell" : "encoder/hidden")?.line,
    box: [x - 4, Y.state - 4, at.strip + 8, STRIP + 8],
    from: j ? [`state ${j - 1}`, ...(j === now.step + 1 ? ["context"] : [])] : all.links.begins,
    into: [...(j ? [`word ${j - 1}`] : []), ...(j < done ? [`state ${j + 1}`] : []), ...askedBy(all, j)],
    ends: true,
  });
}

const askedBy = ({ now, links }, j) => (now.looksBack && now.step === j ? links.asked : []);

// The word that a state names, and its way into the next state.
function written(all, j, x, opacity, isNew, word) {
  const { machine, sheet, now, at } = all;
  const id = `word ${j - 1}`;
  const middle = x + at.strip / 2;
  word(id, middle, Y.word, now.target[j - 1], "query", { bold: isNew, opacity, part: id });
  sheet.part({
    id,
    name: `written: ${quoted(now.target[j - 1])}`,
    line: machine.node("decoder.output")?.line,
    box: [middle - Math.min(at.pitch, 110) / 2 + 2, Y.word - 16, Math.min(at.pitch, 110) - 4, 24],
    from: [`state ${j}`, ...(isNew ? ["context"] : [])],
    into: [],
  });
  if (!isNew) return;
  sheet.path(`${id} context`, around(x, middle, at.strip), {
    stroke: "context",
    thick: 1.5,
    opacity,
    between: ["context", id],
  });
  sheet.wire(
    `${id} named`,
    [
      [middle, Y.state - 5],
      [middle, Y.word + 6],
    ],
    { stroke: "query", opacity, part: id },
  );
  if (j < 2 || wordColumn(all, j - 2) < 0) return;
  const { d, from, end } = sideways(middle - at.pitch, x, at.strip);
  sheet.path(`${id} before`, d + arrowHead(from, end), {
    stroke: "wire",
    thick: 1.5,
    opacity,
    between: [`word ${j - 2}`, `state ${j}`],
  });
}

// From the context past the state to the word: it names the word too.
function around(x, middle, strip) {
  const [side, end] = [x + strip + 9, [middle + 16, Y.word + 7]];
  const [low, before] = [Y.state + STRIP + 20, [middle + 24, Y.word + 18]];
  const up = `M${x + strip - 7} ${Y.context - 5}V${low + 8}Q${x + strip - 7} ${low} ${side - 5} ${low}`;
  const bend = `Q${side} ${low} ${side} ${low - 8}V${Y.state + 4}`;
  return `${up}${bend}C${side} ${Y.word + 28},${before.join(" ")},${end.join(" ")}${arrowHead(before, end)}`;
}

// From below a word, right of its own arrow, into the next strip.
function sideways(word, x, strip) {
  const [from, end] = [
    [x + 2, Y.word + 10],
    [x + 12, Y.state - 6],
  ];
  const start = [word + strip * 0.3, Y.word + 8];
  const d = `M${start.map(hundredths).join(" ")}C${hundredths(word + strip * 0.8)} ${Y.word + 12},${from.map(hundredths).join(" ")},${end.map(hundredths).join(" ")}`;
  return { d, from, end };
}

// The state asks all keys; each answers with a score, softmax makes them weights.
function question(all) {
  const { sheet, now, at } = all;
  const from = at.middle(wordColumn(all, now.step - 1));
  const strength = now.is("ask") ? 1 : now.is("weigh") ? 0.3 : 0;
  const isAnswered = !now.is("ask") || now.p > 0.6;
  for (const i of keysShown(all)) {
    const x = at.middle(keyColumn(all, i));
    if (strength && at.x(wordColumn(all, now.step - 1)) >= 0) {
      const bottom = now.is("weigh") ? Y.weight - 3 : Y.score - 8;
      const { d, from: before, end } = curve(from, Y.state + STRIP + 5, x, bottom, now.during("ask"));
      const head = now.during("ask") === 1 ? arrowHead(before, end) : "";
      sheet.path(`asks ${i}`, d + head, { stroke: "query", thick: 1.75, opacity: strength, part: `score ${i}` });
    }
    if (isAnswered) score(all, i, x);
    if (now.shows("weigh")) weight(all, i, x);
  }
  const edge = at.x(0) - 14;
  const label = { size: 12, colour: "ink2", anchor: "end" };
  if (isAnswered) sheet.text("scores", edge, Y.score + 12, "scores", label);
  if (now.shows("weigh")) sheet.text("weights", edge, Y.weight + 14, "weights", label);
}

function score({ machine, sheet, now, at }, i, x) {
  const id = `score ${i}`;
  const size = at.pitch >= 50 ? 13 : 11;
  const how = { size, anchor: "middle", bold: now.is("ask"), colour: now.is("ask") ? "ink" : "ink2", part: id };
  sheet.text(id, x, Y.score + 12, number(now.scores.data[i]), how);
  sheet.part({
    id,
    name: `score of ${quoted(now.source[i])}: ${number(now.scores.data[i])}`,
    line: machine.node("decoder.attention/scores")?.line,
    box: [x - 21, Y.score - 4, 42, 22],
    from: [`state ${now.step}`, `key ${i}`],
    into: now.shows("weigh") ? [`weight ${i}`] : [],
  });
}

function weight({ machine, sheet, now }, i, x) {
  const id = `weight ${i}`;
  const w = now.weights.data[i];
  const opacity = now.during("weigh");
  const shown = { rows: 1, columns: 1, data: now.weights.data.subarray(i, i + 1) };
  const numbers = { size: 13, decimals: 2 };
  const words = {
    says: () => quoted(now.source[i]),
    sums: () => softmaxGiving([...now.scores.data], now.scores.data[i], w),
  };
  sheet.station(id, x - 21, Y.weight, 42, 20, shown, { scale: "weights", numbers, opacity, part: id, ...words });
  sheet.path(`${id} can be changed`, `M${x - 13} ${Y.weight + 24}h26`, {
    stroke: "brand",
    thick: 1.5,
    dash: "1.5 2.5",
    opacity: 0,
    part: id,
    lit: { opacity: 1 },
  });
  sheet.part({
    id,
    name: `weight of ${quoted(now.source[i])}: ${number(w)}`,
    shape: "arrow up or down, or drag",
    line: machine.node("decoder.attention")?.line,
    role: "spinbutton",
    edit: ["decoder.attention/weights", now.step, i],
    box: [x - 23, Y.weight - 4, 46, 28],
    from: [`score ${i}`],
    into: now.shows("add") ? ["context"] : [],
  });
}

// A number of the context as the sum of the states' numbers, each times its weight.
const contextSums = ({ weights, keys, context }) =>
  weights && !keys.of
    ? (_, column) =>
        productsGiving(
          weights.columns,
          (i) => weights.data[i],
          (i) => keys.data[i * context.columns + column],
          context.data[column],
        )
    : undefined;

// The context, and its ways into the next state and to the word.
export function context(all) {
  const { machine, sheet, now, at, strip } = all;
  if (now.looksBack && !now.shows("add")) return;
  const enters = now.is("add") || now.is("pass on") ? Math.max(0, (now.p - 0.7) / 0.3) : 1;
  const x = at.x(wordColumn(all, now.step));
  strip("context", x, Y.context, now.context, "context", {
    opacity: enters,
    part: "context",
    says: says("context", now.context),
    sums: contextSums(now),
  });
  const isAtTheEnd = x + at.strip + 10 + 60 > at.margin - at.gap - at.labels;
  const name = all.look.measure("context", 13, true) + 10; // beside it
  sheet.text("context word", isAtTheEnd ? x - 10 : x + at.strip + 10, Y.context + 14, "context", {
    colour: "context",
    bold: true,
    anchor: isAtTheEnd ? "end" : undefined,
    opacity: enters,
    part: "context",
  });
  if (now.is("write"))
    sheet.wire(
      "context on",
      [
        [x + at.strip / 2, Y.context - 5],
        [x + at.strip / 2, Y.state + STRIP + 7],
      ],
      {
        stroke: "context",
        thick: 2,
        opacity: now.p,
        between: ["context", `state ${now.step + 1}`],
      },
    );
  sheet.part({
    id: "context",
    name: "context",
    shape: () => vectorInWords(now.context),
    line: machine.node(now.looksBack ? "decoder.attention" : "encoder/hidden")?.line,
    box: [x - 4 - (isAtTheEnd ? name : 0), Y.context - 4, at.strip + 8 + name, STRIP + 8],
    from: all.links.gives,
    into: now.is("write") ? [`state ${now.step + 1}`, `word ${now.step}`] : [],
  });
}

// What does not fit is said.
export function notes({ sheet, now, at }) {
  const how = { size: 12, colour: "ink2" };
  if (at.firstKey) {
    const rest = number(sum(now.weights?.data.subarray(0, at.firstKey) ?? []));
    const weighs = now.weights && now.shows("weigh") ? `; the weights of the others sum to ${rest}` : "";
    sheet.text("note", LEFT, Y.note, `the last ${at.columns} of ${now.source.length} words${weighs}`, how);
  }
  const { of, shape: sizes } = now.keys;
  const wide = `${of} numbers in ${sizes.at(-1)} cells, each the root of the mean square of its share`;
  if (of) sheet.text("wide", LEFT, Y.second, wide, how);
}
