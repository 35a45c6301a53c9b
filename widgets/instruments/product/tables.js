// The tables of a product: their names, the roles of their numbers, and the numbers as they stand on the screen.

import { floats } from "../../base/js/numbers.js";
import { number } from "../../base/js/words.js";

export const ROLES = { queries: "query", keys: "key", values: "value", context: "context" }; // and the names of their traits
export const traitOf = (name) => ROLES[name] ?? name;

export const TITLES = {
  queries: ["queries Q", ""],
  keys: ["keys Kᵀ", "each key a column"],
  values: ["values V", ""],
  scores: ["scores", "Q Kᵀ"],
  weights: ["weights", "softmax of each row"],
  context: ["context", "weights · V"],
};

// A trait of two axes as it stands on the screen: rows, columns, at(row, column).
export function readTable(get, name) {
  const packed = get(traitOf(name));
  if (!packed) return null;
  const data = floats(packed);
  const [rows, columns] = packed.shape;
  if (name === "keys") return { data, rows: columns, columns: rows, at: (r, c) => data[c * columns + r] };
  return { data, rows, columns, at: (r, c) => data[r * columns + c] };
}

// The model's numbers, which may be newer than the painted ones, and where among them a cell stands.
export function stored(view, { name, row, column }) {
  const { shape } = view.model.get(ROLES[name]);
  const data = floats(view.model.get(ROLES[name]));
  return { shape, data, place: name === "keys" ? column * shape[1] + row : row * shape[1] + column };
}

// The number of a cell that may be changed, as the model has it, in as many decimals as it needs.
export function storedInWords(view, cell) {
  const { data, place } = stored(view, cell);
  return number(data[place], exactly({ data: [data[place]] }, 1) ? 1 : 2);
}

export const exactly = (table, decimals) => table.data.every((x) => Math.abs(x - Number(x.toFixed(decimals))) < 1e-4);
export const largest = (...tables) =>
  Math.max(0, ...tables.flatMap((t) => [...t.data].filter(Number.isFinite).map(Math.abs)));
