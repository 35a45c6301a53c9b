// A head from near: the matrix product that it is, all numbers there are.

import { headColour, lastSquare } from "./block.js";
import { FRAME } from "./frame.js";
import { MOST_TOKENS, rowChosen, rowRead, rowsOf, shapeOf } from "./signs.js";
import { tableWords } from "./words.js";
import { matrix, once, transposed, widthOf } from "../tensors.js";
import { by } from "../sheet.js";
import { number } from "../../../base/js/words.js";

const [TOP, TALL, KEYS] = [206, 156, 88]; // of queries, scores, weights, context; and the height of the keys
const VALUES = TOP - 22 - TALL; // the top of the values
const MANY = 12; // tokens; more have no labels
const MASKED = "q · k / √d; hatched: masked";
const TURNED = 46; // length of a token above its column, where it has no room across it
const OFF = 0.62; // how strong the numbers of a head that is off stay: they are read, too

export function zoomedHead(view, one, head, right) {
  const { sheet, look, machine, tokens } = view;
  const index = one.heads.indexOf(head);
  const off = look.off.has(head.id);
  const g = geometry(view, right);
  const t = tables(view, one, index);
  const rows = t.weights?.rows ?? Math.min(tokens.length, MOST_TOKENS);
  const query = rowChosen(view) ?? rowRead(view);
  const key = t.weights ? best(t.weights, query) : 0;
  const put = (name, x, y, width, height, table, how) => {
    const id = `${one.id}/${name}:${index}`;
    const tensor = machine.tensor(`${one.id}/${name}`);
    const words = tableWords(view, one, name, index);
    sheet.station(id, x, y, width, height, table, { part: id, opacity: off ? OFF : 1, ...words, ...how });
    const { from, into, line, free } = LINKS[name];
    const of = (names) => names.map((other) => `${one.id}/${other}:${index}`);
    const shape = tensor && (/scores|weights/.test(name) ? by(...tensor.shape.slice(-2)) : shapeOf(view, tensor));
    sheet.part({
      id,
      name: `${head.label}, ${how.title}`,
      line: isMasked ? line : (free ?? line),
      shape,
      box: [x - 3, y - 3, width + 6, height + 6],
      from: of(from),
      into: of(into),
    });
  };
  const c = g.scores / rows;
  const colour = off ? "ink2" : headColour(view, head, index, one.heads.length);
  const numbers = c >= 26 && TALL / rows >= 16 ? { size: c < 32 ? 10.5 : 12 } : null;
  const isMasked = Boolean(t.mask?.data.some((may) => !may));
  put("q", g.q, TOP, g.role, TALL, t.q, { ...roleLook(t.q, g.role, TALL, "query"), title: "queries" });
  const { says } = tableWords(view, one, "k", index);
  put("k", g.s, TOP - 18 - KEYS, g.scores, KEYS, t.k, {
    ...roleLook(t.k, g.scores, KEYS, "key"),
    says: (row, column) => says(column, row), // each key is a column
    title: "keys",
  });
  put("scores", g.s, TOP, g.scores, TALL, t.scores, {
    mask: t.mask,
    limit: t.limit,
    numbers: numbers && { ...numbers, decimals: 1 },
    at: [query, key],
    title: "scores",
  });
  put("weights", g.w, TOP, g.scores, TALL, t.weights, {
    scale: "weights",
    limit: 1,
    mask: t.mask,
    numbers: numbers && { ...numbers, decimals: 2, short: true },
    at: [query, key],
    title: "weights",
  });
  put("v", g.c, VALUES, g.role, TALL, t.v, { ...roleLook(t.v, g.role, TALL, "value"), title: "values" });
  put("context", g.c, TOP, g.role, TALL, t.context, {
    ...roleLook(t.context, g.role, TALL, "context"),
    at: [query, 0],
    title: "context",
  });
  put("adds", g.c, TOP + TALL + 74, g.role, 44, t.adds, {
    limit: t.addsLimit,
    role: colour,
    title: "what it adds",
  });
  captions(view, one, g, { rows, isMasked, colour });
  labels(view, g, rows, query, key);
  outlines(sheet, g, rows, query, key);
  title(sheet, g, head, off, colour);
  rowParts(view, g, rows, t, query);
}

function title(sheet, g, head, off, colour) {
  sheet.knob(head.id, g.q, 34, off, head.label);
  sheet.text("head", g.q + 30, 44, head.label, { bold: true, colour });
}

