// TokenFlow: tokens below, outputs above, lines between them. A column is a token with its output; a hand drags it sideways.
// All data are given token by token in the first order; `order[place]` is the token that stands at a place.

import style from "./style.css";
import { make, ofOneHand, ownKeys, placeIn, svg } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { clamp, floats, identity, isOrder } from "../../base/js/numbers.js";
import { joinPage } from "../../base/js/page.js";
import { shorten, textWidth } from "../../base/js/text.js";
import { css, theme, wear } from "../../base/js/theme.js";
import { number, visible } from "../../base/js/words.js";

wear(style);

const STRIP = 16; // height of a vector
const DROP = 104; // height of the lines
const WIDEST = 156; // width of a column
const CHIP = 30; // height of a token's box
const SIGN = 19; // width of an answer's sign
const LEAST = 660; // width that the controls above may take, however few tokens there are
const PACE = 55; // ms in which a column covers two thirds of its way

class TokenFlowView {
  model;
  el;
  signal;
  get;
  schedule;
  tokens;
  at;
  drag;
  hover;
  last;
  g;

  constructor(model, el, signal) {
    Object.assign(this, { model, el, signal, tokens: [], at: [], drag: null, hover: -1 });
    el.classList.add("attnlab", "attnlab-flow");
    this.back = svg("g", { "aria-hidden": "true" });
    this.columns = svg("g", { role: "listbox", "aria-orientation": "horizontal" });
    this.svg = svg("svg", {}, this.back, this.columns);
    this.live = make("div", { class: "sr-only", "aria-live": "polite" });
    const hint = make(
      "p",
      { class: "hint" },
      "drag a token sideways, or choose one with the arrow keys and move it with Alt and an arrow key",
    );
    el.append(this.svg, hint, this.live);
    const { get, schedule } = showing(model, () => this.draw(), signal);
    Object.assign(this, { get, schedule });
    joinPage(
      el,
      () => {
        this.jump = true;
        schedule();
      },
      signal,
    );
    ownKeys(el, (event) => this.key(event), signal);
    el.attnlab = { order: () => this.order() };
    this.draw();
  }

  order() {
    const n = this.get("labels").length;
    const order = this.get("order");
    return isOrder(order, n) ? order : identity(n);
  }

  // --- geometry ---

  layout() {
    const labels = this.get("labels");
    const n = labels.length;
    const width = Math.max(320, this.el.clientWidth);
    const gutter = Math.max(...this.get("titles").map((title) => title.length)) * 7.5 + 12;
    const c = Math.min(WIDEST, (width - gutter) / Math.max(n, 1));
    const answers = this.get("answers").map(([words]) => textWidth(words, `600 15px ${theme(this.el).font}`));
    const isStacked = Math.max(0, ...answers) + SIGN > c - 4; // a narrow column has its sign below
    const rows = {};
    let y = 4;
    const row = (name, height, gap) => {
      rows[name] = y;
      y += height + gap;
    };
    if (this.get("before")) {
      row("before", STRIP, 0);
      row("sign", 24, 0);
    }
    if (this.get("answers").length) row("answer", isStacked ? 38 : 24, 4);
    if (this.get("contexts")) row("output", STRIP, 4);
    row("top", 0, DROP);
    row("weight", 16, 2);
    if (this.get("inputs")) row("input", STRIP, 6);
    row("chip", CHIP, 4);
    row("place", 16, 4);
    return { n, labels, width, gutter, c, rows, isStacked, height: y };
  }

  x(g, place) {
    return g.gutter + (place + 0.5) * g.c;
  }

  table(name, n) {
    const given = this.get(name);
    if (!given || given.shape[0] !== n) return null;
    const numbers = floats(given);
    const size = given.shape[1] ?? 1;
    return { size, row: (i) => numbers.subarray(i * size, (i + 1) * size) };
  }

  // --- drawing ---

  draw() {
    const g = (this.g = this.layout());
    const look = theme(this.el);
    const order = this.order();
    this.columns.setAttribute("aria-label", "tokens in their order");
    this.el.style.setProperty("--picw", `${Math.max(LEAST, Math.ceil(g.gutter + g.n * g.c))}px`);
    this.svg.setAttribute("height", g.height);
    this.svg.setAttribute("viewBox", `0 0 ${g.width} ${g.height}`);
    if (this.tokens.length !== g.n) this.begin(g.n);
    this.glide(g, order);
    const asks = this.asks();
    this.back.replaceChildren(...this.titles(g), ...this.lines(g, look, asks));
    for (const token of identity(g.n)) this.column(g, look, token, order.indexOf(token), asks);
  }

  // The token whose lines are shown alone: the one under the pointer, else the selected one.
  asks() {
    const token = this.drag ? this.drag.token : this.hover >= 0 ? this.hover : this.get("selected");
    return token < this.tokens.length ? token : -1;
  }

