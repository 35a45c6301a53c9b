// What is chosen, what may be changed, and how it is said in words.

import { clamp, floats } from "../../base/js/numbers.js";
import { textWidth } from "../../base/js/text.js";
import { theme } from "../../base/js/theme.js";
import { number, visible } from "../../base/js/words.js";
import { exactly, largest, ROLES, storedInWords, TITLES, traitOf } from "./tables.js";

// The chosen cell of the weights, inside the table.
/** @returns {any} */
export function selected(view) {
  const [query = 0, key = 0] = view.get("selected");
  return [clamp(query, 0, view.tables.weights.rows - 1), clamp(key, 0, view.tables.weights.columns - 1)];
}

// The cell under the keys: what was chosen last, as long as it belongs to what is selected.
export function cursor(view) {
  const [query, key] = selected(view);
  const { rows, columns } = view.at ? view.tables[view.at.name] : { rows: 0, columns: 0 };
  if (
    !view.at ||
    view.at.row >= rows ||
    view.at.column >= columns ||
    String(pairOf(view, view.at)) !== String([query, key])
  )
    view.at = { name: "weights", row: query, column: key };
  return view.at;
}

function pairOf(view, { name, row, column }) {
  const [query, key] = selected(view);
  return {
    queries: [row, key],
    keys: [query, column],
    scores: [row, column],
    weights: [row, column],
    values: [query, row],
    context: [row, key],
  }[name];
}

export function choose(view, cell) {
  const pair = pairOf(view, cell);
  view.at = cell;
  if (String(pair) !== String(view.get("selected"))) {
    view.model.set("selected", pair);
    view.model.save_changes();
  }
  view.said.textContent = inWords(view, cell);
  view.schedule();
}

export const labelOf = (view, side, i) => visible(view.get(`${side}_labels`)[i] ?? String(i + 1));
export const titleOf = (view, name) => view.get("titles")[traitOf(name)] ?? TITLES[name];
export const allowed = (view, query, key) => {
  const mask = view.get("mask");
  return !mask || floats(mask)[query * view.tables.weights.columns + key] !== 0;
};
export const canEdit = (view, name) => view.get("editable").includes(ROLES[name]);

export function inWords(view, { name, row, column }) {
  const isEditable = canEdit(view, name);
  const painted = () => number(view.tables[name].at(row, column), decimalsOf(view, name));
  const value = isEditable ? storedInWords(view, { name, row, column }) : painted();
  const change = isEditable ? ", Enter to change" : "";
  if (name === "queries") return `query of ${labelOf(view, "query", row)}, number ${column + 1}: ${value}${change}`;
  if (name === "keys") return `key of ${labelOf(view, "key", column)}, number ${row + 1}: ${value}${change}`;
  if (name === "values") return `value of ${labelOf(view, "key", row)}, number ${column + 1}: ${value}${change}`;
  if (name === "context") return `context of ${labelOf(view, "query", row)}, number ${column + 1}: ${value}`;
  const pair = `${labelOf(view, "query", row)} to ${labelOf(view, "key", column)}`;
  return allowed(view, row, column)
    ? `${name === "scores" ? "score" : "weight"} of ${pair}: ${value}`
    : `${pair}: masked`;
}

// As many decimals as a table's numbers need and its cells have room for.
export function decimalsOf(view, name) {
  const table = view.tables[name];
  if (["queries", "keys", "values"].includes(name) && exactly(table, 1)) return 1;
  if (name === "weights") return 2;
  const font = `${view.g?.size ?? 13}px ${theme(view.el).font}`;
  const widest = number(-largest(table), 2);
  return !view.g || textWidth(widest, font) <= view.g.c - 4 ? 2 : 1;
}
