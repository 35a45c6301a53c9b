// Picture: the view as a whole. What is to be seen comes from `traits.js`, its places from `layout.js`, its paint from
// `draw.js` and `glimpses.js`, its words from `words.js`; `pointer.js` and `keyboard.js` hear the hand, `edit.js` obeys.

import style from "./style.css";
import { announce, say } from "../../base/js/canvas_view.js";
import { blank, context2d, hide, make } from "../../base/js/dom.js";
import { copyButton, handOver, sheetLike } from "../../base/js/png.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { css, theme, wear } from "../../base/js/theme.js";
import { memo } from "../../base/js/memo.js";
import {
  ground,
  paintCarry,
  paintImage,
  paintLines,
  paintMarks,
  paintSpecial,
  paintTitles,
  paintWeights,
  palette,
} from "./draw.js";
import { canUndo, undo } from "./edit.js";
import { paintGlimpses } from "./glimpses.js";
import { pictureLayout, placeBox, pointOf } from "./layout.js";
import { listenToPointer } from "./pointer.js";
import { readTraits } from "./traits.js";
import { hintOf, inWords, nameOf, readParts } from "./words.js";

wear(style);

const REST = 150; // ms after which the text in the picture's place follows
const NARROW = 520; // CSS pixels; the line below may then need two
const LEAST = 560; // CSS pixels that words may take, however small the image is

let names = 0;

class PictureView {
  model;
  el;
  signal;
  get;
  schedule;
  once;
  forget;

  constructor(model, el, signal) {
    Object.assign(this, {
      ...memo(),
      model,
      el,
      signal,
      hovered: [],
      aim: null,
      carry: null,
      drag: null,
      focus: false,
    });
    Object.assign(this, { v: null, g: null, held: false, limit: 0, told: false, chosen: "" });
    el.classList.add("attnlab", "picture");
    this.build();
    const { get, schedule } = showing(model, () => this.draw(), signal);
    Object.assign(this, { get, schedule });
    el.attnlab = {
      painted: 0,
      geometry: () => this.g,
      seen: () => this.seen(),
      cell: (panel, row, column) => this.middle(panel, row * this.v.columns + column),
      point: (panel, x, y) => this.onPage(pointOf(this.g, panel, x, y)),
    };
    joinPage(
      el,
      () => {
        this.look = theme(el);
        this.forget();
        schedule();
      },
      signal,
    );
    this.look = theme(el);
    listenToPointer(this);
    schedule();
  }

  build() {
    const id = `attnlab-picture-${++names}`;
    this.canvas = make("canvas", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "picture",
      "aria-describedby": id,
    });
    this.line = make("p", { class: "read" });
    this.undo = make("button", { class: "quiet", type: "button", hidden: true, onclick: () => undo(this) }, "undo");
    this.copy = copyButton({ onclick: () => this.hand() });
    this.foot = make("div", { class: "foot" }, this.line, make("div", { class: "tools" }, this.undo, this.copy));
    this.hint = make("p", { class: "hint", hidden: true });
    this.banner = make("p", { class: "banner", role: "alert", hidden: true });
    this.words = make("p", { class: "sr-only", id });
    this.live = make("div", { class: "sr-only", "aria-live": "polite", role: "status" });
    this.el.append(this.banner, this.canvas, this.foot, this.hint, this.words, this.live);
  }

  // What the traits say now. Where they do not fit each other it is said why, and the last good picture stays.
  read() {
    const v = readTraits(this);
    const fault = v?.fault ?? "";
    if (this.banner.textContent !== fault) this.banner.textContent = fault;
    this.banner.hidden = !fault;
    if (!fault) this.v = v;
    return !fault;
  }

  layout(v) {
    const what = {
      width: this.el.clientWidth || 700,
      ratio: v.ratio,
      panels: v.panels,
      side: this.get("side"),
      titled: v.titles.length > 0,
      named: v.named,
    };
    const sizes = [v.height, v.width, v.rows, v.columns];
    return this.once("layout", [...Object.values(what), ...sizes], () =>
      pictureLayout({ ...what, pixels: [v.height, v.width], grid: [v.rows, v.columns] }),
    );
  }

  draw() {
    const start = performance.now();
    if (!this.read()) return;
    const { v } = this;
    for (const part of [this.canvas, this.foot]) part.hidden = !v;
    if (!v) return;
    this.g = this.layout(v);
    const width = `${Math.max(this.g.width, LEAST)}px`;
    if (this.el.style.getPropertyValue("--picw") !== width) this.el.style.setProperty("--picw", width);
    this.paint(blank(this.canvas, this.g), this.g, v);
    this.tell(v);
    this.el.attnlab.painted += 1;
    this.el.attnlab.paintedIn = performance.now() - start;
  }

  paint(ctx, g, v) {
    const { look } = this;
    const kind = this.once("ground", [v.image], () => ground(v.image));
    const shades = this.once("shades", [look, v.scale, kind], () => palette(look, v.scale, kind));
    const pen = { ctx, g, look, shades, once: this.once };
    for (let panel = 0; panel < v.panels; panel++) {
      paintImage(pen, v, panel);
      paintWeights(pen, v, panel);
      paintSpecial(pen, v, panel);
      paintLines(pen, v, panel);
    }
    paintTitles(pen, v);
    paintMarks(pen, v);
    paintCarry(pen, v);
    for (let panel = 0; panel < v.panels; panel++) paintGlimpses(pen, v, panel);
  }

  // The words around the canvas.
  tell(v) {
    const parts = readParts(v);
    const words = parts.map(([text]) => text).join(" ");
    if (words !== this.line.dataset.words) {
      this.line.dataset.words = words;
      this.line.replaceChildren(...parts.map(([text, role]) => make("span", { class: role || null }, text)));
    }
    const hint = hintOf(v);
    if (this.hint.textContent !== hint) this.hint.textContent = hint;
    this.hint.hidden = !hint;
    this.el.classList.toggle("narrow", this.el.clientWidth < NARROW);
    this.canvas.dataset.editing = v.editing;
    const name = nameOf(v);
    if (this.canvas.getAttribute("aria-label") !== name) this.canvas.setAttribute("aria-label", name);
    hide(this.undo, !canUndo(v), this.canvas);
    const isRead = !v.hovered && !v.aim && !v.carry && this.el.contains(document.activeElement);
    if (!v.selected) announce(this, "");
    else announce(this, isRead ? words : null);
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      if (!this.signal.aborted) this.words.textContent = inWords(v);
    }, REST);
  }

  say(words) {
    say(this, words);
  }

  async hand() {
    const { v } = this;
    if (!v) return;
    const sheet = sheetLike(this.canvas, css(this.look.page));
    context2d(sheet).drawImage(this.canvas, 0, 0);
    this.say(`${await handOver(sheet, `picture-${v.height}x${v.width}`, this.copy)} as PNG`);
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
    this.schedule();
  }

  // --- for tests

  seen() {
    const { v } = this;
    if (!v) return null;
    const weights = v.weights && Array.from({ length: v.panels }, (_, panel) => Array.from(v.shown(panel)));
    return { frame: v.frame, panels: v.panels, order: [...v.order], weights, limit: v.limit, glimpses: v.glimpses };
  }

  onPage([x, y]) {
    const rect = this.canvas.getBoundingClientRect();
    return { x: rect.x + x, y: rect.y + y };
  }

  middle(panel, cell) {
    const box = placeBox(this.g, panel, this.v.places[cell]);
    return this.onPage([box.x + box.w / 2, box.y + box.h / 2]);
  }
}

export function render({ model, el, signal }) {
  new PictureView(model, el, signal);
}
