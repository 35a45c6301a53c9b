// The pointer: it hovers, selects, drags bars, paints a mask, carries labels to another place.

import { ofOneHand, ownKeys, watchHand } from "../../base/js/dom.js";
import { cellsBetween, clamp } from "../../base/js/numbers.js";
import { maskCopy, select } from "../../base/js/canvas_view.js";
import { cancelDrag, moveItem, paintMask, restoreRow, rowOf, setWeight } from "./editing.js";
import { pressKey } from "./keyboard.js";
import { BARS, hitTest } from "./layout.js";
import { same } from "../../base/js/memo.js";
import { readTraits } from "./traits.js";

export function listenToPointer(view) {
  const { canvas, signal } = view;
  const on = (target, name, f, more = {}) => target.addEventListener(name, f, { signal, ...more });
  watchHand(view, signal);
  const hear = (name, f) => on(canvas, name, ofOneHand(view, f));
  hear("pointerdown", (event) => press(view, event));
  hear("pointermove", (event) => glide(view, event));
  hear("pointerup", () => {
    view.drag = null;
  });
  hear("pointercancel", () => cancelDrag(view));
  // A finger scrolls the page over the picture, but for what it drags.
  on(canvas, "touchmove", (event) => view.drag && event.cancelable && event.preventDefault(), { passive: false });
  on(canvas, "pointerleave", () => {
    view.hover = null;
    view.schedule();
  });
  on(canvas, "dblclick", () => {
    if (view.v?.editing === "weights" && view.v.selected && view.over === "bars") restoreRow(view);
  });
  on(canvas, "focus", () => {
    view.focus = canvas.matches(":focus-visible");
    view.schedule();
  });
  on(canvas, "blur", () => {
    view.focus = false;
    view.schedule();
  });
  ownKeys(view.el, (event) => event.target === canvas && view.v && pressKey(view, event), signal);
}

// What lies under the pointer, in items of the data.
function underPointer(view, event) {
  if (!view.v) return null;
  const rect = view.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - rect.x, event.clientY - rect.y];
  const hit = hitTest(view.g, x, y);
  if (!hit) return { part: null, cell: null, x, y };
  const query = hit.part === "bars" ? view.v.barRow : hit.row < 0 ? -1 : view.v.rows[hit.row];
  return { ...hit, x, y, cell: [hit.panel, query, hit.column < 0 ? -1 : view.v.columns[hit.column]] };
}

export function press(view, event) {
  view.v = readTraits(view);
  const at = underPointer(view, event);
  view.focus = false;
  if (!at?.part || event.button) return;
  const { editing } = view.v;
  view.canvas.setPointerCapture(event.pointerId);
  if (at.part === "cell" && editing === "mask") startPainting(view, at);
  else if (at.part === "bars") startBars(view, at);
  else if (editing === "order" && at.part !== "cell") startOrder(view, at);
  if (view.drag) view.drag.pointer = event.pointerId;
  if (at.part !== "bars" || at.cell[1] >= 0) select(view, at.cell);
  view.schedule();
}

function startPainting(view, at) {
  const mask = maskCopy(view.v.mask, view.v.queries, view.v.keys);
  const allow = !view.v.allowed(...at.cell);
  view.drag = { kind: "mask", mask, allow, last: at, panel: at.panel, before: view.get("mask") };
  paintMask(view, mask, [at.cell], allow);
}

function startBars(view, at) {
  const [panel, query] = at.cell;
  if (view.v.editing !== "weights" || query < 0) return;
  view.drag = {
    kind: "bars",
    cell: at.cell,
    base: rowOf(view, view.v.shown, panel, query),
    before: view.get("edits"),
    from: at.y,
  };
}

function startOrder(view, at) {
  const trait = at.part === "key" ? "key_order" : "query_order";
  view.drag = {
    kind: "order",
    trait,
    panel: at.panel,
    from: at.part === "key" ? at.column : at.row,
    before: view.get(trait),
  };
}

export function glide(view, event) {
  const at = underPointer(view, event);
  if (!at) return;
  if (view.drag) {
    dragTo(view, at);
    return;
  }
  const hover = at.part === "bars" ? (at.cell[1] < 0 ? null : at.cell) : at.part ? at.cell : null;
  view.over = at.part;
  const editable = {
    cell: view.v.editing === "mask" ? "crosshair" : "default",
    bars: view.v.editing === "weights" ? "ns-resize" : "default",
  };
  const grab = view.v.editing === "order" ? "grab" : "default";
  view.canvas.style.cursor = at.part ? (editable[at.part] ?? grab) : "default";
  if (hover && view.hover && same(hover, view.hover)) return;
  if (!hover && !view.hover) return;
  view.hover = hover;
  view.schedule();
}

export function dragTo(view, at) {
  const { drag, g, v } = view;
  if (drag.kind === "mask") {
    if (at.part !== "cell" || at.panel !== drag.panel) return;
    const cells = cellsBetween([drag.last.row, drag.last.column], [at.row, at.column]);
    const painted = cells.map(([row, column]) => [at.panel, v.rows[row], v.columns[column]]);
    paintMask(view, drag.mask, painted, drag.allow);
    drag.last = at;
    view.hover = at.cell;
  } else if (drag.kind === "bars") {
    if (Math.abs(at.y - drag.from) < 3 && !drag.moved) return;
    drag.moved = true;
    const foot = g.boxes[drag.cell[0]].bottom + 24 + BARS;
    setWeight(view, drag.cell, clamp((foot - at.y) / BARS, 0, 1), drag.base);
  } else if (drag.kind === "order") {
    const box = g.boxes[drag.panel];
    const keys = drag.trait === "key_order";
    const to = keys
      ? clamp(Math.floor((at.x - box.x) / g.c), 0, g.keys - 1)
      : clamp(Math.floor((at.y - box.y) / g.h), 0, g.queries - 1);
    if (to === drag.from) return;
    moveItem(view, drag.trait, keys ? v.columns : v.rows, drag.from, to);
    drag.from = to;
  }
}
