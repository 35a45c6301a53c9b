// What all zooms of a stream share: stations, the lines between them, tokens, and the bars of the next token.

import { number } from "../../../base/js/words.js";
import { close, softmax } from "../arithmetic.js";
import { by } from "../sheet.js";
import { FRAME } from "./frame.js";
import { lastRows, matrix, rowOf, tensorOf, widthOf } from "../tensors.js";

export const MOST_TOKENS = 64;
const MOST_NUMBERS = 16;
const MANY = 12; // tokens; more have no labels
const LOGIT = 8; // width of the logits, where the fan ends
export const BESIDE = 6 + LOGIT; // room that they take before the bars
export const NAMED = BESIDE + 36; // and their name above them

// A tensor [tokens, width] as it is drawn: its last 64 rows.
export const rowsOf = (tensor, ...index) => tensor && lastRows(matrix(tensor, ...index), MOST_TOKENS);

// A tensor of all tokens in words.
export const shapeOf = ({ tokens }, tensor) =>
  tensor && by(`${tokens.length || tensor.shape.at(-2)} tokens`, widthOf(tensor));

export function stationWidth({ machine, size }, block) {
  const numbers = machine.tensor(block.sublayers[0].after)?.shape.at(-1) ?? MOST_NUMBERS;
  return Math.min(size.station, size.px * Math.min(numbers, MOST_NUMBERS));
}

// The strips of all tokens, one row each, on the one height of the stream.
export function station(view, x, width, node, links = {}) {
  const { sheet, machine, tokens } = view;
  const tensor = machine.tensor(tensorOf(node));
  const table = rowsOf(tensor);
  const label = (i) => tokens.at(i - table.rows) ?? `token ${i + 1}`;
  const says = (row, column) => `${label(row)}, ${tensor.of ? "share" : "number"} ${column + 1} of ${table.columns}`;
  const how = { limit: tensor?.limit, part: node.id, says, sums: node.sums };
  view.edge = x + width;
  sheet.station(`${node.id} station`, x, FRAME.top, width, FRAME.tall, table, how);
  followedRow(view, node.id, x, width);
  sheet.part({
    id: node.id,
    name: node.label,
    line: node.line,
    shape: node.shape ?? shapeOf(view, tensor),
    box: [x - 3, FRAME.top - 3, width + 6, FRAME.tall + 6],
    ...links,
  });
}

// The row of the token that was chosen, outlined.
function followedRow(view, id, x, width) {
  const row = rowChosen(view);
  const [high, low] = row === null ? [] : rowEdges(view, row);
  if (row !== null) view.sheet.outline(`${id} followed`, x, high, width, low - high, "query", 1.75);
}

const shownRows = ({ tokens }) => Math.min(tokens.length || 1, MOST_TOKENS);

// The row whose vector is read at the end, counted from the first that is drawn: the last, or the one that `read` names.
export const rowRead = (view) => Math.min(view.machine.spec.read ?? MOST_TOKENS, shownRows(view) - 1);

// The row that a hand has chosen, or null.
export function rowChosen(view) {
  const row = Number(/^row (\d+)$/.exec(view.look.chosen[0] ?? "")?.[1]);
  return row < shownRows(view) ? row : null;
}

// Where a row begins and ends in a station.
function rowEdges(view, row) {
  const pitch = FRAME.tall / shownRows(view);
  return [FRAME.top + row * pitch, FRAME.top + (row + 1) * pitch];
}

// The stream between two stations: a band, and a line for each token.
export function lanes(view, key, from, to) {
  const { sheet } = view;
  const rows = shownRows(view);
  sheet.rect(`${key} band`, from, FRAME.top, to - from, FRAME.tall, { below: true, fill: "ink", opacity: 0.045 });
  const at = (i) => FRAME.top + ((i + 0.5) * FRAME.tall) / rows;
  const others = rows > MANY ? [] : Array.from({ length: rows - 1 }, (_, i) => `M${from} ${at(i)}H${to}`);
  sheet.path(`${key} lanes`, others.join(""), { stroke: "wire", thick: 1, opacity: 0.45 });
  sheet.path(`${key} lane`, `M${from} ${at(rowRead(view))}H${to}`, { stroke: "wire", thick: 1 });
  const chosen = rowChosen(view);
  if (chosen !== null) sheet.path(`${key} followed`, `M${from} ${at(chosen)}H${to}`, { stroke: "query", thick: 1.75 });
}

