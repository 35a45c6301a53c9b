// Molecules: the precursors above, the product below. The atom of the product that is pointed at, or selected, lights the
// atoms above by their weights; while none is, numbers say which atom looks where. A pen changes both drawings.

import style from "./style.css";
import { make, ownKeys, placeIn, setText, svg } from "../../base/js/dom.js";
import { tell } from "../../base/js/kernel.js";
import { floats, identity } from "../../base/js/numbers.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { css, inkOn, theme, wear } from "../../base/js/theme.js";
import { number } from "../../base/js/words.js";
import { RADIUS, atomAt, beside, placed, strokes } from "./layout.js";

wear(style);

const TITLE = 22; // height of a drawing's name
const BETWEEN = 40; // height of the arrow
const LOOK = "look"; // the hand without a pen

class MoleculesView {
  model;
  el;
  signal;
  get;
  schedule;
  g;
  hover = -1;
  targets = [];
  sources = []; // buttons for keys: the atoms of the precursors, while the hand holds a pen
  pen = LOOK;

  constructor(model, el, signal) {
    Object.assign(this, { model, el, signal });
    el.classList.add("attnlab", "attnlab-molecules");
    this.back = svg("g", { "aria-hidden": "true" });
    this.front = svg("g", { role: "listbox", "aria-label": "atoms of the product" });
    this.over = svg("g", { "aria-hidden": "true", "pointer-events": "none" });
    this.svg = svg("svg", { onclick: (event) => this.press(event) }, this.back, this.front, this.over);
    this.live = make("div", { class: "sr-only", "aria-live": "polite" });
    this.hint = make("p", { class: "hint", "aria-live": "polite" });
    this.tools = make("div", { class: "pens", role: "group", "aria-label": "what the hand does with an atom" });
    this.list = make("ol", { class: "sr-only", "aria-label": "atoms of the precursors" });
    el.append(this.tools, this.svg, this.hint, this.list, this.live);
    const { get, schedule } = showing(model, () => this.draw(), signal);
    Object.assign(this, { get, schedule });
    joinPage(el, schedule, signal);
    ownKeys(el, (event) => this.key(event), signal);
    this.draw();
  }

  // --- what is to be seen ---

  read() {
    const [precursors, product, weights] = ["precursors", "product", "weights"].map((name) => this.get(name));
    const [rows, columns] = [product.labels.length, precursors.labels.length];
    const fits = weights && weights.shape[0] === rows && weights.shape[1] === columns;
    const data = fits ? floats(weights) : new Float32Array(rows * columns);
    const row = (atom) => data.subarray(atom * columns, (atom + 1) * columns);
    const found = identity(rows).map((atom) => (fits ? row(atom).indexOf(Math.max(...row(atom))) : -1));
    const given = this.get("right");
    const right = given.length === rows ? given : [];
    const wrong = identity(rows).map((atom) => right.length > 0 && !right[atom].includes(found[atom]));
    const asks = this.hover >= 0 && this.hover < rows ? this.hover : this.get("selected");
    return { precursors, product, row, found, right, wrong, asks: asks < rows ? asks : -1 };
  }

  layout(v) {
    const width = Math.max(320, this.el.clientWidth);
    const above = placed(v.precursors, width, TITLE);
    const below = placed(v.product, width, above.end + BETWEEN + TITLE);
    return { width, above, below, height: below.end + 14 };
  }

  // --- drawing ---

  draw() {
    if (String(this.laid) !== String(this.get("pens"))) this.lay(this.get("pens"));
    const v = (this.v = this.read());
    const g = (this.g = this.layout(v));
    const look = theme(this.el);
    this.svg.setAttribute("height", g.height);
    this.svg.setAttribute("viewBox", `0 0 ${g.width} ${g.height}`);
    if (this.targets.length !== v.found.length) this.begin(v.found.length);
    const bonds = (drawing, { centres }) =>
      drawing.bonds.flatMap((bond) =>
        strokes(bond, centres, drawing.bonds).map(([x1, y1, x2, y2, kind]) =>
          svg("line", { class: `bond ${kind}`, x1, y1, x2, y2 }),
        ),
      );
    const [first, second] = this.get("titles");
    this.back.replaceChildren(
      text(first, 0, 9, "title"),
      text(second, 0, g.above.end + BETWEEN + 9, "title"),
      text("↓", g.width / 2, g.above.end + BETWEEN / 2 + 2, "between"),
      ...[...g.above.gaps, ...g.below.gaps].map(([x, y]) => text("+", x, y, "between")),
      ...bonds(v.precursors, g.above),
      ...bonds(v.product, g.below),
      ...v.precursors.labels.map((label, atom) => this.source(v, g, look, atom, label)),
    );
    v.product.labels.forEach((label, atom) => this.target(v, g, atom, label));
    this.listAtoms(v.precursors);
    this.tellHint();
    this.over.replaceChildren(...this.lines(v, g, look));
  }

