// Machine: a model as a diagram. This file is the view; a layout places what is seen. Each layout has a script of its
// own, machine_stream.js and so on, so that a page takes only its own.
//
// **A layout** is a pure function without the page, `lay(machine, look) -> { width, height, parts, marks }`. It is called anew for each picture, also for each of a motion, and has 4 ms.
//
// `machine`: { spec, node(id), tensor(name) }. `tensor` gives { name, shape, limit, of, data } or null; tensors.js has
//   what one asks of it: matrix(tensor, head), widthOf(tensor), lastRows(table, 64), rootMeanSquare(table). Tables are
//   { rows, columns, data }.
// `look`: { width, frame, p, chosen, off, zoom, measure, fit }. `width`: pixels there are. `frame`: position of the film, `p`:
//   how far its motion is, from 0 to 1 (at rest 1; the film's frame says its `ms`). `chosen`: [id, role] or []. `off`: a
//   Set of ids. `zoom`: an id or "". `measure(text, size = 13, bold = false)`: pixels;
//   `fit(text, width, size, bold)`: the text, cut to a width.
// What it returns is made with a Sheet (sheet.js). Beside width and height: `hint`, what a click does, in a few words;
//   `track`: { x, width } of the film's slider, where there is one.
//
// **parts**: what can be pointed at, in the order of the data. { id, name, shape, line, role, box: [x, y, width, height],
//   from: [ids], into: [ids], ends }. `shape` in words, or, where it takes work to say, a function that does; `line` of
//   code. `from`, `into`: what flows in and where it goes; a part with either is followed, no further than parts that
//   `end` the way. What it does: `zoom`: id that is enlarged;
//   `off`: id that is switched (`checked`: it is on); `choose`: [id, role]; `edit`: [tensor, ...index], a number to drag.
//   `role` is that of ARIA: img (the default), button, switch, radio, spinbutton. A later part lies above an earlier one.
// **marks**: { kind, key, ... }, keys are unique and stay the same from picture to picture. All marks: `opacity`; `part`
//   (an id, or several of which any will do) or `between` ([from, to]): what must be followed for it not to fade; `lit`:
//   attributes that it has instead while it is followed. `below`: it lies under the cells, on the canvas.
//   rect: x, y, width, height, radius; path: d; both: fill, stroke, thick, dash, tint (share that is not the page's).
//   text: x, y, text, size, colour, bold, anchor, turn.
//   cells: x, y, width, height, table, limit, scale ("scores", "weights", a role, or "image": data are its
//   pixels, one number each or red, green and blue), mask (a table, 0 is hatched), numbers
//   ({ size, decimals, short }), says(row, column): the place of a number in words; sums(row, column): the arithmetic
//   that gives it, or null; at: [row, column] of the number that is told while the part has the focus.
//   Colours are names: ink ink2 wire grid grid2 brand page error, query key value context hidden, head1 to head4.

import style from "./style.css";
import range from "../../base/range.css";
import { context2d, make, setAttribute, setText, speak, svg as element } from "../../base/js/dom.js";
import { ofHalves } from "../../base/js/halves.js";
import { floats } from "../../base/js/numbers.js";
import { Ahead } from "../../base/js/ahead.js";
import { alone } from "../../base/js/kernel.js";
import { copyButton, handOver, sheetLike } from "../../base/js/png.js";
import { showing } from "../../base/js/showing.js";
import { fitText, textWidth } from "../../base/js/text.js";
import { joinPage } from "../../base/js/page.js";
import { css, theme, wear } from "../../base/js/theme.js";
import { Underway } from "../../base/js/underway.js";
import { number } from "../../base/js/words.js";
import { Cells } from "./cells.js";
import { colours, headStyle } from "./colours.js";
import { followed, isLit } from "./follow.js";
import { focus, listenToKeys, listenToPointer, lookAhead, rangeOf, set, valueOf } from "./hand.js";
import { drawn, scene } from "./scene.js";
import { readMachine } from "./tensors.js";
import { nameOf, noPart, notNumbers, path, writeLine, writeList, writePath } from "./words.js";

wear(range + style + headStyle);

