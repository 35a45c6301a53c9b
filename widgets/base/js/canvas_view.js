// What the views share whose cells are painted on a canvas: Matrix and Picture.

import { same } from "./memo.js";

export function select(view, cell) {
  if (!same(cell, view.get("selected") ?? [])) view.set("selected", cell);
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
  return view.limit;
}

// Says to a screen reader what a hand did, once.
export function say(view, words) {
  if (words === view.announced) return;
  view.announced = words;
  view.live.textContent = words;
}