// The tokens at the left; of many only the one that is read, and the chosen one where it has room.
export function tokenLabels(view, right) {
  const { sheet, look, tokens } = view;
  const shown = tokens.slice(-MOST_TOKENS);
  const pitch = FRAME.tall / shown.length;
  shown.forEach((token, i) => {
    const isRead = i === rowRead(view);
    const isApart = i === rowChosen(view) && Math.abs(i - rowRead(view)) * pitch > 13;
    if (shown.length > MANY && !isRead && !isApart) return;
    const size = Math.min(13, Math.max(11, pitch));
    const text = look.fit(token, right, size, isRead || isApart);
    sheet.text(`token ${i}`, right, FRAME.top + (i + 0.5) * pitch + 0.35 * size, text, {
      size,
      bold: isRead || isApart,
      colour: isApart ? "query" : "ink",
      anchor: "end",
    });
  });
  if (tokens.length > MOST_TOKENS)
    sheet.text("left out", 0, FRAME.top + FRAME.tall + 36, `the last ${MOST_TOKENS} of ${tokens.length} tokens`, {
      size: 12,
      colour: "ink2",
    });
}

// Where the bars of the words stand.
function barPlaces({ machine }) {
  const words = machine.spec.labels?.vocabulary ?? [];
  const pitch = Math.min(25.4, (FRAME.height - 90) / Math.max(1, words.length));
  return { words, pitch, top: 52, bottom: 52 + words.length * pitch };
}

// The vector that is read fans out to the words; `from`: where its station ends, `to`: where the bars begin.
export function fan(view, from, to, [high, low] = rowEdges(view, rowRead(view))) {
  const { sheet, model } = view;
  const { top, bottom } = barPlaces(view);
  const x = to - (logitsOf(view) ? BESIDE : 6);
  const half = (x - from) / 2;
  const [a, b] = [from + Math.min(26, half), x - Math.min(22, half)];
  const shape = `C${a} ${high} ${b} ${top} ${x} ${top}V${bottom}C${b} ${bottom} ${a} ${low} ${from + 1} ${low}Z`;
  sheet.path("fan", `M${from + 1} ${high}${shape}`, { fill: "ink", opacity: 0.07 });
  if (!model.unembed) return;
  const { id, label, line, shape: words } = model.unembed;
  const box = [from + 6, high - 4, Math.max(1, x - from - 8), low - high + 8];
  const into = [logitsOf(view)?.name ?? model.word.id];
  sheet.part({ id, name: label, line, shape: words, box, from: [view.before], into });
}

export const logitsOf = ({ machine, model }) => machine.tensor(`${model.word.id}/logits`);

// The numbers that softmax makes chances of, a cell beside each word; `chances`: those of the same row.
function logits(view, to, row, chances) {
  const { sheet, model } = view;
  const { word, unembed } = model;
  const tensor = logitsOf(view);
  const { words, pitch, top } = barPlaces(view);
  const { columns, data } = rowOf(matrix(tensor), row);
  const [x, tall, best] = [to - BESIDE, columns * pitch, Math.max(0, data.indexOf(Math.max(...data)))];
  const isSoftmax = data.every((logit, i) => close(Math.exp(logit - data[best]) * chances[best], chances[i]));
  sheet.station(
    "logits",
    x,
    top,
    LOGIT,
    tall,
    { rows: columns, columns: 1, data },
    {
      limit: tensor.limit,
      part: tensor.name,
      says: (i) => `${words[i]}, ${number(data[i])}`,
      sums: (i) => (isSoftmax ? softmax(data[i], word.count, chances[i]) : null),
      at: [best, 0],
    },
  );
  sheet.text("logits name", x + LOGIT, top - 12, "logits", { size: 12, colour: "ink2", anchor: "end" });
  sheet.part({
    id: tensor.name,
    name: "logits, before the softmax",
    line: unembed?.line,
    shape: `${word.count} numbers`,
    box: [x - 2, top - 2, LOGIT + 4, tall + 4],
    from: sheet.parts.some(({ id }) => id === unembed?.id) ? [unembed.id] : [],
    into: [word.id],
  });
}