const KEYS = "arrow keys move from part to part, Enter presses, Escape leads out";
const FADED = 0.4; // what is not followed
const TOGETHER = 30; // ms a switch waits for the picture that follows from it: a frame of its own would make that one wait
const ZOOM = { duration: 240, easing: "cubic-bezier(.2,.7,.2,1)" };
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function build(layout, { model, el, signal }) {
  el.classList.add("attnlab", "machine");
  const crumbs = make("nav", { class: "crumbs", "aria-label": "what is seen" });
  const hint = make("span", { class: "hint" });
  const copy = copyButton();
  const canvas = make("canvas", { "aria-hidden": "true" });
  const [signs, hits] = [element("g"), element("g")];
  const svg = element("svg", { role: "group", "aria-description": KEYS }, signs, hits);
  const stage = make("div", { class: "stage" }, canvas, svg);
  const track = make("div", { class: "track", hidden: true });
  const said = make("p", { class: "error", role: "status" });
  const live = make("div", { class: "sr-only", role: "status" });
  const line = make("div", { class: "line" }, ...["b", "code", "span"].map((tag) => make(tag)));
  const list = make("ol", { class: "sr-only", "aria-label": "the machine as a list" });
  el.replaceChildren(make("div", { class: "top" }, crumbs, hint, copy), stage, track, said, line, list, live);
  const view = {
    layout,
    model,
    alone: alone(model),
    el,
    crumbs,
    hint,
    svg,
    stage,
    track,
    said,
    live,
    line,
    list,
    canvas,
    copy,
    cells: new Cells(canvas),
    signs: scene(signs),
    hits: scene(hits),
    elements: new Map(), // of the parts
    parts: [],
    picture: null, // what is painted
    machine: null,
    source: [], // what the machine was read from
    pointed: undefined, // the part under the pointer
    lit: undefined, // the part with the focus, as it is painted
    at: undefined, // the part that Tab leads to
    place: null, // of the pointer
    drag: null, // { edit, y, start, moved, pointer }
    byKeys: false, // the hand is on the keyboard: the stage scrolls to where the focus goes
    ahead: new Ahead(model, signal), // what the switch would do on which the hand rests
    underway: new Underway(model, signal), // a dragged number
    asked: null, // the numbers that stood when a switch was pressed, until it is painted
    seen: { zoom: "", frame: 0, width: 0 },
    motion: null, // { start, ms }
    on: (target, event, handler) => target.addEventListener(event, handler, { signal }),
    outside: (id) => path(view.machine, id).at(-2)?.[0] ?? "",
    focused: () => (view.hasFocus() && document.activeElement?.matches(":focus-visible") ? view.at : undefined),
    hasFocus: () => hits.contains(document.activeElement),
    read: () => view.picture && writeLine(view, view.seen.zoom),
    tabStop: () => view.elements.forEach(({ el }, id) => el.setAttribute("tabindex", id === view.at ? 0 : -1)),
  };
  return view;
}

// What a machine reads its tensors from. Of many numbers only those are unpacked that a picture asks for.
function numbersOf(packed) {
  if (!packed.halves) return floats(packed);
  const part = (from, to) => ofHalves(packed, from, to);
  return { length: packed.halves.byteLength / 2, subarray: part, slice: part };
}

// The machine as the model has it; read anew when any of it has changed.
function machineOf(view) {
  const source = [view.get("spec"), view.get("numbers"), view.get("edits"), Boolean(view.drag)];
  if (!source.every((x, i) => x === view.source[i])) {
    const numbers = source[1] === view.source[1] ? view.numbers : numbersOf(source[1]);
    const machine = readMachine(source[0], numbers, source[2], view.drag && view.machine);
    Object.assign(view, { machine, numbers, source });
  }
  return view.machine;
}

// How far the motion of the film's frame is. A step forwards moves; every other way of coming there jumps.
function progress(view, machine, frame) {
  const { seen } = view;
  if (frame !== seen.frame || view.el.clientWidth !== seen.width) {
    const ms = machine.spec.film?.[frame]?.ms ?? 0;
    const moves = frame === seen.frame + 1 && ms && view.el.clientWidth === seen.width && !isCalm();
    view.motion = moves ? { start: performance.now(), ms } : null;
  }
  const { start, ms } = view.motion ?? { start: 0, ms: 1 };
  const p = view.motion ? Math.min(1, (performance.now() - start) / ms) : 1;
  if (p === 1) view.motion = null;
  else view.schedule();
  return p;
}

function lay(view, look) {
  const machine = machineOf(view);
  const zoom = machine.node(view.get("zoom")) ? view.get("zoom") : "";
  const [frame, width] = [view.get("frame"), view.el.clientWidth];
  const p = progress(view, machine, frame);
  const font = (size, bold) => `${bold ? "600 " : ""}${size}px ${look.font}`;
  const picture = view.layout(machine, {
    width,
    frame,
    p,
    zoom,
    chosen: view.get("chosen"),
    off: new Set(view.get("off")),
    measure: (text, size = 13, bold = false) => textWidth(text, font(size, bold)),
    fit: (text, width, size = 13, bold = false) => fitText(text, font(size, bold), width),
  });
  return { picture, seen: { zoom, frame, width } };
}