  // Of the precursors, for who hears the picture, and for the keys of who draws; a pointer that only moves changes nothing.
  listAtoms(drawing) {
    const draws = this.pen !== LOOK;
    if (this.listed === drawing && this.sources.length > 0 === draws) return;
    this.listed = drawing;
    const focused = this.sources.indexOf(document.activeElement);
    const words = drawing.labels.map((label, atom) => bonded(drawing, label, atom));
    this.sources = draws ? words.map((name, atom) => this.sourceButton(name, atom)) : [];
    this.list.replaceChildren(...words.map((name, atom) => make("li", {}, this.sources[atom] ?? name)));
    if (focused >= 0) this.sources[Math.min(focused, this.sources.length - 1)]?.focus({ preventScroll: true });
  }

  sourceButton(name, atom) {
    const on = { onclick: () => this.touch(0, atom), onfocus: this.schedule, onblur: this.schedule };
    return make("button", { type: "button", tabindex: atom ? -1 : 0, ...on }, name);
  }

  // An atom of the precursors: its colour is its weight, or it bears the numbers of those that look at it most.
  source(v, g, look, atom, label) {
    const [x, y] = g.above.centres[atom];
    const group = svg("g", { class: "source" });
    if (this.sources[atom] === document.activeElement)
      group.append(svg("circle", { class: "focused", cx: x, cy: y, r: RADIUS + 4 }));
    const readers = identity(v.found.length).filter((reader) => v.found[reader] === atom);
    const [left, high] = beside(atom, g.above.centres, v.precursors.bonds);
    if (v.asks < 0) {
      group.classList.toggle("leaves", !readers.length);
      group.append(svg("circle", { class: "disc", cx: x, cy: y, r: RADIUS - 3 }), text(label, x, y, "name"));
      group.append(...numbers(readers, v, left, high));
      return group;
    }
    const weight = v.row(v.asks)[atom];
    const colour = look.weights(weight);
    const disc = svg("circle", { class: "disc", cx: x, cy: y, r: RADIUS });
    disc.style.fill = css(colour);
    const name = text(label, x, y, "name");
    name.style.fill = inkOn(colour);
    group.append(disc, name);
    if (v.right[v.asks]?.includes(atom)) group.append(svg("circle", { class: "truth", cx: x, cy: y, r: RADIUS + 3 }));
    if (weight >= 0.05) group.append(text(number(weight), left + 8 * Math.sign(left - x), high, "weight"));
    return group;
  }

  target(v, g, atom, label) {
    const el = this.targets[atom];
    const [x, y] = g.below.centres[atom];
    // The discs stay while the pointer is on them: a click on what was replaced meanwhile would be lost.
    const [ring, disc] = el.children;
    for (const circle of [ring, disc]) {
      circle.setAttribute("cx", x);
      circle.setAttribute("cy", y);
    }
    const around = v.asks < 0 ? numbers([atom], v, ...beside(atom, g.below.centres, v.product.bonds)) : [];
    while (el.children.length > 2) el.lastChild.remove();
    el.append(text(label, x, y, "name"), ...around);
    el.classList.toggle("asks", atom === v.asks);
    el.classList.toggle("wrong", v.wrong[atom]);
    el.setAttribute("aria-label", this.words(v, atom));
    el.setAttribute("aria-selected", String(atom === this.get("selected")));
    el.setAttribute("tabindex", atom === Math.max(this.get("selected"), 0) ? 0 : -1);
  }

  lines(v, g, look) {
    if (v.asks < 0) return [];
    const [x1, y1] = g.below.centres[v.asks];
    return [...v.row(v.asks)].flatMap((weight, atom) => {
      if (weight < 0.02) return [];
      const [x2, y2] = g.above.centres[atom];
      const [from, to] = [y1 - RADIUS - 2, y2 + RADIUS + 2];
      const middle = (from + to) / 2;
      const d = `M${x1},${from} C${x1},${middle} ${x2},${middle} ${x2},${to}`;
      const stroke = css(look.weights(0.35 + 0.6 * weight));
      return [svg("path", { class: "line", d, stroke, "stroke-width": (0.6 + 7 * weight).toFixed(2), opacity: 0.75 })];
    });
  }

  // --- pens ---

  lay(pens) {
    this.laid = pens;
    const button = (pen) =>
      make("button", { class: "quiet", type: "button", "aria-pressed": "false", onclick: () => this.take(pen) }, pen);
    this.tools.replaceChildren(...(pens.length ? [LOOK, ...pens].map(button) : []));
    this.take(LOOK);
  }

  take(pen) {
    this.pen = pen;
    for (const button of this.tools.children) button.setAttribute("aria-pressed", String(button.textContent === pen));
    this.el.classList.toggle("drawing", pen !== LOOK);
    if (this.v) this.listAtoms(this.v.precursors);
    this.tellHint();
  }