  begin(n) {
    this.tokens = identity(n).map((token) => {
      const el = svg("g", { class: "token", role: "option", tabindex: -1 });
      const hear = (name, heard) => el.addEventListener(name, ofOneHand(this, heard));
      hear("pointerdown", (event) => this.press(event, token));
      hear("pointermove", (event) => this.follow(event, token));
      hear("pointerup", () => this.release());
      hear("pointercancel", () => this.cancel());
      el.addEventListener("pointerenter", () => {
        this.hover = token;
        this.schedule();
      });
      el.addEventListener("pointerleave", () => {
        this.hover = -1;
        this.schedule();
      });
      return el;
    });
    this.columns.replaceChildren(...this.tokens);
    Object.assign(this, { drag: null, hover: -1, at: [], jump: true });
  }

  // Columns move towards their places, a part of the way in each frame; the one in the hand is where the hand is.
  glide(g, order) {
    const now = performance.now();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const passed = this.last ? Math.min(now - this.last, 40) : 16;
    const share = this.jump || calm ? 1 : 1 - Math.exp(-passed / PACE);
    let moving = false;
    order.forEach((token, place) => {
      const held = this.drag?.token === token;
      const goal = held ? this.drag.x : this.x(g, place);
      const from = this.at[token] ?? goal;
      this.at[token] = held || Math.abs(goal - from) < 0.5 ? goal : from + share * (goal - from);
      moving ||= this.at[token] !== goal;
    });
    Object.assign(this, { jump: false, last: moving ? now : 0 });
    if (moving) this.schedule();
  }

  titles({ gutter, rows }) {
    const [before, output, input] = this.get("titles");
    const names = { before, answer: output, output, input };
    const seen = Object.entries(names).filter(([row]) => row in rows && !(row === "output" && "answer" in rows));
    return seen.map(([row, name]) =>
      this.text(name, gutter - 10, rows[row] + (row === "answer" ? 12 : STRIP / 2), "title"),
    );
  }

  text(words, x, y, name = "", ...more) {
    const el = svg("text", { class: name, x, y });
    el.append(words, ...more);
    return el;
  }

  lines(g, look, asks) {
    const weights = this.table("weights", g.n);
    const mask = this.table("mask", g.n);
    if (!weights) return [];
    const [top, bottom] = [g.rows.top, g.rows.weight - 2];
    const middle = (top + bottom) / 2;
    const parts = [];
    for (const query of identity(g.n)) {
      const alone = query === asks;
      const row = weights.row(query);
      row.forEach((weight, key) => {
        if ((mask && !mask.row(query)[key]) || weight < 0.002) return;
        const [from, to] = [this.at[query], this.at[key]];
        const colour = css(look.weights(alone ? 0.35 + 0.6 * weight : asks < 0 ? 0.3 + 0.5 * weight : 0.14));
        const d = `M${from},${top} C${from},${middle} ${to},${middle} ${to},${bottom}`;
        parts.push([
          alone,
          svg("path", { class: "line", d, stroke: colour, "stroke-width": (0.6 + 11 * weight).toFixed(2) }),
        ]);
      });
    }
    parts.sort((a, b) => a[0] - b[0]); // those of the one that asks lie above the others
    const numbers =
      asks < 0
        ? []
        : [...weights.row(asks)].map((weight, key) => {
            const masked = mask && !mask.row(asks)[key];
            return this.text(
              masked ? "masked" : number(weight),
              this.at[key],
              g.rows.weight + 8,
              masked ? "small" : "weight",
            );
          });
    return [...parts.map(([, path]) => path), ...numbers];
  }

  column(g, look, token, place, asks) {
    const el = this.tokens[token];
    const x = this.at[token];
    const label = visible(g.labels[token]);
    const parts = [svg("rect", { class: "hit", x: x - g.c / 2, width: g.c, y: 0, height: g.height })];
    const strip = (name, y) => parts.push(...this.strip(g, look, this.table(name, g.n), token, x, y));
    const { rows } = g;
    if ("before" in rows) {
      strip("before", rows.before);
      parts.push(this.sign(g, token, x));
    }
    if ("output" in rows) strip("contexts", rows.output);
    if ("answer" in rows) parts.push(this.answer(g, token, x));
    if ("input" in rows) strip("inputs", rows.input);
    const width = Math.min(g.c - 6, Math.max(34, label.length * 8 + 18));
    const left = x - width / 2;
    parts.push(
      svg("rect", { class: "ring", x: left - 4, y: rows.chip - 4, width: width + 8, height: CHIP + 8, rx: 5 }),
    );
    parts.push(svg("rect", { class: "chip", x: left, y: rows.chip, width, height: CHIP, rx: 2 }));
    parts.push(
      svg("line", { class: "grip", x1: x - 8, x2: x + 8, y1: rows.chip + CHIP - 4, y2: rows.chip + CHIP - 4 }),
    );
    const most = Math.max(2, Math.floor((width - 10) / 7.6));
    parts.push(this.text(shorten(label, most), x, rows.chip + CHIP / 2 - 2, "name"));
    parts.push(this.text(this.get("placed") ? `+ place ${place + 1}` : `${place + 1}`, x, rows.place + 8, "small"));
    el.replaceChildren(...parts);
    el.classList.toggle("asks", token === asks);
    el.classList.toggle("held", this.drag?.token === token);
    el.setAttribute("aria-label", `${label}, place ${place + 1} of ${g.n}`);
    el.setAttribute("aria-selected", String(token === this.get("selected")));
    const entry = this.get("selected") >= 0 ? this.get("selected") : this.order()[0];
    el.setAttribute("tabindex", token === entry ? 0 : -1);
  }

