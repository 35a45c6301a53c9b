// What the hand changes: weights of a row, cells of a mask, the order of rows and columns.

import { moved } from "./order.js";
import { editName, renormalised } from "./weights.js";

export function rowOf(view, data, panel, query) {
  const start = (panel * view.v.queries + query) * view.v.keys;
  return Array.from(data.subarray(start, start + view.v.keys));
}

// Weights by hand; `base` is the row as it was when the hand came.
export function setWeight(view, [panel, query, key], weight, base) {
  const { v } = view;
  const own = rowOf(view, v.own, panel, query);
  if (v.scale !== "weights" || !v.allowed(panel, query, key) || !own.every(Number.isFinite)) return;
  const row = renormalised(base, own, key, weight, (k) => v.allowed(panel, query, k));
  view.set("edits", { ...view.get("edits"), [editName(panel, query)]: row });
}

export function nudge(view, by) {
  const [panel, query, key] = view.v.selected;
  if (query < 0 || key < 0) return;
  const row = rowOf(view, view.v.shown, panel, query);
  setWeight(view, [panel, query, key], Math.round((row[key] + by) * 1000) / 1000, row);
}

export function restoreRow(view) {
  const [panel, query] = view.v.selected;
  const edits = { ...view.get("edits") };
  delete edits[editName(panel, query)];
  view.set("edits", edits);
}

export function restoreAll(view) {
  if (view.v.editing === "order") {
    view.set("query_order", []);
    view.set("key_order", []);
  }
  if (Object.keys(view.v.edits).length) view.set("edits", {});
  view.canvas.focus();
  view.say("as the model has it");
}

// Paint cells of a mask copy; `allow` is what they become.
export function paintMask(view, mask, cells, allow) {
  const { queries, keys } = view.v;
  for (const [panel, query, key] of cells) {
    const start = mask.shape[0] > 1 ? panel * queries * keys : 0;
    mask.data[start + query * keys + key] = allow ? 1 : 0;
  }
  view.set("mask", { shape: mask.shape, data: new DataView(mask.data.slice().buffer) });
}

export function moveItem(view, trait, order, from, to) {
  view.set(trait, moved(order, from, to));
}

// The drag is taken back: everything as it was when the hand came.
export function cancelDrag(view) {
  const { drag } = view;
  view.drag = null;
  const trait = { mask: "mask", bars: "edits", order: drag?.trait }[drag?.kind];
  if (trait) view.set(trait, drag.before);
}
