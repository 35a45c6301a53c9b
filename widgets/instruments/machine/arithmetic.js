// The arithmetic of a number, as it is written beside every layout.

import { number } from "../../base/js/words.js";
import { once } from "./tensors.js";

const MOST = 6; // terms that are written out

// With one decimal where that is all of it, else with two.
export const short = (x) => number(x, Math.abs(10 * x - Math.round(10 * x)) < 1e-3 ? 1 : 2);
const factor = (x) => short(x).replace(/^−.*/, "($&)");

// The sum of products: "1.0 · 0.0 + 0.3 · 2.0 = 0.6". Of many the largest, in their order, the others as one number.
export function products(count, a, b, result) {
  const terms = Array.from({ length: count }, (_, i) => a(i) * b(i));
  const order = [...terms.keys()].sort((i, j) => Math.abs(terms[j]) - Math.abs(terms[i]));
  const kept = count > MOST ? order.slice(0, MOST - 1).sort((i, j) => i - j) : [...terms.keys()];
  const written = kept.map((i) => `${factor(a(i))} · ${factor(b(i))}`);
  const rest = terms.reduce((all, x, i) => (kept.includes(i) ? all : all + x), 0);
  if (kept.length < count) written.push(`${factor(rest)} of ${count - kept.length} others`);
  return `${written.join(" + ")} = ${short(result)}`;
}

// A sum of [number, name]: "0.31 (stream) − 0.40 (head 1) = −0.09".
export function sum(terms, result) {
  const written = terms.map(([x, name], i) => {
    const signed = short(x).replace(/^−/, i ? " − " : "−");
    return `${i && !signed.startsWith(" ") ? " + " : ""}${signed} (${name})`;
  });
  return `${written.join("")} = ${short(result)}`;
}

// A weight out of its score, one of `count` in the row.
export const softmax = (score, count, weight) =>
  `e to the power of ${short(score)}, by the sum of all ${count} of the row: ${number(weight)}`;

// A sum or a weight may hold more than the picture shows: then nothing is claimed.
export const close = (a, b) => Math.abs(a - b) <= 0.005 + 0.01 * Math.abs(b);

// The sum of products, where it gives the number; else null.
export function productsGiving(count, a, b, result) {
  let total = 0;
  for (let i = 0; i < count; i++) total += a(i) * b(i);
  return close(total, result) ? products(count, a, b, result) : null;
}

// The weight out of its score and all scores of the row, where softmax gives it; else null.
export function softmaxGiving(scores, score, weight) {
  const total = scores.reduce((all, x) => all + Math.exp(x), 0);
  return close(Math.exp(score) / total, weight) ? softmax(score, scores.length, weight) : null;
}

// What a norm makes of the number at `at` of a row, where no gain or shift has changed it; else null.
export function normGiving(row, at, result) {
  const mean = (numbers) => numbers.reduce((all, x) => all + x, 0) / numbers.length;
  const size = (numbers) => Math.sqrt(mean(numbers.map((x) => x * x)));
  const [middle, root] = [mean(row), size(row)];
  const spread = size(row.map((x) => x - middle));
  if (close((row[at] - middle) / spread, result))
    return `(${short(row[at])} − ${factor(middle)}, the row’s mean) by its standard deviation ${short(spread)} = ${short(result)}`;
  if (!close(row[at] / root, result)) return null;
  return `${short(row[at])} by the root ${short(root)} of the row’s mean square = ${short(result)}`;
}

const FEW = 8; // numbers of a vector that are all said

// The numbers of a vector in words: all of a few; of more where they lie and how long the vector is. `of`: how many numbers
// its cells are shares of, each the root of the mean square of its own.
export const vectorInWords = (table) => once(table, "in words", () => vector(table));

function vector({ columns, data, of = columns }) {
  const numbers = [...data];
  if (of === columns && columns <= FEW) return `${columns} numbers: ${numbers.map((x) => number(x)).join(", ")}`;
  const edge = (i) => Math.floor((i * of) / columns);
  const norm = Math.sqrt(numbers.reduce((all, x, i) => all + x * x * (edge(i + 1) - edge(i)), 0));
  const range = of === columns ? ` from ${number(Math.min(...numbers))} to ${number(Math.max(...numbers))}` : "";
  return `${of} numbers${range}, norm ${number(norm)}`;
}