// The chances of the next token, in the order of the vocabulary; a dash where the untouched model stood. Of a `signed`
// word they are numbers from -1 to 1; with `rest` the last one is that of all others together. `row`: of which token
// they are, where there are those of several.
export function bars(view, to, row = 0) {
  const { sheet, machine, model } = view;
  const { word, unembed } = model;
  const [now, was] = ["out", "was"].map((name) => rowOf(matrix(machine.tensor(`${word.id}/${name}`)), row));
  if (!now) return;
  const { words, pitch, top, bottom } = barPlaces(view);
  const widest = Math.max(...words.map((name) => view.look.measure(name, 13, true)));
  const label = Math.min(view.size.word ?? 58, view.size.bars - 66, widest + 2);
  sheet.text("next", to, top - 12, word.label, { bold: true });
  const [begin, long] = [to + label + 6, view.size.bars - label - (word.signed ? 52 : 44)];
  const scale = word.signed ? long / 2 : long;
  const zero = begin + long - scale;
  const rest = word.rest ? now.data.length - 1 : -1; // no candidate for the best
  const best = now.data.indexOf(Math.max(...now.data.filter((_, i) => i !== rest)));
  const shared = { view, pitch, begin, zero, scale, now, was };
  words.forEach((name, i) =>
    bar({ ...shared, i, y: top + i * pitch, name, isBest: i === best, shade: i === rest ? 0.2 : 0.5 }),
  );
  if (was?.data.some((p, i) => Math.abs(p - now.data[i]) > 0.01))
    sheet.text("dashed", view.width, bottom + 14, `dashed: ${word.was ?? "all on"}`, {
      size: 12,
      colour: "ink2",
      anchor: "end",
    });
  if (logitsOf(view)) logits(view, to, row, now.data);
  const before = [logitsOf(view)?.name ?? unembed?.id].filter((id) => sheet.parts.some((part) => part.id === id));
  sheet.part({
    id: word.id,
    name: `${word.label}: ${words[best]} ${number(now.data[best])}`,
    line: word.line,
    shape: word.shape,
    box: [to, top - 4, view.width - to, bottom - top + 6],
    from: before,
    ends: true,
  });
}

function bar({ view, i, y, pitch, begin, zero, scale, name, isBest, shade, now, was }) {
  const { sheet, look } = view;
  const size = Math.min(13, pitch - 1);
  const [p, before] = [now.data[i], was?.data[i] ?? now.data[i]];
  const differs = Math.abs(p - before) > 0.01;
  const middle = y + pitch / 2;
  const shown = look.fit(name, begin - 8 - (view.width - view.size.bars), size, isBest);
  sheet.text(`word ${i}`, begin - 8, middle + 0.35 * size, shown, {
    size,
    bold: isBest,
    colour: isBest ? "ink" : "ink2",
    anchor: "end",
  });
  const high = Math.min(15, pitch - 3);
  const table = { rows: 1, columns: 1, data: [isBest ? 0.82 : shade] };
  const left = zero + Math.min(0, p * scale);
  sheet.cells(`bar ${i}`, left, middle - high / 2, Math.max(1, Math.abs(p) * scale), high, table, { scale: "weights" });
  if (differs) {
    const at = zero + before * scale;
    sheet.path(`was ${i}`, `M${at} ${middle - high / 2 - 2}V${middle + high / 2 + 2}`, {
      stroke: "ink",
      thick: 1.5,
      dash: "3 2",
    });
  }
  if (Math.abs(p) <= 0.02 && !differs) return;
  const end = Math.max(p, 0);
  const near = differs && (before - end) * scale < 36;
  sheet.text(
    `chance ${i}`,
    zero + Math.max(end, near ? before : 0) * scale + 7,
    middle + 0.35 * Math.min(12, size),
    number(p),
    {
      size: Math.min(12, size),
      bold: isBest,
      colour: isBest ? "ink" : "ink2",
    },
  );
}
