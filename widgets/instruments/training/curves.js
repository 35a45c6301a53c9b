// A training's curves, as SVG elements: the metrics above, the loss as a track below, the numbers at the step shown beside.
// `place`: { x0, x1, aside, below, X(step) }; `aside`: where the numbers begin, `below`: whether they stand below the curves,
// for there is no room beside them. Each function adds to `parts` and returns where what it drew ends.

import { svg } from "../../base/js/dom.js";
import { clamp, spread } from "../../base/js/numbers.js";
import { css } from "../../base/js/theme.js";
import { number } from "../../base/js/words.js";
import { metricsAxis } from "./axis.js";

const METRICS_HEIGHT = 72;
const LOSS_HEIGHT = 48;
const BETWEEN = 20;
const ROW = 18; // of the numbers, where they stand below
const UNDER = 42; // from the end of the loss to the first of them: the steps stand between
const DASHES = ["none", "6 3", "2 2", "7 3 2 3"]; // with two tones eight curves that differ

export const line = (x1, y1, x2, y2, cls) => svg("line", { x1, y1, x2, y2, class: cls });
const label = (x, y, text, cls = "") => svg("text", { x, y, class: cls }, text);
const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// The least of 1, 2 or 5 times a power of ten of which at most `most` go into `steps`.
function tickStep(steps, most) {
  for (let power = 1; ; power *= 10) for (const n of [1, 2, 5]) if (steps / (n * power) <= most) return n * power;
}

export function drawMetrics(parts, { record, names, nameOf, shown }, look, place, top) {
  if (!names.length) return top;
  const { x0, x1, aside, below, X } = place;
  const [low, high] = metricsAxis(record.rows.flatMap((row) => row.slice(1)).filter(Number.isFinite));
  const height = Math.max(METRICS_HEIGHT, 16 * names.length);
  const bottom = top + height;
  const Y = (value) => bottom - clamp((value - low) / (high - low), 0, 1) * height;
  parts.push(line(x0, top + 0.5, x1, top + 0.5, "grid"), line(x0, bottom + 0.5, x1, bottom + 0.5, "grid2"));
  parts.push(...[top, bottom].map((y, i) => label(x0 - 16, y + 4, String([high, low][i]).replace("-", "−"), "s end")));
  const now = record.metrics(shown);
  const curves = names.map((name, k) => metricCurve({ record, shown, name, k }, look, X, Y));
  const row = bottom + BETWEEN + LOSS_HEIGHT + UNDER + ROW; // below, the step shown comes first
  const labels = names.map((name, k) => ({ name, k, y: below ? row + ROW * k : (curves[k].y ?? top + 16 * k + 4) }));
  for (const { name, k, y } of below ? labels : spread(labels, top, bottom)) {
    const said = now[name] === undefined ? "" : number(now[name]);
    const start = below ? aside - 24 : x1 + 8;
    const key = svg("line", { x1: start, y1: y, x2: aside - 5, y2: y, ...curves[k].style });
    const text = svg(
      "text",
      { x: aside, y: y + 4 },
      svg("tspan", { class: "s" }, nameOf(name) + " "),
      svg("tspan", { class: "b" }, said),
    );
    curves[k].parts.push(key, text);
  }
  parts.push(...curves.map((one) => svg("g", { class: "metric" }, ...one.parts)));
  return bottom + BETWEEN;
}

// One metric's curve, how it is drawn, and the height of its value at the step shown, if there is one.
function metricCurve({ record, shown, name, k }, look, X, Y) {
  const column = record.names.indexOf(name) + 1;
  const points = column ? record.rows.filter((row) => Number.isFinite(row[column])) : [];
  const stroke = css(look.weights(k % 2 ? 0.55 : 0.85));
  const style = { stroke, "stroke-dasharray": k < 6 ? DASHES[k % 3] : DASHES[3] };
  const parts = [svg("path", { d: path(points.map((row) => [X(row[0]), Y(row[column])])), ...style })];
  const last = points.filter((row) => row[0] <= shown).at(-1);
  if (!last) return { parts, style, y: null };
  const y = Y(last[column]);
  parts.push(svg("circle", { cx: X(last[0]), cy: y, r: 3, fill: stroke }));
  return { parts, style, y };
}

// What the numbers of these metrics take below the curves, in px.
export const heightBelow = (names) => UNDER - 12 + ROW * names.length;

export function drawLoss(parts, { record, shown, steps }, look, place, top) {
  const { x0, x1, aside, below, X } = place;
  const bottom = top + LOSS_HEIGHT;
  if (record.steps) drawLossCurve(parts, record, shown, look, place, top, bottom);
  else parts.push(label(x0 - 16, top + 4, "loss", "s end"));
  parts.push(
    line(x0, bottom + 0.5, x1, bottom + 0.5, "track"),
    line(x0, bottom + 0.5, X(record.steps), bottom + 0.5, "done"),
  );
  parts.push(line(x0, bottom + 0.5, X(shown), bottom + 0.5, "past"));
  for (const tick of ticksOf(steps, ticksIn(x1 - x0)))
    parts.push(label(X(tick), bottom + 24, String(tick), "s middle"));
  parts.push(label(x0 - 16, bottom + 5, "0", "s end"), label(x0 - 28, bottom + 24, "step", "s end"));
  const loss = shown ? `loss ${number(record.losses[shown - 1])}` : "";
  const step = label(aside, below ? bottom + UNDER + 4 : top + 14, `step ${shown} of ${steps}`, "b");
  if (below && loss) step.append(svg("tspan", { class: "s light", dx: 8 }, loss));
  parts.push(step, ...(loss && !below ? [label(aside, top + 33, loss, "s")] : []));
  return bottom;
}

function drawLossCurve(parts, record, shown, look, { x0, x1, X }, top, bottom) {
  const limit = Math.max(...record.losses.slice(0, 5).filter(Number.isFinite), 1e-9);
  const done = record.steps;
  const Y = (loss) => bottom - clamp(loss / limit, 0, 1.08) * LOSS_HEIGHT;
  const every = Math.max(1, Math.floor(done / (x1 - x0)));
  const kept = record.losses
    .map((loss, i) => [i + 1, loss])
    .filter(([step]) => step % every === 0 || step === done || step === 1);
  const curve = (points) => path(points.map(([step, loss]) => [X(step), Y(loss)]));
  const past = kept.filter(([step]) => step <= shown);
  if (past.length) {
    const d = `${curve(past)}L${X(past.at(-1)[0])} ${bottom}L${X(past[0][0])} ${bottom}Z`;
    parts.push(svg("path", { d, fill: css(look.weights(0.12)) }));
  }
  parts.push(svg("path", { d: curve(kept), class: "loss" }));
  parts.push(label(x0 - 16, top + 4, `loss ${number(limit, limit < 10 ? 1 : 0)}`, "s end"));
}

// How many go side by side; on a phone only the ends.
const ticksIn = (width) => (width < 160 ? 1 : width < 420 ? 4 : 8);

function ticksOf(steps, most) {
  const every = tickStep(steps, most);
  const ticks = Array.from({ length: Math.floor(steps / every) + 1 }, (_, i) => i * every);
  return steps % every >= 0.5 * every ? [...ticks, steps] : ticks;
}