// What can be pointed at, as rectangles over the signs.
function partItems(view) {
  const [least, most] = rangeOf(view);
  return view.parts.map((part) => {
    const [x, y, width, height] = part.box;
    const value = part.edit && valueOf(view, part.edit);
    const told = view.drag && view.elements.get(part.id)?.attributes["aria-label"]; // a hand that drags looks
    return {
      key: part.id,
      tag: "rect",
      attributes: {
        class: `part${part.zoom !== undefined ? " zoom" : ""}${part.edit ? " edit" : ""}${part.off || part.choose ? " press" : ""}`,
        "data-part": part.id,
        role: part.role ?? (part.zoom === undefined ? "img" : "button"),
        "aria-label": told || nameOf(part),
        "aria-disabled": part.still,
        "aria-checked": part.checked === undefined ? undefined : String(part.checked),
        ...(part.edit && {
          "aria-valuenow": value,
          "aria-valuetext": number(value),
          "aria-valuemin": least,
          "aria-valuemax": most,
        }),
        tabindex: part.id === view.at ? 0 : -1,
        rx: 3,
        x,
        y,
        width,
        height,
      },
    };
  });
}

function paintPicture(view, look) {
  const { picture } = view;
  const colour = colours(look);
  view.lit = view.focused();
  const { parts } = picture;
  const lit = followed(parts, view.pointed) ?? followed(parts, view.lit) ?? followed(parts, view.get("chosen")[0]);
  const marks = picture.marks.map((mark) => {
    if (!lit) return mark;
    if (!isLit(mark, lit)) return { ...mark, opacity: FADED * (mark.opacity ?? 1) };
    return mark.lit ? { ...mark, ...mark.lit } : mark;
  });
  view.cells.paint(
    marks.filter((mark) => mark.kind === "cells" || mark.below),
    picture,
    look,
    colour,
  );
  view.signs(drawn(marks, colour));
  for (const name of ["width", "height"]) setAttribute(view.svg, name, picture[name]);
  const wide = `${picture.width}px`;
  if (view.el.style.getPropertyValue("--picw") !== wide) view.el.style.setProperty("--picw", wide);
}

// Without a kernel nothing follows a switch that is pressed or a number that is dragged.
function still({ off, edit, ...part }) {
  return off === undefined && edit === undefined ? part : { ...part, still: true };
}

function paintParts(view) {
  const had = view.hasFocus() ? view.at : undefined;
  view.parts = view.alone ? view.picture.parts.map(still) : view.picture.parts;
  if (!view.parts.some(({ id }) => id === view.at)) view.at = view.parts[0]?.id;
  view.elements = view.hits(partItems(view));
  if (had !== undefined && had !== view.at) focus(view, view.at);
}

// From the box that was clicked into what it holds, and out to it again; the keyboard's focus goes along.
function moveZoom(view, before, zoom) {
  const ids = (id) => path(view.machine, id).map(([step]) => step);
  const isIn = ids(zoom).includes(before.zoom);
  const [parts, within] = isIn ? [before.parts, [zoom]] : [view.parts, ids(before.zoom)];
  const box = parts.find((part) => within.includes(part.zoom))?.box;
  if (view.refocus) {
    view.refocus = false;
    const back = view.parts.findLast((part) => part.zoom !== undefined && ids(before.zoom).includes(part.zoom));
    focus(view, (back ?? view.parts[0]).id);
  }
  if (!box || isCalm()) return;
  const { width, height } = view.picture;
  const [x, y] = [box[0] + box[2] / 2, box[1] + box[3] / 2];
  const scale = isIn ? Math.max(0.08, Math.min(box[2] / width, box[3] / height)) : 1.35;
  const from = { transform: `scale(${scale})`, transformOrigin: `${x}px ${y}px`, opacity: 0.15 };
  view.stage.animate([from, { transform: "none", transformOrigin: `${x}px ${y}px`, opacity: 1 }], ZOOM);
}

// The film's slider: a name under each group of frames.
function paintTrack(view, { track: place }) {
  const film = view.machine.spec.film ?? [];
  const { track } = view;
  const none = !place || film.length < 2;
  if (track.hidden !== none) track.hidden = none;
  if (none) return;
  if (track.film !== film) buildTrack(view, film);
  nameGroups(view, Math.min(place.width, view.seen.width - place.x));
  const frame = view.get("frame");
  // A stage that is wider than its view is scrolled, its slider not: all of it is at hand.
  const style = { marginLeft: `${place.x}px`, width: `${place.width}px`, maxWidth: `calc(100% - ${place.x}px)` };
  Object.assign(track.style, style);
  const input = track.querySelector("input");
  input.value = frame;
  input.style.setProperty("--filled", `${(100 * frame) / (film.length - 1)}%`);
  input.setAttribute("aria-valuetext", [film[frame]?.group, film[frame]?.phase].filter(Boolean).join(": "));
  for (const name of track.querySelectorAll("span"))
    name.classList.toggle("now", frame >= Number(name.dataset.first) && frame <= Number(name.dataset.last));
}

