// The pointer: it hovers, selects, paints a mask, carries weights and patches, places glimpses.

import { ofOneHand, ownKeys, watchHand } from "../../base/js/dom.js";
import { select } from "../../base/js/canvas_view.js";
import { carryTo, cellAt, drop, hover, isFull, leave, look, paintMask, putBack, take } from "./edit.js";
import { placed } from "./glimpses.js";
import { between } from "./grid.js";
import { pressKey } from "./keyboard.js";
import { panelAt, placeAt } from "./layout.js";

export function listenToPointer(view) {
  const { canvas, signal } = view;
  const on = (name, heard) => canvas.addEventListener(name, heard, { signal });
  watchHand(view, signal);
  const hear = (name, heard) => on(name, ofOneHand(view, heard));
  hear("pointerdown", (event) => press(view, event));
  hear("pointermove", (event) => glide(view, event));
  hear("pointerup", (event) => release(view, event));
  hear("pointercancel", () => leave(view));
  on("pointerleave", () => {
    if (!view.drag) leave(view);
  });
  on("focus", () => {
    view.focus = canvas.matches(":focus-visible");
    view.schedule();
  });
  on("blur", () => {
    view.focus = false;
    if (view.carry?.byKey) putBack(view);
    view.aim = null;
    view.schedule();
  });
  ownKeys(view.el, (event) => event.target === canvas && view.v && pressKey(view, event), signal);
}

// What lies under the pointer; during a drag, of the panel where it began.
function under(view, event, held = -1) {
  const rect = view.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - rect.x, event.clientY - rect.y];
  const at = panelAt(view.g, x, y, held);
  return at && { ...at, x, y, place: placeAt(view.g, at) };
}

function press(view, event) {
  if (!view.v || event.button) return;
  view.read();
  view.focus = false;
  if (view.carry) putBack(view);
  const at = under(view, event);
  if (!at) return;
  const { v } = view;
  view.canvas.setPointerCapture(event.pointerId);
  if (v.editing === "glimpses") {
    view.drag = { kind: "glimpse", panel: at.panel, pointer: event.pointerId };
    aim(view, at);
    return;
  }
  if (at.place < 0) return;
  const cell = cellAt(v, at.panel, at.place);
  const pointer = event.pointerId;
  select(view, cell);
  if (v.editing === "mask") {
    const allow = !v.allowed(at.panel, v.order[at.place]);
    view.drag = { kind: "mask", panel: at.panel, last: at.place, allow, before: view.get("mask"), pointer };
    paintMask(view, at.panel, [at.place], allow);
  } else if (["weights", "order"].includes(v.editing) && take(view, at.panel, at.place, false)) {
    view.drag = { kind: "carry", panel: at.panel, x: at.x, y: at.y, pointer };
  }
}

function glide(view, event) {
  if (!view.v) return;
  view.read();
  const { drag, v } = view;
  const at = under(view, event, drag?.panel);
  if (drag) {
    dragTo(view, at);
    return;
  }
  view.canvas.style.cursor = at ? cursor(v, at) : "default";
  if (v.editing === "glimpses") aim(view, at);
  hover(view, at && at.place >= 0 ? cellAt(v, at.panel, at.place) : []);
}

function cursor(v, { panel, place }) {
  if (v.editing === "glimpses") return isFull(v, panel) ? "not-allowed" : "crosshair";
  if (place < 0 || !v.editing) return "default";
  return v.editing === "mask" ? "crosshair" : "grab";
}

function aim(view, at) {
  view.aim = at && !isFull(view.v, at.panel) ? { panel: at.panel, place: placed(at) } : null;
  view.schedule();
}

function dragTo(view, at) {
  const { drag, v } = view;
  if (drag.kind === "glimpse") aim(view, at);
  if (drag.kind === "mask" && at.place !== drag.last) {
    paintMask(view, drag.panel, between(drag.last, at.place, v.columns), drag.allow);
    drag.last = at.place;
  }
  if (drag.kind === "carry" && view.carry) {
    if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < 3) return;
    drag.moved = true;
    view.carry.at = [at.x, at.y];
    carryTo(view, at.place);
    view.schedule();
  }
  if (drag.kind !== "glimpse") hover(view, cellAt(v, at.panel, at.place));
}

function release(view, event) {
  const { drag } = view;
  view.drag = null;
  if (!drag) return;
  view.read();
  if (drag.kind === "glimpse" && view.aim) {
    look(view, drag.panel, view.aim.place);
    view.aim = null;
  }
  if (drag.kind === "carry") drop(view);
  if (event.pointerType !== "mouse") leave(view); // a finger that is up points at nothing
}