const LINKS = {
  q: { from: [], into: ["scores"], line: "q = query(y)[head]" },
  k: { from: [], into: ["scores"], line: "k = key(y)[head]" },
  v: { from: [], into: ["context"], line: "v = value(y)[head]" },
  scores: { from: ["q", "k"], into: ["weights"], line: "scores = q @ k.mT / head_dim ** 0.5" },
  weights: {
    from: ["scores"],
    into: ["context"],
    line: "weights = softmax(scores.masked_fill(~mask, -inf))",
    free: "weights = softmax(scores)", // where all may attend
  },
  context: { from: ["weights", "v"], into: ["adds"], line: "context = weights @ v" },
  adds: { from: ["context"], into: [], line: "y = y + context @ output[head]" },
};

// Where the tables stand from left to right.
function geometry({ size }, right) {
  const left = size.labels + 8;
  const gaps = size.px > 3 ? [16, 54, 84] : [10, 34, 76];
  const role = size.px > 3 ? 108 : 64;
  const scores = Math.min(260, (right - left - 2 * role - gaps.reduce((a, b) => a + b)) / 2);
  const s = left + role + gaps[0];
  const w = s + scores + gaps[1];
  return { role, scores, q: left, s, w, c: w + scores + gaps[2] };
}

function tables({ machine }, one, index) {
  const of = (name) => machine.tensor(`${one.id}/${name}`);
  return {
    q: rowsOf(of("q"), index),
    k: of("k") && transposed(rowsOf(of("k"), index)),
    v: rowsOf(of("v"), index),
    scores: lastSquare(matrix(of("scores"), index)),
    weights: lastSquare(matrix(of("weights"), index)),
    context: rowsOf(of("context"), index),
    adds: rowsOf(of("adds"), index),
    mask: lastSquare(matrix(of("mask"))),
    limit: of("scores")?.limit,
    addsLimit: of("adds")?.limit,
  };
}

// Numbers with their bars where they can be read, else cells.
function roleLook(table, width, height, role) {
  if (!table) return {};
  const [c, h] = [width / table.columns, height / table.rows];
  const readable = c >= 26 && h > 18;
  return readable ? { scale: role, role, numbers: { size: 11, decimals: 1 }, limit: 5 } : { role, limit: 3 };
}

function best({ columns, data }, row) {
  const weights = data.subarray(row * columns, (row + 1) * columns);
  return weights.indexOf(Math.max(...weights));
}

function captions(view, one, g, { rows, isMasked, colour }) {
  const { sheet, machine, tokens } = view;
  const y = TOP + TALL;
  const dim = widthOf(machine.tensor(`${one.id}/q`));
  const small = { size: 12, colour: "ink2" };
  const two = (key, x, top, name, words, colour = "ink") => {
    sheet.text(`${key} name`, x, top, name, { bold: true, colour });
    sheet.text(`${key} words`, x, top + 16, words, small);
  };
  const wide = view.size.px > 3;
  const fits = (words) => view.look.measure(words, 12) < g.w - g.s - 4;
  two("queries", g.q, y + 20, "queries", by(rows, dim), "query");
  two("scores", g.s, y + 20, "scores", isMasked && fits(MASKED) ? MASKED : "q · k / √d");
  two("weights", g.w, y + 20, "weights", "softmax of each row");
  two("context", g.c, y + 20, "context", by(rows, dim), "context");
  const keys = TOP - 18 - KEYS;
  sheet.text("keys name", g.q, keys + 14, "keys", { bold: true, colour: "key" });
  const each = wide ? ["each a column"] : ["each a", "column"];
  each.forEach((words, i) => sheet.text(`keys words ${i}`, g.q, keys + 30 + 16 * i, words, small));
  sheet.text("values name", g.c - 8, VALUES - 8, "values", { bold: true, colour: "value", anchor: "end" });
  sheet.text("adds words", g.c + g.role / 2, y + 68, "adds to the stream", { ...small, anchor: "middle" });
  if (tokens.length > rows)
    sheet.text("left out", 0, FRAME.height - 8, `the last ${rows} of ${tokens.length} tokens`, small);
  const middle = TOP + TALL / 2;
  const across = (from, to) => [from + g.scores + 6, to - 8].map((x) => [x, middle]);
  sheet.wire("to weights", across(g.s, g.w));
  sheet.wire("to context", across(g.w, g.c));
  const down = [y + 40, y + 53].map((top) => [g.c + g.role / 2, top]);
  sheet.wire("to the stream", down, { stroke: colour, thick: 2 });
  if (wide)
    sheet.text("softmax", (g.s + g.scores + g.w) / 2, middle - 7, "softmax", {
      size: 10.5,
      colour: "ink2",
      anchor: "middle",
    });
}

