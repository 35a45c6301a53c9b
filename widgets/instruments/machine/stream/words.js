// The cells of a stream in words: the place of a number, and the arithmetic that gives it, where the numbers of the
// picture give it. A model that does more to them (scores with a bias of places, a scaled sum) has the number alone.

import { close, normGiving, products, productsGiving, short, softmaxGiving, sum } from "../arithmetic.js";
import { MOST_TOKENS } from "./signs.js";
import { matrix, tensorOf } from "../tensors.js";

const FEW = 4; // heads that are named in a sum

// { says, sums } of a table of one head or of a network, a row for each token; `suffix` is that of its tensor.
export function tableWords(view, one, suffix, index) {
  const { machine, tokens } = view;
  const tensor = machine.tensor(`${one.id}/${suffix}`);
  const hidden = Math.max(0, tensor ? tensor.shape.at(-2) - MOST_TOKENS : 0); // rows before the first that is drawn
  const token = (i) => `“${tokens[i] ?? `token ${i + 1}`}”`;
  const key = (j) => (one.memory ? `source ${j + 1}` : token(j));
  const part = tensor?.of ? "share" : "number";
  if (suffix === "k" || suffix === "v") return { says: (row, column) => `${key(row + hidden)}, ${part} ${column + 1}` };
  if (suffix !== "scores" && suffix !== "weights") {
    const sums = suffix === "context" ? (row, column) => ofContext(view, one, index, row + hidden, column) : undefined;
    return { says: (row, column) => `${token(row + hidden)}, ${part} ${column + 1}`, sums };
  }
  const from = suffix === "scores" ? ofScore : ofWeight;
  const before = Math.max(0, tensor ? tensor.shape.at(-1) - MOST_TOKENS : 0); // keys before the first that is drawn
  return {
    says: (row, column) => `${token(row + hidden)} with ${key(column + before)}`,
    sums: (row, column) => from(view, one, index, row + hidden, column + before),
  };
}

// The number at a place of a head's table, as a function; null where the table is not there or holds shares.
function reader({ machine }, one, name, ...index) {
  const tensor = machine.tensor(`${one.id}/${name}`);
  if (!tensor || tensor.of) return null;
  const { rows, columns, data } = matrix(tensor, ...index);
  return { rows, columns, at: (row, column) => data[row * columns + column] };
}

function ofScore(view, one, index, row, column) {
  const [q, k, scores] = ["q", "k", "scores"].map((name) => reader(view, one, name, index));
  if (!q || !k || !scores) return null;
  const [a, b] = [(i) => q.at(row, i), (i) => k.at(column, i)];
  const score = scores.at(row, column);
  let product = 0;
  for (let i = 0; i < q.columns; i++) product += a(i) * b(i);
  if (!close(product / Math.sqrt(q.columns), score)) return null;
  return `${products(q.columns, a, b, product)}, by √${q.columns} ${short(score)}`;
}

function ofWeight(view, one, index, row, column) {
  const [scores, weights] = ["scores", "weights"].map((name) => reader(view, one, name, index));
  const mask = reader(view, one, "mask");
  if (!scores || !weights) return null;
  const seen = Array.from({ length: scores.columns }, (_, j) => j).filter((j) => !mask || mask.at(row, j));
  const all = seen.map((j) => scores.at(row, j));
  return softmaxGiving(all, scores.at(row, column), weights.at(row, column));
}

function ofContext(view, one, index, row, column) {
  const [weights, v, context] = ["weights", "v", "context"].map((name) => reader(view, one, name, index));
  if (!weights || !v || !context) return null;
  return productsGiving(
    v.rows,
    (j) => weights.at(row, j),
    (j) => v.at(j, column),
    context.at(row, column),
  );
}

// The same of a tensor by its whole name.
const whole = (view, name) => reader(view, { id: name.replace(/\/[^/]*$/, "") }, name.replace(/^.*\//, ""));

// { says, sums } of the numbers that the norm before a sublayer makes.
export const normWords = (view, one) => ({
  ...tableWords(view, one.norm, "out"),
  sums: (row, column) => ofNorm(view, one.before, tensorOf(one.norm), row, column),
});

// `shown`: a row of those that are drawn, the last ones.
function ofNorm(view, from, to, shown, column) {
  const [given, made] = [whole(view, from), whole(view, to)];
  if (!given || !made) return null;
  const row = shown + Math.max(0, made.rows - MOST_TOKENS);
  const numbers = Array.from({ length: given.columns }, (_, i) => given.at(row, i));
  return normGiving(numbers, column, made.at(row, column));
}

// The sums of the station behind a sublayer: what was there, and what each head or the network adds; behind a norm that
// sits on the line, what it makes of the sum.
export function streamSums(view, one) {
  return (shown, column) => {
    if (one.place === "bare") return one.kind === "box" ? ofBox(view, one, shown, column) : null;
    if (one.place === "post") return ofNorm(view, tensorOf(one.sum), one.after, shown, column);
    const [before, after, out] = [whole(view, one.before), whole(view, one.after), whole(view, `${one.id}/out`)];
    if (!before || !after || !out) return null;
    const row = shown + Math.max(0, after.rows - MOST_TOKENS);
    const [start, added, end] = [before, out, after].map((table) => table.at(row, column));
    if (!close(start + added, end)) return null;
    const heads = one.heads.length <= FEW ? one.heads.map((_, i) => reader(view, one, "adds", i)) : [];
    const parts = heads.every(Boolean) ? heads.map((head, i) => [head.at(row, column), `head ${i + 1}`]) : [];
    const bias = added - parts.reduce((all, [x]) => all + x, 0);
    if (Math.abs(bias) >= 0.005) parts.push([bias, parts.length ? "bias" : one.label]);
    return sum([[start, "stream"], ...parts], end);
  };
}

// What went into a box that stands on the line, and what is other behind it.
function ofBox(view, one, shown, column) {
  const [before, adds, after] = [one.before, `${one.id}/adds`, one.after].map((name) => whole(view, name));
  if (!before || !adds || !after) return null;
  const row = shown + Math.max(0, after.rows - MOST_TOKENS);
  const [start, added, end] = [before, adds, after].map((table) => table.at(row, column));
  return close(start + added, end)
    ? sum(
        [
          [start, "stream"],
          [added, one.label],
        ],
        end,
      )
    : null;
}
