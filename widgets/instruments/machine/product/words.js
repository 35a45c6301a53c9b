// The cells of the layout "product" in words: what each is, and the arithmetic that gives it.

import { products, short, softmax } from "../arithmetic.js";
import { upTo } from "./places.js";

// { name, shape } of a cell: its place in words, and a function that says where its number comes from.
export function arithmetic(view, table, row, column) {
  const { tables, token, number: names, width, dims, tokens } = view;
  const at = (name, i, j) => tables[name].data[i * tables[name].columns + j];
  const value = at(table, row, column);
  const lane = table.at(-1);
  const pair = `“${token[row]}” with “${token[column]}”`;
  if (table === "x")
    return { name: `${names.width[column]} of “${token[row]}”`, shape: () => `${short(value)}, for all three maps` };
  if (table.startsWith("W_")) {
    const [from, to] = [names.width[row], names[lane][column]];
    return { name: `W ${lane}, ${from} to ${to}`, shape: () => `each unit of ${from} adds ${short(value)} to ${to}` };
  }
  if (table === "scores") {
    const [query, key] = [(d) => at("q", row, d), (d) => at("k", column, d)];
    const product = () => upTo(dims.q).reduce((all, d) => all + query(d) * key(d), 0);
    return {
      name: `score of ${pair}`,
      shape: () => `${products(dims.q, query, key, product())}, by √${dims.q} ${short(value)}`,
    };
  }
  if (table === "weights") {
    return { name: `weight of ${pair}`, shape: () => softmax(at("scores", row, column), tokens, value) };
  }
  if (table === "context") {
    const parts = () =>
      products(
        tokens,
        (j) => at("weights", row, j),
        (j) => at("v", j, column),
        value,
      );
    return { name: `${names.v[column]} in the context of “${token[row]}”`, shape: parts };
  }
  const parts = () =>
    products(
      width,
      (d) => at("x", row, d),
      (d) => at(`W_${lane}`, d, column),
      value,
    );
  return { name: `${names[lane][column]} of “${token[row]}”`, shape: parts };
}