  tellHint() {
    const look = "point at an atom of the product, or choose one with the arrow keys";
    const draw =
      "press an atom, above or below, or the blank beside it; with keys, arrow up leads to the atoms above, arrow down " +
      "back, and Enter draws";
    setText(this.hint, this.get("refused") || (this.pen === LOOK ? look : draw));
    this.hint.classList.toggle("refused", Boolean(this.get("refused")));
  }

  touch(side, atom) {
    tell(this.model, { kind: "action", pen: this.pen, side, atom });
  }

  // A pen touches an atom, or the blank: of the drawing whose half of the picture was pressed.
  press(event) {
    if (this.pen === LOOK) return;
    const { x, y } = placeIn(this.svg, event);
    const side = y < this.g.above.end + BETWEEN / 2 ? 0 : 1;
    this.touch(side, atomAt(x, y, [this.g.above, this.g.below][side].centres));
  }

  // --- words ---

  words(v, atom) {
    const at = v.found[atom];
    if (at < 0) return `atom ${atom + 1} of the product, ${v.product.labels[atom]}`;
    const verdict = v.right.length ? `, ${v.wrong[atom] ? "wrong" : "right"}` : "";
    return (
      `atom ${atom + 1} of the product, ${v.product.labels[atom]}, weighs most atom ${at + 1} of the precursors, ` +
      `${v.precursors.labels[at]}, ${number(v.row(atom)[at])}${verdict}`
    );
  }

  // --- what the hand does ---

  // The focus goes on to the new atom of its number, or to the last one: it fell back to the top of the page else.
  begin(count) {
    const focused = this.targets.findIndex((target) => target === document.activeElement);
    this.hover = -1;
    this.targets = identity(count).map((atom) => {
      const point = (to) => {
        this.hover = to;
        this.schedule();
      };
      const on = {
        onpointerenter: () => point(atom),
        onpointerleave: () => point(-1),
        onclick: () => this.pen === LOOK && this.select(this.get("selected") === atom ? -1 : atom),
      };
      const circles = [svg("circle", { class: "ring", r: RADIUS + 4 }), svg("circle", { class: "disc", r: RADIUS })];
      return svg("g", { class: "target", role: "option", tabindex: -1, ...on }, ...circles);
    });
    this.front.replaceChildren(...this.targets);
    if (focused >= 0) this.targets[Math.min(focused, count - 1)]?.focus({ preventScroll: true });
  }

  select(atom) {
    this.model.set("selected", atom);
    this.model.save_changes();
    this.schedule();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (this.sources.includes(event.target)) return this.keyAbove(event.key, this.sources.indexOf(event.target));
    if (!event.target.closest?.(".target")) return false;
    const atom = this.targets.indexOf(event.target.closest(".target"));
    if (event.key === "ArrowUp" && this.sources.length) {
      this.sources[0].focus();
      return true;
    }
    if (this.pen !== LOOK && ["Enter", " "].includes(event.key)) {
      this.touch(1, atom);
      return true;
    }
    const to = { ...along(atom, this.targets.length), Enter: atom, " ": atom, Escape: -1 }[event.key];
    if (to === undefined) return false;
    this.hover = -1;
    this.select(to);
    if (to >= 0) {
      this.targets[to].focus();
      this.live.textContent = this.words(this.v, to);
    }
    return true;
  }

  // On an atom of the precursors, which is pressed as every button is.
  keyAbove(key, atom) {
    const below = this.targets[Math.max(this.get("selected"), 0)];
    const to = key === "ArrowDown" ? below : this.sources[along(atom, this.sources.length)[key]];
    to?.focus({ preventScroll: true });
    return Boolean(to);
  }
}

// Where keys lead from one of `count` atoms.
const along = (atom, count) => ({
  ArrowLeft: Math.max(0, atom - 1),
  ArrowRight: Math.min(count - 1, atom + 1),
  Home: 0,
  End: count - 1,
});

// An atom and those it is bonded to, in words.
function bonded({ bonds }, label, atom) {
  const others = bonds.flatMap(([a, b]) => (a === atom ? [b + 1] : b === atom ? [a + 1] : []));
  return [label, others.length && `bonded to ${others.join(", ")}`].filter(Boolean).join(", ");
}

function text(words, x, y, name) {
  const el = svg("text", { class: name, x, y });
  el.append(words);
  return el;
}

// Small numbers beside an atom, those of the wrong ones in red and with a cross.
function numbers(atoms, v, x, y) {
  if (!atoms.length) return [];
  const el = svg("text", { class: "number", x, y });
  atoms.forEach((atom, i) => {
    const part = svg("tspan", { class: v.wrong[atom] ? "number bad" : "number" });
    part.textContent = `${i ? " " : ""}${atom + 1}${v.wrong[atom] ? "✗" : ""}`;
    el.append(part);
  });
  return [el];
}

export function render({ model, el, signal }) {
  new MoleculesView(model, el, signal);
}
