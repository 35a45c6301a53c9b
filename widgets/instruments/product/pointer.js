// The pointer: a press chooses a cell, a drag changes its number, a click opens it.

import { ofOneHand } from "../../base/js/dom.js";
import { closeField, openField, STEP, takeBack, write } from "./editing.js";
import { cellAt } from "./layout.js";
import { canEdit, choose, inWords } from "./reading.js";

const PULL = 6; // pixels of a drag for one step of a number

function cellUnder(view, event) {
  if (!view.g) return null;
  const frame = view.svg.getBoundingClientRect();
  return cellAt(view.g, event.clientX - frame.left, event.clientY - frame.top);
}

function press(view, event) {
  const cell = event.button ? null : cellUnder(view, event);
  if (!cell) return;
  event.preventDefault(); // no selection of text; the focus is set here
  if (view.typing) closeField(view, false);
  view.figure.focus({ preventScroll: true, focusVisible: false });
  choose(view, cell);
  if (!canEdit(view, cell.name)) return;
  view.svg.setPointerCapture(event.pointerId);
  const start = view.tables[cell.name].at(cell.row, cell.column);
  view.drag = { ...cell, y: event.clientY, start, moved: false, pointer: event.pointerId };
}

function pull(view, event) {
  const steps = Math.round((view.drag.y - event.clientY) / PULL);
  if (steps) view.drag.moved = true;
  if (view.drag.moved) write(view, view.drag, view.drag.start + steps * STEP);
}

function hoverOver(view, cell) {
  if (String(Object.values(cell ?? {})) === String(Object.values(view.hover ?? {}))) return;
  view.hover = cell;
  view.schedule();
}

function release(view) {
  const cell = view.drag;
  view.drag = null;
  if (cell && !cell.moved) openField(view, { name: cell.name, row: cell.row, column: cell.column });
  else if (cell) view.said.textContent = inWords(view, cell);
}

export function listenToPointer(view) {
  const { on, svg, figure } = view;
  const hear = (name, heard) => on(svg, name, ofOneHand(view, heard));
  hear("pointerdown", (event) => press(view, event));
  hear("pointermove", (event) => {
    if (view.drag) pull(view, event);
    else hoverOver(view, cellUnder(view, event));
  });
  hear("pointerup", () => release(view));
  hear("pointercancel", () => takeBack(view));
  on(svg, "pointerleave", () => hoverOver(view, null));
  on(figure, "focus", view.schedule);
  on(figure, "blur", view.schedule);
}