// Tokens at the rows of queries and values and at the columns of keys and weights.
function labels(view, g, rows, query, key) {
  const { sheet, look, tokens, size } = view;
  const shown = tokens.slice(-rows);
  const [h, c] = [TALL / rows, g.scores / rows];
  const font = Math.min(13, Math.max(11, h - 1));
  const [flat, hasLabels] = [c >= 34, rows <= MANY];
  const name = (token, i) => look.fit(token, flat ? c - 4 : TURNED, 12, i === key);
  // How far a token that is turned reaches past the weights, where the lower values have their labels.
  const ends = shown.map((token, i) => (i + 0.5) * c + 4 + look.measure(name(token, i), 12, i === key) / Math.SQRT2);
  const past = flat ? 0 : (hasLabels ? Math.max(...ends) : ends[key]) - g.scores;
  const room = (i) => g.c - g.w - g.scores - 12 - (VALUES + (i + 1) * h > TOP - 52 ? Math.max(2, past) : 2);
  shown.forEach((token, i) => {
    const row = (key2, x, top, room, colour, isChosen) => {
      if (!isChosen && !hasLabels) return;
      const text = look.fit(token, room, font, isChosen);
      sheet.text(key2, x, top + (i + 0.5) * h + 0.35 * font, text, {
        size: font,
        bold: isChosen,
        colour,
        anchor: "end",
      });
    };
    row(`query ${i}`, g.q - 8, TOP, size.labels, "query", i === query);
    row(`value ${i}`, g.c - 8, VALUES, room(i), "value", i === key);
    const column = (key2, x, y) => {
      if (i !== key && !hasLabels) return;
      const how = { size: 12, bold: i === key, colour: "key", ...(flat ? { anchor: "middle" } : { turn: -45 }) };
      sheet.text(key2, x + (i + 0.5) * c + (flat ? 0 : 4), y, name(token, i), how);
    };
    column(`key ${i}`, g.s, TOP - 18 - KEYS - 7);
    column(`weighed ${i}`, g.w, TOP - 7);
  });
}

// The chosen query's row, the key that it reads most, its value, and its context.
function outlines(sheet, g, rows, query, key) {
  const [h, c] = [TALL / rows, g.scores / rows];
  sheet.outline("chosen query", g.q, TOP + query * h, g.role, h, "query", 2.5);
  sheet.outline("chosen key", g.s + key * c, TOP - 18 - KEYS, c, KEYS, "key", 2.5);
  sheet.outline("chosen value", g.c, VALUES + key * h, g.role, h, "value", 2.5);
  sheet.outline("chosen context", g.c, TOP + query * h, g.role, h, "context", 2.5);
  sheet.outline("chosen score", g.s + key * c, TOP + query * h, c, h, "ink", 1.5);
  sheet.outline("chosen weight gap", g.w + key * c, TOP + query * h, c, h, "page", 2.5);
  sheet.outline("chosen weight", g.w + key * c - 1, TOP + query * h - 1, c + 2, h + 2, "ink", 2);
}

// A click on a token follows its query; in words, its row of weights.
function rowParts(view, g, rows, { weights, mask }, query) {
  const { sheet, tokens } = view;
  const h = TALL / rows;
  const token = (i) => tokens.at(i - rows) ?? i + 1;
  const share = (at) => (mask && !mask.data[at] ? "masked" : number(weights.data[at]));
  const read = (i) => Array.from({ length: rows }, (_, key) => `${token(key)} ${share(i * rows + key)}`);
  for (let i = 0; i < rows; i++) {
    sheet.part({
      id: `row ${i}`,
      role: "radio",
      name: `row of “${token(i)}”`,
      shape: weights && (() => once(weights, `row ${i} in words`, () => `weights: ${read(i).join(", ")}`)),
      box: [0, TOP + i * h, g.q - 6, h],
      choose: [`row ${i}`, "query"],
      checked: i === query,
    });
  }
}
