// Training: buttons, the loss as a track, the metrics above it, and the handle that scrubs the frames of the Matrix beside it.

import style from "./style.css";
import { make, ownKeys, svg } from "../../base/js/dom.js";
import { icon } from "../../base/js/icons.js";
import { hear, hearOfRestart, pause, tell } from "../../base/js/kernel.js";
import { clamp } from "../../base/js/numbers.js";
import { showing } from "../../base/js/showing.js";
import { shorten, textWidth } from "../../base/js/text.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { number, percent } from "../../base/js/words.js";
import { drawLoss, drawMetrics, heightBelow, line } from "./curves.js";
import { Record } from "./record.js";

wear(style);

const LEFT = 84;
const FOOT = 30;
const LEAST = 180; // px that curves need beside their numbers; where there are fewer, the numbers stand below
const LONGEST_NAME = 24; // letters of a metric
const GONE = {
  restarted: "the kernel was restarted: run all cells again to train",
  alone: "there is no kernel behind this page: it does not train here",
};
const LATE = 1000; // ms without an answer after which the bar says that the kernel is busy
const AGAIN = 1000;
const SELDOM = 16000; // ms before what is missing is asked for again, twice as long each time

// Where the handle was put; null: it follows the training. One for all views, which share the frames; one of them speaks.
export const share = () => ({ step: null, views: new Set(), speaker: null });

export function render({ model, el, signal, shared: handle }) {
  el.classList.add("attnlab", "training");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", "training");
  const { get, schedule } = showing(model, () => draw(view), signal);
  const view = {
    model,
    el,
    signal,
    get,
    schedule,
    handle,
    record: new Record(),
    place: null,
    asking: false,
    said: null,
    gone: "",
    late: false, // a press is not answered yet
    ...build((kind) => press(view, kind), get),
  };
  el.append(view.bar, view.banner, view.plot, view.summary, view.announcer);
  const stored = get("record");
  if (stored?.at) view.record.take(stored, stored.buffers);
  listenToKernel(view);
  listenToPointer(view);
  listenToKeys(view);
  document.addEventListener("matrix-layout", schedule, { signal });
  joinPage(el, schedule, signal);
  handle.views.add(schedule);
  signal.addEventListener("abort", () => handle.views.delete(schedule));
  draw(view);
}

// --- the elements ---

function build(press, get) {
  const go = button("play", "Start", "go wide", () => press(get("state") === "running" ? "pause" : "play"));
  const one = button("forward", "Step", "", () => press("step"));
  const reset = button("", "Reset", "quiet push", () => press("reset"));
  const progress = make("span", { class: "standing" });
  const curves = svg("g", { "aria-hidden": "true" });
  const stem = line(0, 0, 0, 0, "stem");
  const circles = [
    svg("circle", { r: 12, class: "ring" }),
    svg("circle", { r: 8 }),
    svg("circle", { r: 14, class: "target" }),
  ];
  const slider = svg(
    "g",
    { class: "handle", role: "slider", tabindex: 0, "aria-label": "step shown", "aria-valuemin": 0 },
    stem,
    ...circles,
  );
  return {
    go,
    one,
    reset,
    progress,
    curves,
    stem,
    circles,
    slider,
    bar: make("div", { class: "bar", role: "toolbar", "aria-label": "training" }, go, one, progress, reset),
    banner: make("p", { class: "banner", role: "alert" }),
    plot: svg("svg", { class: "plot" }, curves, slider),
    summary: make("p", { class: "summary", hidden: !get("summed_up") }),
    announcer: make("span", { class: "sr-only", role: "status" }),
  };
}

function button(kind, text, cls, onpress) {
  const onclick = () => {
    if (el.getAttribute("aria-disabled") !== "true") onpress();
  };
  const el = make("button", { type: "button", class: cls, onclick });
  dress(el, kind, text);
  return el;
}

function dress(el, kind, text) {
  if (el.dataset.kind === kind + text) return;
  el.dataset.kind = kind + text;
  el.replaceChildren(...(kind ? [icon(kind)] : []), text);
}

// --- the step that is shown ---

const shownStep = ({ handle, record }) => (handle.step === null ? record.steps : Math.min(handle.step, record.steps));

function put(view, step) {
  view.handle.step = step;
  project(view);
  for (const redraw of view.handle.views) redraw();
}

