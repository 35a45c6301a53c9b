// BeamTree: an SVG of one beam search. Every place in it comes from the kernel (`y`) or from the step; tokens are text nodes.

import style from "./style.css";
import { make, ownKeys, svg as element } from "../../base/js/dom.js";
import { clamp } from "../../base/js/numbers.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { textWidth } from "../../base/js/text.js";
import { theme, wear } from "../../base/js/theme.js";
import { draw, EDGE, edge, END, font, mark, root, START, TEXT_SIZE, TOP, word } from "./paint.js";
import { readOut, writeTable } from "./readout.js";
import { announcement, readTree, reason } from "./tree.js";

wear(style);

const ENOUGH = 92; // the width of a column that need not be wider
const BELOW = { kept: 25, dropped: 11, finished: 41, greedy: 41 }; // as in beam_tree.py

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-tree");
  const { get, schedule } = showing(model, () => paint(view), signal);
  const view = {
    model,
    el,
    get,
    schedule,
    uid: `tree-${Math.random().toString(36).slice(2)}`,
    hovered: -1,
    tree: null,
    seenStep: -1,
    ...build(el, () => schedule()),
  };
  listenToKeys(view, signal);
  listenToPointer(view, signal);
  joinPage(el, schedule, signal);
  schedule();
}

function build(el, onTable) {
  const svg = element("svg", { role: "tree", tabindex: 0, "aria-label": "beam search: arrows move along the tree" });
  const scroller = make("div", { class: "scroller" }, svg);
  const said = make("div", { class: "says" });
  const facts = make("div", { class: "facts" });
  const why = make("div", { class: "why" });
  const live = make("div", { class: "sr-only", "aria-live": "polite" });
  const table = make("div", {
    class: "numbers",
    role: "region",
    "aria-label": "all hypotheses",
    tabindex: 0,
    hidden: true,
  });
  const toggle = make(
    "button",
    {
      class: "quiet",
      type: "button",
      "aria-expanded": "false",
      onclick: () => {
        table.hidden = !table.hidden;
        toggle.setAttribute("aria-expanded", String(!table.hidden));
        onTable();
      },
    },
    "numbers",
  );
  el.append(scroller, make("div", { class: "readout" }, make("div", {}, said, facts, why), toggle), table, live);
  return { svg, scroller, said, facts, why, live, table };
}

// --- the hand ---