function buildTrack(view, film) {
  const { track } = view;
  track.film = film;
  const input = make("input", {
    type: "range",
    min: 0,
    max: film.length - 1,
    step: 1,
    "aria-label": "step of the film",
  });
  view.on(input, "input", () => set(view, "frame", Number(input.value)));
  const groups = [];
  film.forEach(({ group }, i) => {
    if (groups.at(-1)?.group === group) groups.at(-1).last = i;
    else groups.push({ group, first: i, last: i });
  });
  const names = groups
    .filter(({ group }) => group)
    .map(({ group, first, last }) => {
      const middle = (first + last) / 2 / (film.length - 1);
      const left = `calc(8px + ${middle} * (100% - 16px))`;
      const share = (last - first + 1) / film.length;
      const style = `left: ${left}; max-width: calc(${share} * (100% - 16px))`;
      return make("span", { style, "data-first": first, "data-last": last, "data-name": group, "data-share": share });
    });
  track.replaceChildren(input, ...names);
  track.wide = 0;
}

// Whole names where there is room for all of them, else their last words: "3" for "glimpse 3".
function nameGroups({ el, track }, width) {
  if (track.wide === width) return;
  track.wide = width;
  const names = [...track.querySelectorAll("span")];
  const font = `600 12px ${theme(el).font}`;
  const isCut = names.some(({ dataset: { name, share } }) => textWidth(name, font) > share * (width - 16));
  for (const span of names) span.textContent = isCut ? span.dataset.name.split(" ").at(-1) : span.dataset.name;
}

function paint(view) {
  const start = performance.now();
  view.asked = null;
  const look = theme(view.el);
  if (!view.get("spec")?.nodes || !view.get("numbers") || !view.el.clientWidth) return;
  const before = { zoom: view.seen.zoom, parts: view.parts };
  const first = !view.picture;
  try {
    const { picture, seen } = lay(view, look);
    Object.assign(view, { picture, seen });
    setText(view.said, [noPart(view.get("zoom"), seen.zoom), notNumbers(picture)].filter(Boolean).join(" "));
  } catch (error) {
    view.said.textContent = `This machine cannot be drawn. ${/** @type {Error} */ (error).message}`;
    if (!view.picture) return;
  }
  paintParts(view);
  paintPicture(view, look);
  setAttribute(view.svg, "aria-label", view.machine.spec.title ?? "the machine");
  const { zoom } = view.seen;
  writePath(view, view.picture, zoom);
  writeLine(view, zoom);
  if (!view.motion && !view.drag) writeList(view);
  paintTrack(view, view.picture);
  if (!first && zoom !== before.zoom) moveZoom(view, before, zoom);
  lookAhead(view);
  view.el.attnlab = { picture: view.picture, paintedIn: performance.now() - start };
}

// The SVG over the canvas, as it is painted.
async function copyPicture({ svg, canvas, copy, el }) {
  const look = theme(el);
  const clone = svg.cloneNode(true);
  clone.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  clone.setAttribute("font-family", look.font);
  clone.lastChild.remove(); // what can be pointed at
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(clone))}`;
  await image.decode();
  const sheet = sheetLike(canvas, css(look.page));
  const ctx = context2d(sheet);
  ctx.drawImage(canvas, 0, 0);
  ctx.drawImage(image, 0, 0, sheet.width, sheet.height);
  return handOver(sheet, "machine", copy);
}

// What became of the picture is said: the button that shows it has a name of its own.
async function copied(view) {
  try {
    speak(view.live, `${await copyPicture(view)} as PNG`);
  } catch {
    setText(view.said, "The picture could not be copied.");
  }
}

// A machine's `render`, with its layout.
export const machine = (layout) => (shown) => render(layout, shown);

function render(layout, shown) {
  const { model, el, signal } = shown;
  const view = build(layout, shown);
  Object.assign(
    view,
    showing(
      model,
      () => paint(view),
      signal,
      () => (view.asked && view.asked === model.get("numbers") ? TOGETHER : 0),
    ),
  ); // get, schedule
  listenToPointer(view);
  listenToKeys(view, signal);
  view.on(view.copy, "click", () => copied(view));
  joinPage(el, view.schedule, signal);
  view.schedule();
}
