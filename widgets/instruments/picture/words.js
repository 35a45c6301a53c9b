// What is seen, in words: the line below the picture, the name of the canvas, the text in the picture's place.

import { number } from "../../base/js/words.js";
import { special } from "../matrix/weights.js";
import { most } from "./grid.js";
import { NOT_A_NUMBER } from "./traits.js";

const HINTS = {
  weights: "drag the weight of a cell to another one; or arrow keys, Enter, arrow keys, Enter",
  mask: "drag over cells to hide them, or show them again; or arrow keys and Space",
  glimpses: "click where to look; or arrow keys (Shift: farther), then Enter; Backspace undoes",
  order: "drag a patch onto another one; or arrow keys, Enter, arrow keys, Enter",
};

export const hintOf = (v) => HINTS[v.editing] ?? "";

// Cells and places are counted row by row.
export const cellName = ({ columns }, i) => `row ${Math.floor(i / columns) + 1}, column ${(i % columns) + 1}`;

const panelName = (v, panel) => (v.panels > 1 ? (v.titles[panel] ?? `image ${panel + 1}`) : "");

// Parts of the line below: [text, class].
export function readParts(v) {
  const bad = badPixels(v);
  const warning = bad ? [[`${bad} ${bad > 1 ? "pixels are" : "pixel is"} not a number`, "error"]] : [];
  if (v.aim)
    return [
      [place(v.aim.place), "strong"],
      ["here", ""],
    ];
  if (v.pointed) return [...cellParts(v, v.pointed), ...warning];
  if (v.editing === "glimpses" || (!v.weights && v.glimpses.length)) return [...glimpseParts(v), ...warning];
  return [...restParts(v), ...warning];
}

const place = ([x, y]) => `(${number(x)}, ${number(y)})`;

function cellParts(v, [panel, row, column]) {
  const cell = row * v.columns + column;
  const at = v.places[cell];
  const parts = [];
  if (!v.allowed(panel, cell)) parts.push([v.measure, ""], ["hidden", "strong"]);
  else if (v.weights) {
    const [shown, own] = [v.shown(panel)[cell], v.own(panel)[cell]];
    parts.push([v.measure, ""], [special(shown), "strong"]);
    if (v.edited(panel) && Math.abs(shown - own) > 1e-6) parts.push([`was ${special(own)}`, ""]);
  } else parts.push(["patch", ""], [String(cell + 1), "strong"]);
  const where = [panelName(v, panel), cellName(v, cell)].filter(Boolean).join(", ");
  parts.push([where, ""]);
  if (at !== cell) parts.push([`stands at ${cellName(v, at)}`, ""]);
  return parts;
}

function glimpseParts(v) {
  const each = v.paths.map((path) => path.length).filter(Boolean);
  if (each.length > 1)
    return [
      [each.join(" and "), "strong"],
      ["glimpses", ""],
    ];
  const count = v.glimpses.length;
  const of = v.mostGlimpses ? ` of ${v.mostGlimpses * v.panels}` : "";
  const last = count ? [[`the last at ${place(v.glimpses.at(-1))}`, ""]] : [];
  return [[`${count}${of}`, "strong"], [count === 1 && !of ? "glimpse" : "glimpses", ""], ...last];
}

// Where nothing is pointed at: the largest number, and what the fullest colour stands for.
function restParts(v) {
  if (!v.weights) {
    const strangers = v.order.filter((patch, at) => patch !== at).length;
    return strangers
      ? [
          [`${strangers} of ${v.cells}`, "strong"],
          ["patches not at their place", ""],
        ]
      : [];
  }
  if (v.panels > 1) return [["point at an image to read it", ""]];
  const shown = Array.from(v.shown(0));
  const { best, bad } = most(shown);
  const parts = [];
  if (best >= 0) {
    parts.push([`most ${v.measure}`, ""], [special(shown[best]), "strong"], [cellName(v, best), ""]);
    if (v.limit > shown[best] + 0.005) parts.push([`fullest colour ${number(v.limit)}`, ""]);
  }
  return bad ? [...parts, [`${bad} ${bad > 1 ? "cells are" : "cell is"} not a number`, "error"]] : parts;
}

// Pixels of this frame that are not a number, in all panels.
function badPixels(v) {
  const { data, shape } = v.image;
  const [, panels, height, width, channels] = shape;
  const size = panels * height * width * channels;
  const frame = data.subarray(v.imageFrame * size, (v.imageFrame + 1) * size);
  let bad = 0;
  for (let i = 0; i < size; i += channels)
    if (frame[i] === NOT_A_NUMBER || (channels > 1 && (frame[i + 1] === NOT_A_NUMBER || frame[i + 2] === NOT_A_NUMBER)))
      bad++;
  return bad;
}

// The canvas's name: what it is, and what its keys do.
export function nameOf(v) {
  const what = `${v.panels > 1 ? `${v.panels} images` : "image"} of ${v.height} by ${v.width} pixels`;
  const grid = v.cells ? `, ${v.weights ? `${v.measure}s` : "a grid"} ${v.rows} by ${v.columns}` : "";
  const keys = v.cells && v.editing !== "glimpses" ? " Arrow keys select a cell, Escape nothing." : "";
  const hint = hintOf(v);
  return `${what}${grid}.${keys}${hint ? ` To change it: ${hint}.` : ""}`;
}

// The text in the picture's place.
export function inWords(v) {
  const parts = [v.named ? `“${v.frameName}”` : "", ...v.titles.map((title, i) => `image ${i + 1}: ${title}`)];
  if (v.weights) parts.push(...Array.from({ length: v.panels }, (_, panel) => mostOf(v, panel)));
  const hidden = Array.from({ length: v.cells }, (_, cell) => cell).filter((cell) => !v.allowed(0, cell)).length;
  if (hidden) parts.push(`${hidden} of ${v.cells} cells hidden`);
  if (v.glimpses.length) parts.push(`glimpses at ${v.glimpses.map(place).join(", ")}`);
  const strangers = v.order.filter((patch, at) => patch !== at).length;
  if (strangers) parts.push(`${strangers} of ${v.cells} patches not at their place`);
  return parts.filter(Boolean).join("; ");
}

function mostOf(v, panel) {
  const shown = Array.from(v.shown(panel));
  const { best, bad } = most(shown);
  const name = panelName(v, panel);
  const where = best < 0 ? "none" : `${special(shown[best])} at ${cellName(v, best)}`;
  return `${name ? `${name}, ` : ""}most ${v.measure} ${where}${bad ? `, ${bad} not a number` : ""}`;
}