function choose({ model, tree, svg, live, schedule }, id) {
  model.set("selected", id);
  model.save_changes();
  const node = tree.byId.get(id);
  live.textContent = node ? `${announcement(tree, node)}. ${reason(tree, node)}` : "start";
  svg.querySelector(`[data-id="${id}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  schedule();
}

function current({ get, tree }) {
  const id = get("selected");
  return tree.byId.get(id)?.step <= tree.step ? id : -1;
}

function listenToKeys(view, signal) {
  ownKeys(
    view.el,
    (event) => {
      if (event.target !== view.svg || event.ctrlKey || event.metaKey || event.altKey) return false;
      const { tree } = view;
      const node = tree.byId.get(current(view));
      const column = node ? tree.columns[node.step] : [];
      const beside = (by) => column[clamp(column.indexOf(node) + by, 0, column.length - 1)]?.id ?? -1;
      const moves = {
        ArrowRight: () => tree.children(node?.id ?? -1)[0]?.id ?? node?.id ?? -1,
        ArrowLeft: () => node?.parent ?? -1,
        ArrowUp: () => beside(-1),
        ArrowDown: () => beside(1),
        Home: () => -1,
        End: () => [...tree.best].at(-1) ?? -1,
        Escape: () => -1,
      };
      if (!moves[event.key]) return false;
      choose(view, moves[event.key]());
      return true;
    },
    signal,
  );
}

function listenToPointer(view, signal) {
  const { svg, get, schedule } = view;
  const on = (event, run) => svg.addEventListener(event, run, { signal });
  const idOf = (target) => Number(target.closest?.("[data-id]")?.dataset.id ?? -1);
  const press = (id) => choose(view, id === get("selected") ? -1 : id);
  const hover = (id) => {
    if (id === view.hovered) return;
    view.hovered = id;
    schedule();
  };
  // A picture drawn between press and release replaces what was pressed, and then the browser makes no click of them.
  /** @type {number[] | null} */
  let pressed = null;
  on("pointerdown", ({ button, clientX, clientY }) => {
    pressed = button ? null : [clientX, clientY];
  });
  on("pointerup", ({ target, clientX, clientY }) => {
    if (pressed && Math.hypot(clientX - pressed[0], clientY - pressed[1]) < 6) press(idOf(target));
    pressed = null;
  });
  on("click", ({ detail, target }) => {
    if (detail === 0) press(idOf(target));
  }); // a screen reader presses without a pointer
  on("pointermove", ({ target }) => hover(idOf(target)));
  on("pointerleave", () => hover(-1));
}

// --- drawing ---

function paint(view) {
  const { el, get, svg, uid, hovered, table } = view;
  const th = theme(el);
  const tree = readTree(get);
  view.tree = tree;
  const focus = current(view);
  const lit = new Set(tree.path(hovered >= 0 ? hovered : focus).map((n) => n.id));
  const pen = { svg, uid, tree, th, focus, hovered, lit, endMark: get("end"), ...widths(el, tree, th) };
  svg.replaceChildren();
  paintTree(view, pen);
  svg.setAttribute("aria-activedescendant", `${uid}-${focus}`);
  const seen = tree.byId.get(hovered)?.step <= tree.step ? hovered : focus;
  readOut(view, tree.byId.get(seen) ?? tree.byId.get([...tree.best].at(-1)), th);
  if (!table.hidden) writeTable(table, tree);
  if (view.seenStep === tree.step) return;
  view.seenStep = tree.step;
  if (get("step") >= 0) follow(view, pen.column);
}

// A column is as wide as its words ask, as long as all columns fit; under that it stays readable and scrolls.
function widths(el, tree, th) {
  const space = Math.max(0, el.clientWidth) - START - END - 4;
  const words = tree.all.filter((n) => n.status === "kept" || n.status === "greedy");
  const asked = 20 + Math.max(36, ...words.map((n) => textWidth(word(n), font(TEXT_SIZE, th))));
  const column = clamp(Math.floor(space / Math.max(1, tree.last)), Math.min(asked, ENOUGH), 150);
  return { column, rail: clamp(column - EDGE - 8, 28, 96) };
}

function paintTree({ get, svg }, pen) {
  const { tree, column, rail } = pen;
  const more = (step) => get("more")[step - 1] ?? 0;
  const foot = (nodes) => Math.max(0, ...nodes.map((n) => n.y + BELOW[n.status]));
  const height =
    TOP + Math.max(60, foot(tree.all) + 4, ...tree.columns.map((nodes, step) => more(step) && foot(nodes) + 18));
  const width = START + tree.last * column + END;
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(name, value);
  const left = (step) => START + (step - 1) * column + EDGE;
  const at = (n) => ({ x: left(n.step), y: TOP + n.y });
  const start = { x: START, y: TOP + (tree.columns[1]?.[0]?.y ?? height / 2 - TOP) };
  const lines = draw("g", { "aria-hidden": "true" }, svg);
  for (let step = 1; step <= tree.last; step++) {
    const now = step === tree.step ? " now" : "";
    draw("text", { x: left(step), y: 14, class: `head${now}` }, lines, step === 1 ? "step 1" : step);
    if (more(step) > 0 && step <= tree.step) {
      draw(
        "text",
        { x: left(step), y: TOP + foot(tree.columns[step]) + 12, class: "more" },
        lines,
        `${more(step)} more`,
      );
    }
  }
  const depth = (n) => (tree.best.has(n.id) ? 2 : tree.alive.has(n.id) ? 1 : 0);
  for (const n of [...tree.shown].sort((a, b) => depth(a) - depth(b))) {
    const parent = tree.byId.get(n.parent);
    edge(pen, n, parent ? { x: at(parent).x + rail, y: at(parent).y } : start, at(n), lines);
  }
  root(pen, start.y);
  for (const n of tree.shown) mark(pen, n, at(n));
}

// The step that is unrolled stays in sight.
function follow({ tree, scroller }, column) {
  const right = START + tree.step * column + END;
  const { scrollLeft, clientWidth } = scroller;
  if (right > scrollLeft + clientWidth || right - column < scrollLeft) scroller.scrollLeft = right - clientWidth;
}
