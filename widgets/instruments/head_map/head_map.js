// HeadMap: every head as a small picture. A click chooses one; the button or the key x switches it off and on.

import style from "./style.css";
import { blank, context2d, make, ownKeys } from "../../base/js/dom.js";
import { hatch } from "../../base/js/hatch.js";
import { same } from "../../base/js/memo.js";
import { bytesOf } from "../../base/js/numbers.js";
import { showing } from "../../base/js/showing.js";
import { textWidth } from "../../base/js/text.js";
import { joinPage } from "../../base/js/page.js";
import { pixel, theme, wear } from "../../base/js/theme.js";
import { headMapLayout, stepFrom } from "./layout.js";

wear(style);

const NEAR = 150; // px of the head from near
const has = (list, head) => list.some((one) => same(one, head));

// The colours of 0 to 255 as packed pixels.
const palette = (look) => Uint32Array.from({ length: 256 }, (_, i) => pixel(look.weights(i / 255)));

// All small pictures under each other, a pixel a cell: painted once for each change of the weights.
function sheetOf(cells, side, shades) {
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: side, height: Math.max(1, cells.length / side) });
  if (!cells.length) return sheet;
  const ctx = context2d(sheet);
  const image = ctx.createImageData(side, sheet.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < cells.length; i++) pixels[i] = shades[cells[i]];
  ctx.putImageData(image, 0, 0);
  return sheet;
}

class HeadMapView {
  model;
  el;
  signal;
  get;
  schedule;
  pointed = null;
  g;
  sheet;
  sheetFor;

  constructor(model, el, signal) {
    Object.assign(this, { model, el, signal });
    el.classList.add("attnlab", "attnlab-headmap");
    this.build();
    const { get, schedule } = showing(model, () => this.draw(), signal);
    Object.assign(this, { get, schedule });
    joinPage(el, schedule, signal);
    this.listen();
    el.attnlab = { painted: 0, middle: (row, head) => this.middle(row, head) };
    schedule();
  }

  build() {
    this.canvas = make("canvas", {
      class: "all",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "map of heads",
    });
    this.near = make("canvas", { "aria-hidden": "true" });
    this.name = make("span", { class: "name" });
    this.button = make("button", { type: "button", onclick: () => this.press(this.get("chosen")) });
    this.hint = make("span", { class: "hint" });
    this.live = make("div", { class: "sr-only", role: "status", "aria-live": "polite" });
    const said = make("div", { class: "said" }, this.name, this.button, this.hint);
    const near = make("div", { class: "near" }, this.near, said);
    this.el.append(make("div", { class: "map" }, this.canvas, near), this.live);
  }

  listen() {
    const { canvas, signal } = this;
    const under = (event) => this.g?.at(event.offsetX, event.offsetY) ?? null;
    const point = (head) => {
      if (head ? this.pointed && same(head, this.pointed) : !this.pointed) return;
      this.pointed = head;
      this.schedule();
    };
    canvas.addEventListener("pointermove", (event) => point(under(event)), { signal });
    canvas.addEventListener("pointerleave", () => point(null), { signal });
    canvas.addEventListener("click", (event) => under(event) && this.choose(under(event)), { signal });
    ownKeys(canvas, (event) => this.key(event), signal);
  }

