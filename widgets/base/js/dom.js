// Elements: made without markup, painted on, hidden without losing the focus, and their keys.

const SVG = "http://www.w3.org/2000/svg";

// `make("button", { class: "go", "aria-label": "start", onclick: f }, "start")`
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// `svg("circle", { r: 3, class: "dot" })`
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(el, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children);
  return el;
}

// A canvas is asked for no other kind of context, and so it always has this one.
/** @returns {CanvasRenderingContext2D} */
export const context2d = (canvas) => canvas.getContext("2d");

// The context of a canvas that is as large as its picture, empty, in CSS pixels; `g`: the picture's { width, height } and
// `ratio`, the screen's dots in one.
export function blank(canvas, g) {
  const [width, height] = [Math.round(g.width * g.ratio), Math.round(g.height * g.ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  Object.assign(canvas.style, { width: `${width / g.ratio}px`, height: `${height / g.ratio}px` });
  const ctx = context2d(canvas);
  ctx.setTransform(g.ratio, 0, 0, g.ratio, 0, 0);
  ctx.clearRect(0, 0, g.width + 1, g.height + 1);
  return ctx;
}

// Where it is another than before: an SVG whose width is set, even to the same, lays out all its texts anew.
export function setAttribute(el, name, value) {
  if (el.getAttribute(name) !== String(value)) el.setAttribute(name, value);
}

// The text of an element where it is another than before: the same one, written again, is laid out anew.
export function setText(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

// The children of an element become these nodes. Where a child of the same kind stands already, it stays and is only
// changed: with the focus, how far it is scrolled, and a press that has not been let go, whose click were lost otherwise.
// So what listens belongs to the element around them.
export function redraw(el, ...nodes) {
  const before = [...el.childNodes];
  nodes.forEach((node, i) => {
    const old = before[i];
    if (!old) el.append(node);
    else if (old.nodeName !== node.nodeName) old.replaceWith(node);
    else if (node instanceof Element) become(old, node);
    else setText(old, node.textContent);
  });
  for (const left of before.slice(nodes.length)) left.remove();
}

function become(el, other) {
  for (const { name } of [...el.attributes]) if (!other.hasAttribute(name)) el.removeAttribute(name);
  for (const { name, value } of other.attributes) setAttribute(el, name, value);
  redraw(el, ...other.childNodes);
}

// `press(its data-name)` for every press on a button that has one, also on one that is made later.
export function whenPressed(el, name, press) {
  el.addEventListener("click", ({ target }) => {
    const button = target.closest(`[data-${name}]`);
    if (button) press(button.dataset[name]);
  });
}

// Hide or show a control. Hidden, it hands the keyboard's focus on to `heir`, which else fell back to the top of the page.
export function hide(el, hidden, heir) {
  if (hidden && el === document.activeElement) heir.focus({ preventScroll: true });
  el.hidden = hidden;
}

// Notes in `view.held` whether a hand is down anywhere in the page: colours keep their scale meanwhile. A picture that was
// painted with such a scale notes it in `view.heldBack`, and is painted anew when the hand is up; so is whatever waits.
export function watchHand(view, signal) {
  const listen = (event, heard) => window.addEventListener(event, heard, { capture: true, signal });
  listen("pointerdown", () => {
    view.held = true;
  });
  for (const end of ["pointerup", "pointercancel"])
    listen(end, () => {
      view.held = false;
      if (view.heldBack) view.schedule();
      view.heldBack = false;
    });
}

// A listener to pointers that hears, while a drag is under way, its own pointer alone: a second finger changes nothing.
export const ofOneHand = (view, heard) => (event) => {
  if (!view.drag || view.drag.pointer === event.pointerId) heard(event);
};

// Where an event is as an SVG measures: it may be drawn smaller than it was laid out.
export function placeIn(svg, { clientX, clientY }) {
  return new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
}

// Words into a live region. It is emptied first: a screen reader says the same words again only where they come anew.
export function speak(live, words) {
  live.textContent = "";
  live.textContent = words;
}

// Shift and Enter runs the cell, wherever the focus is.
export const runsTheCell = ({ key, shiftKey }) => shiftKey && key === "Enter";

// Notebook 7 takes the arrow keys at the document; we listen before it, at the window, for keys that hit our element.
// The handler returns true when it used the key; what becomes of the others is the same in all views: see page.js.
export function ownKeys(el, handler, signal) {
  window.addEventListener(
    "keydown",
    (event) => {
      if (!el.contains(event.target) || runsTheCell(event) || !handler(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true, signal },
  );
}
