// Matrix: the view as a whole. What is to be seen comes from `traits.js`, its places from `layout.js`, its paint from
// `paint_*.js`, its words from `words.js`; `pointer.js` and `keyboard.js` hear the hand, `editing.js` does what it wants.

import style from "./style.css";
import { say } from "../../base/js/canvas_view.js";
import { blank, context2d, hide, make } from "../../base/js/dom.js";
import { hatch } from "../../base/js/hatch.js";
import { showing } from "../../base/js/showing.js";
import { tell } from "../../base/js/kernel.js";
import { identity } from "../../base/js/numbers.js";
import { memo, same } from "../../base/js/memo.js";
import { copyButton } from "../../base/js/png.js";
import { fitText } from "../../base/js/text.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { copyPicture, fillTableSoon, toggleTable } from "./as_text.js";
import { restoreAll } from "./editing.js";
import { matrixLayout } from "./layout.js";
import { hasNote, paintBars } from "./paint_bars.js";
import {
  colourCells,
  hatchedCells,
  paintCells,
  paintGrid,
  paintNumbers,
  paintSpecial,
  palette,
} from "./paint_cells.js";
import { paintLabels } from "./paint_labels.js";
import {
  paintCurrent,
  paintDistribution,
  paintHover,
  paintMarked,
  paintReadout,
  paintSelected,
} from "./paint_marks.js";
import { write } from "./pen.js";
import { listenToPointer } from "./pointer.js";
import { readTraits } from "./traits.js";
import { describe, readLines } from "./words.js";

wear(style);

class MatrixView {
  model;
  el;
  signal;
  get;
  schedule;
  once;
  forget;

  constructor(model, el, signal) {
    Object.assign(this, {
      model,
      el,
      signal,
      hover: null,
      drag: null,
      focus: false,
      told: false, // a hand was told something that the next picture does not speak over
      chosen: "", // in words, as it was painted last
      layoutFor: [],
      ...memo(),
      limit: 0,
      held: false,
    });
    el.classList.add("attnlab", "matrix");
    this.build();
    const { get, schedule } = showing(model, () => this.draw(), signal);
    Object.assign(this, { get, schedule });
    el.attnlab = {
      painted: 0,
      paintedAt: 0,
      values: () => this.seen(),
      geometry: () => this.g,
      cell: (panel, query, key) => this.middle(panel, query, key),
    };
    joinPage(
      el,
      () => {
        this.refreshLook();
        schedule();
      },
      signal,
    );
    this.refreshLook();
    listenToPointer(this);
    schedule();
  }

  build() {
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-roledescription": "matrix" });
    this.action = make("button", {
      class: "go action",
      hidden: true,
      onclick: () => tell(this.model, { kind: "action" }),
    });
    this.restore = make("button", { class: "quiet", hidden: true, onclick: () => restoreAll(this) }, "undo");
    this.toggle = make(
      "button",
      { class: "quiet", "aria-expanded": "false", onclick: () => toggleTable(this) },
      "numbers",
    );
    this.copy = copyButton({ onclick: () => copyPicture(this) });
    this.tools = make("div", { class: "tools" }, this.restore, this.toggle, this.copy);
    this.figure = make("div", { class: "figure" }, this.canvas, this.action, this.tools);
    this.live = make("div", { class: "sr-only", "aria-live": "polite", role: "status" });
    this.table = make("div", {
      class: "numbers",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": "the numbers of the matrix",
    });
    this.el.append(this.figure, this.table, this.live);
  }

  refreshLook() {
    this.look = theme(this.el);
    this.layoutFor = [];
    this.forget();
  }

  hatch() {
    return this.once("hatch", [this.look, devicePixelRatio], () => hatch(context2d(this.canvas), this.look.hatch));
  }

  // One sheet of hatch for all panels, or one a panel, as the mask has it.
  hatched(pen, v, panel) {
    if (!v.mask) return null;
    const own = v.mask.shape[0] > 1 ? panel : 0;
    return this.once(`hatched ${own}`, [v.mask.data, v.rows, v.columns, pen.g], () =>
      hatchedCells(pen, v, own, this.hatch()),
    );
  }

  // A canvas and its picture for the cells of a panel, one pixel each; the painter enlarges it.
  small(panel) {
    return this.once(`small ${panel}`, [], () => {
      const canvas = document.createElement("canvas");
      const ctx = context2d(canvas);
      /** @type {ImageData | null} */
      let image = null;
      const picture = (width, height) => {
        if (!image || image.width !== width || image.height !== height) {
          Object.assign(canvas, { width, height });
          image = ctx.createImageData(width, height);
        }
        return image;
      };
      return { canvas, picture, put: (image) => ctx.putImageData(image, 0, 0) };
    });
  }

  // While only the pointer moves they stay as they are: a long text has a quarter of a million.
  cells(pen, v, panel) {
    const causes = [v.shown, v.mask?.data, v.rows, v.columns, v.produced, v.limit, pen.shades];
    return this.once(`cells ${panel}`, causes, () => colourCells(pen, v, panel, this.small(panel)));
  }

