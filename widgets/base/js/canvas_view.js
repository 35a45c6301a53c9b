// What the views share whose cells are painted on a canvas: Matrix and Picture.

import { speak } from "./dom.js";
import { same } from "./memo.js";

export function select(view, cell) {
  if (same(cell, view.get("selected") ?? [])) return;
  view.told = false;
  view.set("selected", cell);
}

// A mask that may be painted on; without one, all is allowed.
export function maskCopy(mask, rows, columns) {
  return mask
    ? { shape: [...mask.shape], data: mask.data.slice() }
    : { shape: [1, rows, columns], data: new Float32Array(rows * columns).fill(1) };
}

// What the trait `limit` gives; else what `find` makes of `cause`. It stands still while a hand is down in the page.
export function limitOf(view, cause, find) {
  const given = view.get("limit");
  if (given > 0) return given;
  if (!view.held || !view.limit) view.limit = view.once("limit", [cause], find);
  else view.heldBack = true;
  return view.limit;
}

// Says to a screen reader what a hand did.
export function say(view, words) {
  view.told = true;
  speak(view.live, words);
  view.schedule();
}

// Says what is chosen at each picture: where it has changed, and not over what a hand has just been told. "": nothing is,
// null: it is not to be said now.
export function announce(view, words) {
  const isNew = words && words !== view.chosen && !view.told;
  Object.assign(view, { chosen: words ?? view.chosen, told: false });
  if (isNew) speak(view.live, words);
}
