// What the hand changes: what it points at, weights, the mask, the order of patches, glimpses.

import { maskCopy, select } from "../../base/js/canvas_view.js";
import { same } from "../../base/js/memo.js";
import { added, withoutLast } from "./glimpses.js";
import { carried } from "./grid.js";
import { exchanged, isHome } from "./patches.js";
import { cellName } from "./words.js";

export const cellAt = (v, panel, place) => [panel, Math.floor(v.order[place] / v.columns), v.order[place] % v.columns];

export function hover(view, cell) {
  if (same(cell, view.hovered)) return;
  view.hovered = cell;
  view.set("hovered", cell);
}

// --- the mask

export function paintMask(view, panel, places, allow) {
  const { v } = view;
  const mask = maskCopy(v.maskData, v.rows, v.columns);
  for (const place of places) mask.data[(panel % mask.shape[0]) * v.cells + v.order[place]] = allow ? 1 : 0;
  view.set("mask", { shape: mask.shape, data: new DataView(mask.data.buffer) });
}

// --- weights and patches that are carried to another place

export function take(view, panel, place, byKey) {
  const { v } = view;
  const cell = v.order[place];
  if (v.editing === "weights") {
    if (!v.weights || !v.allowed(panel, cell)) return false;
    if (!Array.from(v.shown(panel)).every(Number.isFinite)) {
      view.say("weights that are not a number cannot be moved");
      return false;
    }
  }
  const base = v.weights ? Array.from(v.shown(panel)) : [];
  view.carry = { panel, from: place, to: place, byKey, base, before: view.get("edits"), at: null };
  view.schedule();
  return true;
}

// What is carried goes to another place; weights are already seen there.
export function carryTo(view, place) {
  const { carry, v } = view;
  if (!carry || carry.to === place) return;
  carry.to = place;
  if (v.editing !== "weights") {
    view.schedule();
    return;
  }
  const [from, to] = [carry.from, place].map((at) => cellAt(v, carry.panel, at).slice(1));
  const allowed = (cell) => v.allowed(carry.panel, cell);
  const row = carried(carry.base, [v.rows, v.columns], from, to, v.reach, allowed);
  view.set("edits", { ...view.get("edits"), [v.editOf(carry.panel)]: row });
}

export function drop(view) {
  const { carry, v } = view;
  view.carry = null;
  view.schedule();
  if (!carry) return;
  if (carry.from === carry.to) {
    if (v.editing === "weights") view.set("edits", carry.before);
    return;
  }
  const [from, to] = [carry.from, carry.to].map((place) => cellName(v, v.editing === "order" ? place : v.order[place]));
  if (v.editing === "order") view.set("order", exchanged(v.order, carry.from, carry.to));
  select(view, v.editing === "order" ? cellAt(v, carry.panel, carry.from) : cellAt(v, carry.panel, carry.to));
  view.say(v.editing === "order" ? `patches of ${from} and ${to} exchanged` : `weight of ${from} moved to ${to}`);
}

export function putBack(view) {
  if (view.carry && view.v.editing === "weights") view.set("edits", view.carry.before);
  view.carry = null;
  view.say("put back");
  view.schedule();
}

// The hand is gone, or the drag was taken back: everything as it was when it came.
export function leave(view) {
  const { drag } = view;
  view.drag = null;
  if (drag?.kind === "mask") view.set("mask", drag.before);
  if (drag?.kind === "carry" && view.carry) putBack(view);
  view.aim = null;
  hover(view, []);
  view.schedule();
}

// --- glimpses

export const isFull = (v, panel) => v.mostGlimpses > 0 && v.paths[panel].length >= v.mostGlimpses;

export function look(view, panel, place) {
  const { v } = view;
  view.set("glimpses", added(v.glimpses, panel, place, v.panels));
  view.say(`glimpse ${v.paths[panel].length + 1} placed`);
}

// --- back to what was given

export function canUndo(v) {
  if (v.editing === "glimpses") return v.glimpses.length > 0;
  if (v.editing === "order") return !isHome(v.order);
  return v.editing === "weights" && Object.keys(v.edits ?? {}).length > 0;
}

export function undo(view) {
  const { v } = view;
  if (!v || !canUndo(v)) return;
  if (v.editing === "glimpses") view.set("glimpses", withoutLast(v.glimpses, view.aim?.panel ?? -1));
  else if (v.editing === "order") view.set("order", []);
  else view.set("edits", {});
  view.say(v.editing === "glimpses" ? "the last glimpse is taken back" : "as it was given");
}
