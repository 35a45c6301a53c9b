// Numbers of a matrix: rows changed by hand, limits of the colours, what cannot be written as a number.

import { clamp } from "../../base/js/numbers.js";
import { number } from "../../base/js/words.js";

export const editName = (panel, query) => (panel ? `${panel}:${query}` : `${query}`);

// The next of 1, 1.5, 2, 3, 5, 7 times a power of ten: a limit that need not change with every answer.
export function niceLimit(data) {
  let most = 0;
  for (const x of data) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x));
  if (!most) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 1.5, 2, 3, 5, 7].find((n) => n * power >= most * 0.999) ?? 10) * power;
}

// The row after one weight was set by hand: the others shrink or grow in proportion, the sum stays 1.
// Where the others are all zero, their proportions are the model's own.
export function renormalised(base, own, key, weight, allowed) {
  const total = (row) => row.reduce((sum, x, k) => (k === key || !allowed(k) ? sum : sum + x), 0);
  let others = base;
  if (total(others) < 1e-6) others = own;
  if (total(others) < 1e-6) others = own.map(() => 1);
  const rest = total(others);
  const w = rest ? clamp(weight, 0, 1) : 1;
  return Array.from(others, (x, k) => (k === key ? w : allowed(k) ? (x * (1 - w)) / rest : 0));
}

export const special = (x) =>
  Number.isNaN(x) ? "not a number" : Number.isFinite(x) ? number(x) : x < 0 ? "minus infinite" : "infinite";
