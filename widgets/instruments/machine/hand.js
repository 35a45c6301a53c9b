// The hand: pointer and keys on the parts of a picture. All of it changes traits of the model, nothing else.

import { ofOneHand, ownKeys } from "../../base/js/dom.js";
import { same } from "../../base/js/memo.js";
import { clamp } from "../../base/js/numbers.js";
import { beside } from "./follow.js";
import { place } from "./tensors.js";

const PULL = 4; // pixels of a drag for a tenth

export function set(view, name, value) {
  view.model.set(name, value);
  view.model.save_changes();
  if (!view.asked) view.schedule();
}

// Between what a number may be set by hand.
export const rangeOf = (view) => view.machine.spec.range ?? [-9, 9];

// Set the number of a part by hand; `edit` is its tensor and its place in it.
export function write(view, edit, value) {
  const [least, most] = rangeOf(view);
  const all = view.model.get("edits") ?? [];
  const isThis = (one) => same(one.slice(0, -1), edit);
  const to = clamp(Math.round(value * 10) / 10, least, most);
  if (all.find(isThis)?.at(-1) === to) return;
  const edits = [...all.filter((one) => !isThis(one)), [...edit, to]];
  if (view.drag) view.underway.move("edits", edits);
  else set(view, "edits", edits);
}

// The number of a part as the model has it: it may be newer than the painted one.
export function valueOf(view, [name, ...index]) {
  const edit = (view.model.get("edits") ?? []).find((one) => same(one.slice(0, -1), [name, ...index]));
  const tensor = view.machine.tensor(name);
  return edit ? edit.at(-1) : tensor.data[place(tensor.shape, index)];
}

const partOf = (view, target) => view.parts.find(({ id }) => id === target?.dataset?.part);

// What a click, Enter or the space bar does to a part. Returns whether it did anything.
export function press(view, part) {
  if (part?.off !== undefined) {
    const off = toggled(view, part);
    const question = view.ahead.take("off", off);
    view.asked = view.model.get("numbers"); // until these are others, or it has waited long enough
    set(view, "off", off);
    view.ahead.show(question);
  } else if (part?.choose) set(view, "chosen", same(part.choose, view.get("chosen")) ? [] : part.choose);
  else if (part?.zoom !== undefined) zoomTo(view, part.zoom);
  else return false;
  return true;
}

// What is off after a press on a switch.
function toggled(view, { off }) {
  const now = view.get("off");
  return now.includes(off) ? now.filter((id) => id !== off) : [...now, off];
}

// The kernel is asked what the switch would do on which the pointer or the keyboard's focus rests.
export function lookAhead(view) {
  const at = view.pointed ?? view.focused();
  const part = view.parts.find(({ id }) => id === at);
  if (part?.off === undefined) view.ahead.ask();
  else view.ahead.ask("off", toggled(view, part));
}

export function zoomTo(view, id) {
  view.cameFrom = view.get("zoom"); // where the focus returns to on the way out
  view.refocus = view.stage.contains(document.activeElement) || view.crumbs.contains(document.activeElement);
  set(view, "zoom", id);
}

function pointed(view, id) {
  if (id === view.pointed) return;
  view.pointed = id;
  view.schedule();
}

export function listenToPointer(view) {
  const { svg, on } = view;
  const hear = (name, heard) => on(svg, name, ofOneHand(view, heard));
  hear("pointermove", (event) => {
    const frame = svg.getBoundingClientRect();
    view.place = [event.clientX - frame.left, event.clientY - frame.top];
    if (view.drag) return pull(view, event); // its target is the SVG, which has captured it
    pointed(view, event.target.dataset?.part);
    view.read();
  });
  on(svg, "pointerleave", () => {
    view.place = null;
    pointed(view, undefined);
    view.read();
  });
  hear("pointerdown", (event) => {
    view.byKeys = false;
    const part = event.button ? undefined : partOf(view, event.target);
    if (!part) return;
    event.preventDefault();
    focus(view, part.id, false);
    if (part.off !== undefined) view.ahead.askNow("off", toggled(view, part)); // on its way before the button is up
    if (!part.edit) return;
    svg.setPointerCapture(event.pointerId);
    view.drag = { edit: part.edit, y: event.clientY, start: valueOf(view, part.edit), pointer: event.pointerId };
  });
  on(svg, "click", (event) => press(view, partOf(view, event.target)));
  hear("pointerup", () => release(view));
  hear("pointercancel", () => takeBack(view));
}

function release(view) {
  if (!view.drag) return; // a picture of its own would make that which a switch asks for wait
  if (view.drag.moved) view.underway.end();
  view.drag = null;
  view.schedule();
}

// A drag that does not end as one: the number is again what it was.
function takeBack(view) {
  if (view.drag?.moved) write(view, view.drag.edit, view.drag.start);
  release(view);
}

function pull(view, { clientY }) {
  const { edit, y, start } = view.drag;
  const tenths = Math.round((y - clientY) / PULL);
  if (tenths) view.drag.moved = true;
  if (view.drag.moved) write(view, edit, start + tenths / 10);
  view.schedule();
}

// One part can be reached by Tab, the others from it.
export function focus(view, id, visible = true) {
  view.at = id;
  view.tabStop();
  const el = view.elements.get(id)?.el;
  el?.focus({ preventScroll: true, focusVisible: visible });
  if (view.byKeys) el?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// A new picture where another part is lit by the focus.
function relight(view) {
  if (view.focused() !== view.lit) view.schedule();
}

const STEPS = { ArrowUp: 0.1, ArrowDown: -0.1, PageUp: 1, PageDown: -1 };

// Jupyter takes arrow keys away from a slider of the page's own, so the film's is moved here.
function moveFilm(view, key) {
  const frame = view.get("frame");
  const last = (view.machine?.spec.film?.length ?? 1) - 1;
  const to = { ArrowLeft: frame - 1, ArrowDown: frame - 1, PageDown: frame - 1, Home: 0 };
  Object.assign(to, { ArrowRight: frame + 1, ArrowUp: frame + 1, PageUp: frame + 1, End: last });
  if (to[key] === undefined) return false;
  set(view, "frame", clamp(to[key], 0, last));
  return true;
}

export function listenToKeys(view, signal) {
  ownKeys(
    view.track,
    ({ key, ctrlKey, metaKey, altKey }) => !(ctrlKey || metaKey || altKey) && moveFilm(view, key),
    signal,
  );
  // At the stage: an SVG that listens for the focus is a Tab stop of its own in Chromium.
  view.on(view.stage, "focusin", (event) => {
    view.at = event.target.dataset.part ?? view.at;
    view.tabStop();
    relight(view);
  });
  view.on(view.stage, "focusout", () => relight(view));
  ownKeys(
    view.stage,
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      const part = partOf(view, event.target);
      if (!part) return false;
      view.byKeys = true;
      if (part.edit && STEPS[event.key]) write(view, part.edit, valueOf(view, part.edit) + STEPS[event.key]);
      else if (event.key === "Enter" || event.key === " ") press(view, part);
      else if (event.key === "Escape" && view.drag) takeBack(view);
      else if (event.key === "Escape" && view.get("zoom")) zoomTo(view, view.outside(view.get("zoom")));
      else if (/^(Arrow|Home|End)/.test(event.key)) focus(view, beside(view.parts, part.id, event.key));
      else return false;
      return true;
    },
    signal,
  );
}