function move(view, step) {
  const all = view.record.stops(view.get("steps"));
  const nearest = all.reduce((best, stop) => (Math.abs(stop - step) < Math.abs(best - step) ? stop : best));
  put(view, nearest === view.record.steps ? null : nearest);
}

// The frames play in the page: the Matrix is given one as if its own kernel had sent it.
async function project(view) {
  const { model, get, record, handle } = view;
  if (!get("film") || !record.frames.length) return;
  const matrix = await model.widget_manager.get_model(get("film"));
  const state = handle.step === null ? {} : { values: record.frameAt(shownStep(view)), frame: 0 };
  matrix.trigger("msg:custom", { kind: "frame", sequence: Infinity, state });
}

// --- words ---

function duration(seconds) {
  if (seconds < 1.5) return "a second";
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function status({ get, gone, late }) {
  const [state, step, steps, left] = ["state", "step", "steps", "left"].map(get);
  if (gone) return GONE[gone];
  if (late) return "the kernel is busy: this comes next";
  if (get("veiled")) return `${steps} steps, run by a cell: press Start to see them`;
  if (state === "ready") return `${steps} steps` + (left ? `, about ${duration(left)}` : "");
  if (state === "running") return `step ${step} of ${steps}` + (left ? `, about ${duration(left)} left` : "");
  return {
    paused: `paused at step ${step} of ${steps}`,
    done: `done: ${step} steps`,
    failed: `stopped at step ${step} of ${steps}`,
  }[state];
}

function readings({ get, record }, step) {
  const share = (value) => (value >= 0 && value <= 1 ? percent(value) : number(value));
  const parts = step ? [`loss ${number(record.losses[step - 1])}`] : [];
  for (const [name, value] of Object.entries(record.metrics(step)))
    parts.push(`${get("metrics")[name] ?? name} ${share(value)}`);
  return parts.join(", ");
}

// --- drawing ---

function draw(view) {
  const { el, get, record, plot, curves } = view;
  if (record.steps < get("step")) catchUp(view);
  drawBar(view);
  const width = el.clientWidth;
  if (!width) return;
  const look = theme(el);
  const names = [...new Set([...Object.keys(get("metrics")), ...record.names])];
  const nameOf = (name) => shorten(get("metrics")[name] ?? name, LONGEST_NAME);
  const widest = Math.max(0, ...names.map((name) => textWidth(`${nameOf(name)} 0.000`, `600 12px ${look.font}`)));
  const aside = clamp(Math.max(width * 0.2, widest), 160, 260);
  const below = width - LEFT - aside < LEAST;
  const [x0, x1] = below ? [LEFT, width - 14] : columns(view, width, aside);
  const steps = get("steps");
  view.place = { x0, x1, below, X: (step) => x0 + (step / steps) * (x1 - x0) };
  view.place.aside = below ? x0 : x1 + (width < 800 ? 24 : 32);
  const what = { record, names, nameOf, shown: shownStep(view), steps };
  const parts = [];
  const top = drawMetrics(parts, what, look, view.place, 10);
  const bottom = drawLoss(parts, what, look, view.place, top);
  plot.setAttribute("width", width);
  plot.setAttribute("height", bottom + FOOT + (below ? heightBelow(names) : 0));
  curves.replaceChildren(...parts);
  drawHandle(view, top, bottom);
}

function drawBar(view) {
  const { el, get, go, one, reset, progress, banner, summary, announcer, gone, record } = view;
  const state = get("state");
  el.classList.toggle("veiled", get("veiled"));
  dress(
    go,
    state === "running" ? "pause" : "play",
    { ready: "Start", running: "Pause", paused: "Go on" }[state] ?? "Start",
  );
  // Not `disabled`: a button that loses the keyboard's focus throws the learner back to the top of the page.
  go.setAttribute("aria-disabled", gone !== "" || state === "done" || state === "failed");
  one.setAttribute("aria-disabled", gone !== "" || get("veiled") || !["ready", "paused"].includes(state));
  reset.setAttribute("aria-disabled", gone !== "" || (state === "ready" && !get("step")));
  progress.textContent = status(view);
  const error = get("error");
  if (banner.textContent !== error) banner.textContent = error;
  const summed = state === "done" ? get("summary") : "";
  if (summary.textContent !== summed) summary.textContent = summed;
  const news = gone || state !== "running" ? status(view) : "training";
  if (view.said !== null && view.said !== news && speaks(view))
    announcer.textContent = [news, summed || readings(view, record.steps)].filter(Boolean).join(": ");
  view.said = news;
}

// A lesson may show one training twice: what is new is told once, by the view that was pressed, or the first to be seen.
function speaks(view) {
  const { handle, el } = view;
  if (el.clientWidth && !handle.speaker?.el.clientWidth) handle.speaker = view;
  return handle.speaker === view && el.clientWidth > 0;
}

function drawHandle(view, top, bottom) {
  const { get, record, stem, circles, slider, place } = view;
  const step = shownStep(view);
  const x = place.X(step);
  const reading = readings(view, step);
  for (const [name, value] of Object.entries({ x1: x, x2: x, y1: top + 2, y2: bottom })) stem.setAttribute(name, value);
  for (const circle of circles) {
    circle.setAttribute("cx", x);
    circle.setAttribute("cy", bottom);
  }
  slider.setAttribute("aria-valuemax", record.steps);
  slider.setAttribute("aria-valuenow", step);
  slider.setAttribute("aria-valuetext", `step ${step} of ${get("steps")}${reading && ", "}${reading}`);
}

// The curves stand on the columns of the frames' matrix, so that both are read as one picture; but not where the matrix
// takes the whole width, for the numbers stand beside the curves.
// aside: px for the numbers.
function columns({ el, get }, width, aside) {
  let node = get("film") ? el : null;
  /** @type {Element | null} */
  let matrix = null;
  for (let up = 0; node && !matrix && up < 4; up++, node = node.parentElement)
    matrix = node.querySelector(".attnlab.matrix");
  const box = matrix?.attnlab?.geometry()?.boxes;
  const fits =
    box?.length === 1 && box[0].x >= LEFT - 30 && box[0].right - box[0].x >= 420 && width - box[0].right >= aside;
  return fits ? [box[0].x, box[0].right] : [LEFT, Math.floor(width - aside - 32)];
}

// --- the kernel and the hand ---

function press(view, kind) {
  view.handle.speaker = view;
  tell(view.model, { kind });
  clearTimeout(view.unanswered);
  view.unanswered = setTimeout(() => turnLate(view, true), LATE);
}

function turnLate(view, late) {
  clearTimeout(view.unanswered);
  if (view.late === late) return;
  view.late = late;
  view.schedule();
}

function listenToKernel(view) {
  const { model, signal, schedule, record } = view;
  const onNews = (message, buffers) => {
    if (message?.kind !== "news") return;
    if (message.at[0] + message.at[1] + message.at[2] === 0) view.asking = false;
    const before = record.steps;
    if (!record.take(message, buffers)) catchUp(view);
    if (record.steps < before) put(view, null); // it begins anew
    schedule();
  };
  hear(model, "msg:custom", onNews, signal);
  hear(model, "change", () => turnLate(view, false), signal);
  signal.addEventListener("abort", () => clearTimeout(view.unanswered));
  hearOfRestart(view, signal);
}

// This view was not there when some news came: ask for all of it, until there is an answer.
async function catchUp(view) {
  if (view.asking) return;
  view.asking = true;
  for (let ms = AGAIN; view.asking && !view.signal.aborted; ms = Math.min(2 * ms, SELDOM)) {
    tell(view.model, { kind: "catch up" });
    await pause(ms);
  }
}

function listenToPointer(view) {
  const { plot, slider, signal, get } = view;
  const across = (event) => event.clientX - plot.getBoundingClientRect().left;
  const stepAt = (event) =>
    clamp((across(event) - view.place.x0) / (view.place.x1 - view.place.x0), 0, 1) * get("steps");
  plot.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button || !view.place) return;
      if (across(event) < view.place.x0 - 14 || across(event) > view.place.x1 + 14) return;
      plot.setPointerCapture(event.pointerId);
      slider.focus({ preventScroll: true });
      move(view, stepAt(event));
      event.preventDefault();
    },
    { signal },
  );
  plot.addEventListener(
    "pointermove",
    (event) => {
      if (plot.hasPointerCapture(event.pointerId)) move(view, stepAt(event));
    },
    { signal },
  );
}

function listenToKeys(view) {
  ownKeys(
    view.slider,
    (event) => {
      const all = view.record.stops(view.get("steps"));
      const at = all.findLastIndex((stop) => stop <= shownStep(view));
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      const to =
        event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : by && clamp(at + by, 0, all.length - 1);
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
      move(view, all[to]);
      return true;
    },
    view.signal,
  );
}
