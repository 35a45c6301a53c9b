// Painting a beam search: edges, the start, nodes. `pen` holds what all share: the svg, the tree, the look, the widths.

import { svg as element } from "../../base/js/dom.js";
import { clamp } from "../../base/js/numbers.js";
import { fitText, textWidth } from "../../base/js/text.js";
import { css } from "../../base/js/theme.js";
import { number, visible } from "../../base/js/words.js";
import { announcement, logOf, scoreOf } from "./tree.js";

export const TOP = 30;
export const START = 64;
export const EDGE = 24;
export const END = 16;
export const TEXT_SIZE = 13;

export function draw(tag, attributes, parent, ...text) {
  const el = element(tag, attributes, ...text);
  parent.append(el);
  return el;
}

export const font = (size, th, bold = false) => `${bold ? 600 : 400} ${size}px ${th.font}`;

// A node's token; more letters of it than these fit no column.
export const word = (n) => visible(n.token.slice(0, 200));

// From the end of the parent's line to the node, and on along the node's own line; greedy search runs below it.
export function edge({ tree, th, rail }, n, from, to, parent) {
  const best = tree.best.has(n.id);
  const alive = tree.alive.has(n.id);
  const dropped = n.status === "dropped";
  const bend = (to.x - from.x) * 0.6;
  const curve = (shift, end) => {
    const [y1, y2] = [from.y + shift, to.y + shift];
    return `M${from.x} ${y1}C${from.x + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}H${to.x + end}`;
  };
  if (n.status !== "greedy") {
    draw(
      "path",
      {
        d: curve(0, dropped ? 5 : rail),
        class: "edge",
        stroke: best ? th.mark.query : th.ink,
        "stroke-width": best ? 3 : alive ? 1.5 : 1,
        "stroke-opacity": best ? 1 : alive ? 0.45 : 0.2,
      },
      parent,
    );
  }
  if (tree.greedy.has(n.id)) {
    const end = dropped && !tree.children(n.id).length ? 5 : rail;
    draw("path", { d: curve(4.5, end), class: "edge greedy", stroke: th.ink }, parent);
  }
}

// The start of all paths.
export function root({ svg, uid, tree, th, focus }, y) {
  const best = tree.best.size > 0;
  const g = draw(
    "g",
    { role: "treeitem", id: `${uid}--1`, "data-id": -1, "aria-level": 1, "aria-label": "start" },
    svg,
  );
  draw(
    "path",
    {
      d: `M8 ${y}H${START}`,
      class: "edge",
      stroke: best ? th.mark.query : th.ink,
      "stroke-width": best ? 3 : 1.5,
      "stroke-opacity": best ? 1 : 0.45,
    },
    g,
  );
  draw("text", { x: 8, y: y - 8, class: best ? "name query" : "name" }, g, best ? "best" : "start");
  if (focus < 0) draw("rect", { x: 2, y: y - 24, width: START - 4, height: 50, rx: 4, class: "ring" }, g);
  if (tree.greedy.size) {
    draw("path", { d: `M8 ${y + 4.5}H${START}`, class: "edge greedy", stroke: th.ink }, g);
    draw("text", { x: 8, y: y + 20, class: "name" }, g, "greedy");
  }
}

export function mark(pen, n, { x, y }) {
  const { svg, uid, tree, th, column, rail, focus, hovered, lit, endMark } = pen;
  const best = tree.best.has(n.id);
  const alive = tree.alive.has(n.id);
  const bold = best || lit.has(n.id);
  const ends = n.status === "finished" || (n.status === "greedy" && n.token === endMark);
  const g = draw(
    "g",
    {
      role: "treeitem",
      id: `${uid}-${n.id}`,
      "data-id": n.id,
      "aria-level": n.step + 1,
      "aria-selected": String(n.id === focus),
      "aria-label": announcement(tree, n),
      class: `node ${n.status}${best ? " best" : ""}${alive ? " alive" : ""}${bold ? " bold" : ""}`,
    },
    svg,
  );
  const [left, top, width, height] =
    n.status === "dropped" ? [x - 2, y - 11, column - EDGE + 4, 22] : [x - 4, y - 22, rail + 8, ends ? 61 : 45];
  draw("rect", { x: left, y: top, width, height, rx: 2, class: n.id === hovered ? "hit lit" : "hit" }, g);
  if (n.id === focus) {
    draw("rect", { x: left + 1, y: top + 1, width: width - 2, height: height - 2, rx: 2, class: "chosen" }, g);
    draw("rect", { x: left - 2, y: top - 2, width: width + 4, height: height + 4, rx: 4, class: "ring" }, g);
  }
  if (n.status === "dropped") {
    droppedNode(pen, g, n, x, y, bold);
    return;
  }
  if (n.status !== "greedy") {
    const fill = best ? th.mark.query : css(th.weights(alive ? 0.5 : 0.3));
    draw("rect", { x, y: y - 3, width: Math.max(1, clamp(tree.probability(n), 0, 1) * rail), height: 6, fill }, g);
  }
  const token = fitText(word(n), font(TEXT_SIZE, th, bold), column - (ends ? 4 : EDGE / 2));
  draw("text", { x, y: y - 8, class: "token" }, g, token);
  draw("text", { x, y: y + 18, class: "value" }, g, number(logOf(n)));
  if (ends) endOf(pen, g, n, x, y, best);
}

// A small word behind a bar that stops the line.
function droppedNode({ tree, th, column }, g, n, x, y, bold) {
  const value = number(logOf(n));
  const space = column - EDGE - 12;
  const token = fitText(word(n), font(12, th, bold), space);
  const wide = textWidth(token, font(12, th, bold)) + 6;
  draw("path", { d: `M${x + 5} ${y - 4}V${y + 4}`, class: "edge stop", stroke: th.ink }, g);
  const line = y + (tree.children(n.id).length ? -3 : 4); // greedy search goes on below the word
  draw("text", { x: x + 11, y: line, class: "token" }, g, token);
  if (wide + textWidth(value, font(11, th)) <= space)
    draw("text", { x: x + 11 + wide, y: line, class: "value" }, g, value);
}

// The end mark of a hypothesis, and its score.
function endOf({ th, column, rail }, g, n, x, y, best) {
  const look =
    n.status === "greedy"
      ? { fill: css(th.page), stroke: th.ink2, "stroke-width": 1.5 }
      : { fill: best ? th.mark.query : th.ink2 };
  draw("rect", { x: x + rail - 5, y: y - 5, width: 10, height: 10, class: "end", ...look }, g);
  const score = number(scoreOf(n));
  const named = `score ${score}`;
  const fits = textWidth(named, font(12, th, true)) <= column - EDGE / 2;
  draw("text", { x, y: y + 34, class: "score" }, g, fits ? named : score);
}
