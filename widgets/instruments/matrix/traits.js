// What the traits say is to be seen: `v`, which painter, words and hands read. Its parts are made again only when one of
// their causes changed.

import { limitOf } from "../../base/js/canvas_view.js";
import { clamp, floats, identity, isOrder } from "../../base/js/numbers.js";
import { LONGEST_LABEL, shorten } from "../../base/js/text.js";
import { borders, placedGroups } from "./order.js";
import { editName, niceLimit } from "./weights.js";

// A packed array with leading axes of length 1 up to `axes`; its numbers are unpacked once.
const unpacked = new WeakMap();
function unpack(packed, axes) {
  if (!packed) return null;
  if (!unpacked.has(packed)) unpacked.set(packed, floats(packed));
  const shape = [...Array(Math.max(0, axes - packed.shape.length)).fill(1), ...packed.shape];
  return { shape, data: unpacked.get(packed) };
}

export function readTraits(view) {
  const { get } = view;
  const values = unpack(get("values"), 4);
  if (!values || values.data.length === 0) return null;
  const [frames, panels, queries, keys] = values.shape;
  const frame = clamp(get("frame"), 0, frames - 1);
  const size = panels * queries * keys;
  const own = view.once("own", [values.data, frame], () => values.data.subarray(frame * size, (frame + 1) * size));
  const edits = get("edits") ?? {};
  const shown = view.once("shown", [own, edits], () => withEdits(view, own, edits, panels, queries, keys));
  const scores = unpack(get("scores"), 4);
  const rows = view.once("rows", [get("query_order"), queries], () =>
    isOrder(get("query_order"), queries) ? get("query_order") : identity(queries),
  );
  const columns = view.once("columns", [get("key_order"), keys], () =>
    isOrder(get("key_order"), keys) ? get("key_order") : identity(keys),
  );
  const inside = ([p, q, k]) => p >= 0 && p < panels && q < queries && k < keys && (q >= 0 || k >= 0);
  const cell = (c) => (c?.length === 3 && inside(c) ? c : null);
  const selected = cell(get("selected"));
  const hover = cell(view.hover);
  const current = get("current") < queries ? get("current") : -1;
  const scale = get("scale");
  const probabilities = unpack(get("distribution"), 2);
  const v = {
    frames,
    panels,
    queries,
    keys,
    frame,
    own,
    shown,
    rows,
    columns,
    selected,
    hover,
    current,
    scale,
    edits,
    limit: scale === "scores" ? limitOf(view, get("values"), () => niceLimit(values.data)) : 1,
    scores:
      scores && scores.data.length === values.data.length
        ? scores.data.subarray(frame * size, (frame + 1) * size)
        : null,
    marked: get("marked").filter(([q, k]) => q < queries && k < keys),
    produced: get("produced"),
    editing: get("editing"),
    focus: view.focus,
    queryLabels: labelsOf(view, "query_labels", queries),
    keyLabels: labelsOf(view, "key_labels", keys),
    queryTitle: shorten(get("query_title"), LONGEST_LABEL),
    keyTitle: shorten(get("key_title"), LONGEST_LABEL),
    panelNames: panelNames(view, panels),
    barRow: selected && selected[1] >= 0 ? selected[1] : current,
    distributionTitle: get("distribution_title"),
    distributionLabels: get("distribution_labels"),
    distributionChosen: get("distribution_chosen"),
    probabilities: probabilities?.data.subarray(clamp(frame, 0, probabilities.shape[0] - 1) * probabilities.shape[1]),
    frameName: get("frame_names")[frame] ?? "",
    measure: shorten(get("measure"), LONGEST_LABEL),
    edited: (p, q) => editName(p, q) in edits,
  };
  addMask(view, v, unpack(get("mask"), 3));
  addGroups(view, v);
  v.pointed = hover ?? selected;
  return v;
}

function addGroups(view, v) {
  const { get } = view;
  const { rows, columns } = v;
  v.queryGroups = view.once("queryGroups", [get("query_groups"), rows], () => placedGroups(get("query_groups"), rows));
  v.keyGroups = view.once("keyGroups", [get("key_groups"), columns], () => placedGroups(get("key_groups"), columns));
  v.queryBorders = view.once("queryBorders", [v.queryGroups, v.queryLabels, rows], () =>
    borders(v.queryGroups, v.queryLabels, rows),
  );
  v.keyBorders = view.once("keyBorders", [v.keyGroups, v.keyLabels, columns], () =>
    borders(v.keyGroups, v.keyLabels, columns),
  );
}

function labelsOf(view, name, count) {
  const given = view.get(name);
  return view.once(name, [given, count], () =>
    identity(count).map((i) => (i < given.length ? String(given[i]) : given.length ? "" : String(i + 1))),
  );
}

function panelNames(view, panels) {
  const given = view.get("panel_names");
  return view.once("names", [given, panels], () =>
    panels > 1 || given.length ? identity(panels).map((p) => String(given[p] ?? `${p + 1}`)) : null,
  );
}

function addMask(view, v, mask) {
  const fits = mask && mask.shape[1] === v.queries && mask.shape[2] === v.keys && [1, v.panels].includes(mask.shape[0]);
  v.mask = fits ? mask : null;
  const step = fits && mask.shape[0] > 1 ? v.queries * v.keys : 0;
  v.allowed = fits ? (p, q, k) => mask.data[p * step + q * v.keys + k] !== 0 : () => true;
}

function withEdits(view, own, edits, panels, queries, keys) {
  if (!Object.keys(edits).length) return own;
  const shown = own.slice();
  for (let p = 0; p < panels; p++) {
    for (let q = 0; q < queries; q++) {
      const row = edits[editName(p, q)];
      if (row?.length === keys) shown.set(row, (p * queries + q) * keys);
    }
  }
  return shown;
}