  strip(g, look, table, token, x, y) {
    if (!table) return [];
    const width = Math.min(g.c - 10, 84);
    const cell = width / table.size;
    const limit = this.get("limit");
    const left = x - width / 2;
    const cells = [...table.row(token)].map((value, i) =>
      svg("rect", { x: left + i * cell, y, width: cell + 0.3, height: STRIP, fill: css(look.scores(value, limit)) }),
    );
    return [...cells, svg("rect", { class: "strip", x: left, y, width, height: STRIP })];
  }

  sign(g, token, x) {
    const differences = this.table("differences", g.n);
    const far = differences ? differences.row(token)[0] : 0;
    if (far < 1e-6) return this.text("=", x, g.rows.sign + 12, "small");
    const much = svg("tspan", { class: "much", dx: 5 });
    much.textContent = number(far);
    return this.text("≠", x, g.rows.sign + 12, "changed", much);
  }

  answer({ rows, isStacked }, token, x) {
    const [words, mark] = this.get("answers")[token] ?? ["", ""];
    const sign = svg("tspan", { class: "sign", ...(isStacked ? { x, dy: 16 } : { dx: 4 }) });
    sign.textContent = { right: "✓", wrong: "✗" }[mark] ?? "";
    return this.text(words, x, rows.answer + 12, `answer ${mark}`, sign);
  }

  // --- what the hand does ---

  set(traits) {
    this.model.set(traits);
    this.model.save_changes();
    this.schedule();
  }

  move(token, place) {
    const order = this.order().filter((other) => other !== token);
    order.splice(place, 0, token);
    this.set({ order });
  }

  place(event) {
    return placeIn(this.svg, event).x;
  }

  press(event, token) {
    if (event.button) return;
    event.preventDefault();
    const el = this.tokens[token];
    el.setPointerCapture(event.pointerId);
    el.focus({ focusVisible: false, preventScroll: true });
    this.drag = {
      token,
      x: this.at[token],
      offset: this.place(event) - this.at[token],
      before: this.order(),
      moved: false,
      pointer: event.pointerId,
    };
    this.set({ selected: token });
  }

  follow(event, token) {
    const { drag, g } = this;
    if (drag?.token !== token) return;
    const x = this.place(event) - drag.offset;
    if (!drag.moved && Math.abs(x - drag.x) < 3) return;
    drag.moved = true;
    drag.x = clamp(x, this.x(g, 0), this.x(g, g.n - 1));
    const place = Math.round((drag.x - g.gutter) / g.c - 0.5);
    if (this.order().indexOf(token) !== place) this.move(token, place);
    this.schedule();
  }

  release() {
    if (this.drag?.moved) this.say(this.drag.token);
    this.drag = null;
    this.schedule();
  }

  cancel() {
    if (this.drag) this.set({ order: this.drag.before });
    this.drag = null;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || !event.target.closest?.(".token")) return false;
    if (event.key === "Escape") {
      this.drag ? this.cancel() : this.set({ selected: -1 });
      return true;
    }
    const order = this.order();
    const token = this.tokens.indexOf(event.target.closest(".token"));
    const from = order.indexOf(token);
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: order.length - 1 }[event.key];
    if (to === undefined) return false;
    const place = clamp(to, 0, order.length - 1);
    if (event.altKey) {
      if (place !== from) this.move(token, place);
      this.say(token);
    } else {
      this.set({ selected: order[place] });
      this.tokens[order[place]].focus();
      this.reads(order[place]);
    }
    return true;
  }

  say(token) {
    const order = this.order();
    this.live.textContent = `${this.get("labels")[token]} stands at place ${order.indexOf(token) + 1} of ${order.length}`;
  }

  reads(token) {
    const labels = this.get("labels");
    const weights = this.table("weights", labels.length);
    if (!weights) return;
    const row = weights.row(token);
    this.live.textContent = `${labels[token]} reads ${this.order()
      .map((key) => `${labels[key]} ${number(row[key])}`)
      .join(", ")}`;
  }
}

export function render({ model, el, signal }) {
  new TokenFlowView(model, el, signal);
}