  key(event) {
    const chosen = this.get("chosen");
    const counts = this.get("counts");
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !counts.length) return false;
    if (step) this.choose(chosen.length ? stepFrom(chosen, ...step, counts) : [0, 0]);
    else if ((event.key === "x" || event.key === "Enter" || event.key === " ") && chosen.length) this.press(chosen);
    else return false;
    return true;
  }

  choose(head) {
    this.pointed = null;
    this.set("chosen", head);
    this.live.textContent = this.inWords(head);
  }

  press(head) {
    if (!head.length) return;
    const off = this.get("off");
    this.set("off", has(off, head) ? off.filter((one) => !same(one, head)) : [...off, head]);
    this.live.textContent = this.inWords(head);
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
    this.schedule();
  }

  inWords([row, head]) {
    const state = [
      has(this.get("off"), [row, head]) && "off",
      has(this.get("changed"), [row, head]) && "changed by hand",
    ];
    return [`${this.get("rows")[row]}, head ${head + 1}`, ...state.filter(Boolean)].join(", ");
  }

  draw() {
    const look = theme(this.el);
    const counts = this.get("counts");
    const rows = this.get("rows");
    const font = `12px ${look.font}`;
    const labels = Math.max(0, ...rows.map((name) => textWidth(name, font)));
    this.g = headMapLayout({ width: this.el.clientWidth || 700, counts, labels });
    const cells = this.get("cells");
    if (cells !== this.sheetFor?.cells || look !== this.sheetFor.look) {
      this.sheetFor = { cells, look };
      this.sheet = sheetOf(bytesOf(cells), this.get("side"), palette(look));
    }
    this.drawMap(look, rows, counts, font);
    this.drawNear(look);
    const chosen = this.get("chosen");
    this.canvas.setAttribute(
      "aria-label",
      `all heads${chosen.length ? `; chosen: ${this.inWords(chosen)}` : ""}; arrows choose, x switches off and on`,
    );
    this.el.attnlab.painted += 1;
  }

  drawMap(look, rows, counts, font) {
    const { g } = this;
    const ctx = blank(this.canvas, { ...g, ratio: devicePixelRatio });
    ctx.font = font;
    ctx.fillStyle = look.ink2;
    ctx.textAlign = "center";
    for (let head = 0; head < Math.max(0, ...counts); head++)
      if (g.size >= 18 || head % 4 === 0) ctx.fillText(String(head + 1), g.place(0, head).x + g.size / 2, g.top - 7);
    const stripes = hatch(ctx, look.hatch);
    const [off, changed, chosen] = ["off", "changed", "chosen"].map(this.get);
    ctx.textAlign = "right";
    let number = 0;
    rows.forEach((name, row) => {
      ctx.fillStyle = look.ink2;
      ctx.fillText(name, g.left - 8, g.place(row, 0).y + g.size / 2 + 4);
      for (let head = 0; head < counts[row]; head++, number++) {
        const { x, y } = g.place(row, head);
        this.drawHead(ctx, number, x, y, g.size);
        if (has(off, [row, head])) {
          ctx.fillStyle = stripes;
          ctx.fillRect(x, y, g.size, g.size);
        }
        frame(ctx, x, y, g.size, look.grid2, 1);
        if (has(changed, [row, head])) frame(ctx, x, y, g.size, look.mark.context, 2);
        if (this.pointed && same(this.pointed, [row, head])) frame(ctx, x, y, g.size, look.ink2, 2);
        if (chosen.length && same(chosen, [row, head])) frame(ctx, x - 1, y - 1, g.size + 2, look.brand, 2.5);
      }
    });
  }

  drawHead(ctx, number, x, y, size) {
    const side = this.get("side");
    ctx.imageSmoothingEnabled = side > size;
    ctx.drawImage(this.sheet, 0, number * side, side, side, x, y, size, size);
  }

  // The head under the pointer, else the chosen one, larger.
  drawNear(look) {
    const chosen = this.get("chosen");
    const head = this.pointed ?? (chosen.length ? chosen : null);
    const ctx = blank(this.near, { width: NEAR, height: NEAR, ratio: devicePixelRatio });
    if (head) {
      const before = this.get("counts").slice(0, head[0]);
      this.drawHead(ctx, before.reduce((sum, count) => sum + count, 0) + head[1], 0, 0, NEAR);
      if (has(this.get("off"), head)) {
        ctx.fillStyle = hatch(ctx, look.hatch);
        ctx.fillRect(0, 0, NEAR, NEAR);
      }
    }
    frame(ctx, 0, 0, NEAR, look.grid2, 1);
    this.name.textContent = head ? this.inWords(head) : "";
    this.button.textContent = chosen.length && has(this.get("off"), chosen) ? "switch it on" : "switch it off";
    this.button.disabled = !chosen.length;
    const away = this.pointed && !(chosen.length && same(this.pointed, chosen));
    // Hidden, it would lose the keyboard's focus to a mouse that only passes.
    this.button.style.visibility = away && !this.button.matches(":focus-visible") ? "hidden" : "";
    this.hint.textContent = away
      ? "click to see it whole"
      : "each row of a picture is a token that looks, each column one that is looked at";
  }

  middle(row, head) {
    const { x, y } = this.g.place(row, head);
    const rect = this.canvas.getBoundingClientRect();
    return { x: rect.x + x + this.g.size / 2, y: rect.y + y + this.g.size / 2 };
  }
}

function frame(ctx, x, y, size, colour, width) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
}

export function render({ model, el, signal }) {
  new HeadMapView(model, el, signal);
}