  layout(v) {
    const { get, el, look } = this;
    const ratio = devicePixelRatio || 1;
    const bars = get("row_bars") || (v.panels === 1 && v.keys > 24 && v.keys <= 64);
    const note = bars && hasNote(v);
    const distribution = v.probabilities ? v.distributionLabels : null;
    const causes = [
      el.clientWidth,
      ratio,
      look,
      v.panels,
      v.queries,
      v.keys,
      v.queryLabels,
      v.keyLabels,
      v.queryTitle,
      v.keyTitle,
      v.queryGroups,
      v.keyGroups,
      v.panelNames,
      bars,
      note,
      distribution,
      Boolean(v.scores),
      Boolean(get("action")),
    ];
    if (!same(causes, this.layoutFor)) {
      this.layoutFor = causes;
      this.g = matrixLayout({
        width: el.clientWidth || 700,
        ratio,
        look,
        panels: v.panels,
        queries: v.queries,
        keys: v.keys,
        queryLabels: v.queryLabels,
        keyLabels: v.keyLabels,
        queryTitle: v.queryTitle,
        keyTitle: v.keyTitle,
        queryGroups: v.queryGroups,
        keyGroups: v.keyGroups,
        names: v.panelNames ?? [],
        bars,
        note,
        distribution,
        scores: Boolean(v.scores),
        action: Boolean(get("action")),
      });
      el.dispatchEvent(new CustomEvent("matrix-layout", { bubbles: true })); // who stands on the same columns listens
    }
    return this.g;
  }

  draw() {
    const start = performance.now();
    const v = readTraits(this);
    this.v = v;
    this.figure.classList.toggle("empty", !v);
    if (!v) {
      this.canvas.width = this.canvas.height = 1;
      return;
    }
    const g = this.layout(v);
    v.read = v.pointed && readLines(this, v, v.pointed);
    const ctx = blank(this.canvas, g);
    this.canvas.dataset.editing = v.editing;
    this.paint(ctx, g, v);
    this.placeTools(g, v);
    describe(this, v);
    if (!this.table.hidden) fillTableSoon(this);
    this.el.attnlab.painted += 1;
    this.el.attnlab.paintedAt = performance.now();
    this.el.attnlab.paintedIn = this.el.attnlab.paintedAt - start;
  }

  paint(ctx, g, v) {
    const { look } = this;
    const shades = this.once("shades", [look, v.scale], () => palette(look, v.scale));
    const pen = {
      ctx,
      g,
      look,
      shades,
      cells: (panel) => this.cells(pen, v, panel),
      hatched: (panel) => this.hatched(pen, v, panel),
    };
    ctx.textBaseline = "alphabetic";
    for (let p = 0; p < v.panels; p++) {
      paintCells(pen, v, p);
      paintSpecial(pen, v, p);
      paintGrid(pen, v, p);
      paintMarked(pen, v, p);
      paintNumbers(pen, v, p);
      paintLabels(pen, v, p);
    }
    paintCurrent(pen, v);
    paintHover(pen, v);
    paintSelected(pen, v);
    paintReadout(pen, v);
    paintDistribution(pen, v);
    paintBars(pen, v);
    if (v.frameName && g.beside)
      write(pen, fitText(v.frameName, `12px ${look.font}`, g.read.width), g.read.x, g.boxes[0].y - 12, {
        colour: look.ink2,
      });
  }

  placeTools(g, v) {
    const changed =
      Object.keys(v.edits).length > 0 ||
      (v.editing === "order" && !(same(v.rows, identity(v.queries)) && same(v.columns, identity(v.keys))));
    const label = this.get("action");
    if (this.action.textContent !== label) this.action.textContent = label;
    hide(this.action, !(label && changed), this.canvas);
    hide(this.restore, !changed, this.canvas);
    const place = [g.action.x, g.action.y, g.width, g.height, g.beside];
    if (this.placed && same(place, this.placed)) return;
    this.placed = place;
    this.action.style.left = `${g.action.x}px`;
    this.action.style.top = `${g.action.y - 4}px`;
    this.figure.style.width = `${g.width}px`;
    this.figure.classList.toggle("beside", g.beside);
    this.el.style.setProperty("--picw", `${g.width}px`);
  }

  // Announced is what this page's hand did, not what the kernel selects by itself.
  spoken() {
    return this.el.contains(document.activeElement);
  }

  say(words) {
    say(this, words);
  }

  seen() {
    const { v } = this;
    return (
      v && {
        shape: [v.panels, v.queries, v.keys],
        data: Array.from(v.shown),
        frame: v.frame,
        rows: [...v.rows],
        columns: [...v.columns],
      }
    );
  }

  middle(panel, query, key) {
    const { v, g } = this;
    if (!v || !g) return null;
    const box = g.boxes[panel];
    const rect = this.canvas.getBoundingClientRect();
    const [r, c] = [v.rows.indexOf(query), v.columns.indexOf(key)];
    return { x: rect.x + box.x + (c + 0.5) * g.c, y: rect.y + box.y + (r + 0.5) * g.h };
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
    this.schedule();
  }
}

export function render({ model, el, signal }) {
  new MatrixView(model, el, signal);
}
