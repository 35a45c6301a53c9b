// What the traits say is to be seen: `v`, which painter, words and hand read; or `{ fault }`, a sentence that says why they
// do not fit each other. Cells are counted in the image's own order, places as they stand on the screen.

import { limitOf } from "../../base/js/canvas_view.js";
import { bytesOf, clamp, floats, identity, isOrder } from "../../base/js/numbers.js";
import { LONGEST_LABEL, shorten } from "../../base/js/text.js";
import { visible } from "../../base/js/words.js";
import { editName } from "../matrix/weights.js";
import { paths } from "./glimpses.js";
import { placesOf } from "./patches.js";

export const NOT_A_NUMBER = 255; // the byte of such a pixel; 0 to 254 are black to white

const LONGEST = 40; // letters of a title
const named = (text) => text && visible(shorten(text, LONGEST));

function numbers(view, name, axes) {
  const packed = view.get(name);
  return view.once(name, [packed], () => {
    if (!packed) return null;
    const shape = [...Array(Math.max(0, axes - packed.shape.length)).fill(1), ...packed.shape];
    return { shape, data: floats(packed) };
  });
}

// How many frames, panels and cells there are, or why that cannot be said.
function shapeOf({ image, weights, mask, grid }) {
  let [frames, panels] = image.shape;
  let cells = [0, 0];
  const given = {
    grid: grid.length ? [1, 1, ...grid] : null,
    weights: weights?.shape,
    mask: mask && [1, ...mask.shape],
  };
  for (const [name, shape] of Object.entries(given)) {
    if (!shape) continue;
    const own = shape.slice(2);
    if (cells[0] && (own[0] !== cells[0] || own[1] !== cells[1]))
      return {
        fault: `${name}: expected ${cells[0]} rows and ${cells[1]} columns as the grid, got ${own[0]} and ${own[1]}`,
      };
    cells = own;
    if (shape[0] !== frames && shape[0] !== 1 && frames !== 1)
      return { fault: `${name}: expected ${frames} frames as the image has, got ${shape[0]}` };
    if (shape[1] !== panels && shape[1] !== 1 && panels !== 1)
      return { fault: `${name}: expected ${panels} images, got ${shape[1]}` };
    [frames, panels] = [Math.max(frames, shape[0]), Math.max(panels, shape[1])];
  }
  return { frames, panels, rows: cells[0], columns: cells[1] };
}

export function readTraits(view) {
  const { get } = view;
  const packed = get("image");
  if (!packed) return null;
  const image = view.once("image", [packed], () => ({ shape: packed.shape, data: bytesOf(packed.data) }));
  const weights = numbers(view, "weights", 4);
  const mask = numbers(view, "mask", 3);
  const shape = shapeOf({ image, weights, mask, grid: get("grid") });
  if ("fault" in shape) return shape;
  const { panels, rows, columns, frames } = shape;
  const cells = rows * columns;
  const frame = clamp(get("frame"), 0, frames - 1);
  const order = view.once("order", [get("order"), cells], () =>
    isOrder(get("order"), cells) ? get("order") : identity(cells),
  );
  /** @type {any} */
  const v = {
    ...shape,
    cells,
    frame,
    image,
    weights,
    height: image.shape[2],
    width: image.shape[3],
    imageFrame: Math.min(frame, image.shape[0] - 1),
    imageOf: (panel) => Math.min(panel, image.shape[1] - 1),
    order,
    places: view.once("places", [order], () => placesOf(order)),
    maskData: mask,
    allowed: (panel, cell) => !mask || mask.data[(panel % mask.shape[0]) * cells + cell] !== 0,
    scale: get("scale"),
    measure: shorten(get("measure"), LONGEST_LABEL) || (get("scale") === "weights" ? "weight" : "score"),
    titles: get("titles").map(named),
    frameName: named(get("frame_names")[frame] ?? ""),
    named: get("frame_names").length > 0,
    editing: get("editing"),
    reach: get("reach"),
    glimpses: get("glimpses"),
    paths: view.once("paths", [get("glimpses"), panels], () => paths(get("glimpses"), panels)),
    glimpseSize: get("glimpse_size"),
    glimpseScales: get("glimpse_scales"),
    mostGlimpses: get("most_glimpses"),
    aim: view.aim,
    carry: view.carry,
    focus: view.focus,
    ratio: devicePixelRatio || 1,
  };
  const known = (cell) => (cell?.length === 3 && cell[0] < panels && cell[1] < rows && cell[2] < columns ? cell : null);
  v.selected = known(get("selected"));
  v.hovered = known(view.hovered);
  v.pointed = v.hovered ?? v.selected;
  if (weights) addWeights(view, v, get("edits") ?? {});
  return v;
}

function addWeights(view, v, edits) {
  const { weights, cells } = v;
  v.weightFrame = Math.min(v.frame, weights.shape[0] - 1);
  v.weightPanel = (panel) => Math.min(panel, weights.shape[1] - 1);
  v.own = (panel) => {
    const start = (v.weightFrame * weights.shape[1] + v.weightPanel(panel)) * cells;
    return weights.data.subarray(start, start + cells);
  };
  v.editOf = (panel) => editName(v.weightPanel(panel), v.weightFrame);
  v.edited = (panel) => edits[v.editOf(panel)]?.length === cells;
  v.shown = (panel) => (v.edited(panel) ? edits[v.editOf(panel)] : v.own(panel));
  v.edits = edits;
  v.limit = limitOf(view, weights.data, () => largest(weights.data));
}

// The largest number of all frames, whatever its sign.
function largest(data) {
  let most = 0;
  for (const x of data) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x));
  return most || 1;
}
