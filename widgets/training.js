// Training: buttons, the loss as a track, the metrics above it, and the handle that scrubs the film of the Matrix beside it.

const ICONS = {
  play: "M3 1.5v11L12.5 7z", pause: "M2.5 1.5h3v11h-3zM8.5 1.5h3v11h-3z", step: "M2 2v10l6-5zM9 2h2.2v10H9z",
};
const LEFT = 84, METRICS_HEIGHT = 72, LOSS_HEIGHT = 48, BETWEEN = 20, FOOT = 30;

function shape(tag, attributes = {}, text = "") {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.textContent = text;
  return el;
}
const line = (x1, y1, x2, y2, cls) => shape("line", { x1, y1, x2, y2, class: cls });
const label = (x, y, text, cls = "") => shape("text", { x, y, class: cls }, text);

function button(kind, text, cls, onclick) {
  const el = make("button", { type: "button", class: cls, onclick });
  dress(el, kind, text);
  return el;
}
function dress(el, kind, text) {
  if (el.dataset.kind === kind + text) return;
  el.dataset.kind = kind + text;
  const icon = shape("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
  icon.append(shape("path", { d: ICONS[kind] ?? "" }));
  el.replaceChildren(...(kind ? [icon] : []), text);
}

// 1, 2 or 5 times a power of ten, at most `most` of them up to `steps`.
function tickStep(steps, most) {
  for (let power = 1; ; power *= 10) for (const n of [1, 2, 5]) if (steps / (n * power) <= most) return n * power;
}
function niceAbove(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((n) => n * power >= x * 0.999);
}

function duration(seconds) {
  if (seconds < 1.5) return "a second";
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

// Values as labels beside a curve, in their order, at least `gap` apart and inside [low, high].
function spread(labels, low, high, gap = 16) {
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((l, i) => { l.y = Math.max(l.y, i ? labels[i - 1].y + gap : low); });
  for (let i = labels.length - 1, limit = high; i >= 0; i--, limit -= gap) labels[i].y = Math.min(labels[i].y, limit);
  return labels;
}

// What was recorded: it comes in pieces, each saying how much must be there already.
class Record {
  constructor() { this.losses = []; this.rows = []; this.names = []; this.frames = []; this.frameSteps = []; }

  // False: something is missing in between.
  take({ at, names, frames, shape }, buffers) {
    if (at[0] > this.losses.length || at[1] > this.rows.length || at[2] > this.frames.length) return false;
    const [losses, table, film] = buffers.map((data) => floats({ data }));
    this.losses = this.losses.slice(0, at[0]).concat(...losses);
    const width = names.length + 1, size = shape.reduce((a, b) => a * b, 1);
    this.rows.length = at[1];
    for (let i = 0; i < table.length; i += width) this.rows.push([...table.subarray(i, i + width)]);
    this.frames.length = this.frameSteps.length = at[2];
    frames.forEach((step, i) => {
      this.frameSteps.push(step);
      this.frames.push({ shape: [1, ...shape], data: new DataView(film.buffer, 4 * i * size, 4 * size) });
    });
    this.names = names;
    return true;
  }

  get steps() { return this.losses.length; }

  // The latest value of each metric at a step.
  metrics(step) {
    const found = {};
    for (const row of this.rows) if (row[0] <= step) this.names.forEach((name, i) => { if (!Number.isNaN(row[i + 1] ?? NaN)) found[name] = row[i + 1]; });
    return found;
  }
}

function render({ model, el, signal, hand }) {
  el.classList.add("attnlab", "training");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", "training");
  const { get, schedule } = picture(model, draw, signal);
  const record = new Record();
  let geometry = {}, asked = false, said = null, gone = false;

  const press = (kind) => { if (!gone) tell(model, { kind }); };
  const go = button("play", "Start", "go wide", () => press(get("state") === "running" ? "pause" : "play"));
  const one = button("step", "Step", "", () => press("step"));
  const reset = button("", "Reset", "quiet push", () => press("reset"));
  const progress = make("span", { class: "standing" });
  const announcer = make("span", { class: "sr-only", role: "status" });
  const banner = make("p", { class: "banner", role: "alert" });
  const bar = make("div", { class: "bar", role: "toolbar", "aria-label": "training" }, go, one, progress, reset);
  const plot = shape("svg", { class: "plot" });
  const curves = shape("g", { "aria-hidden": "true" });
  const handle = shape("g", { class: "handle", role: "slider", tabindex: 0, "aria-label": "step shown", "aria-valuemin": 0 });
  const stem = line(0, 0, 0, 0, "stem"), knob = shape("circle", { r: 8 }), ring = shape("circle", { r: 12, class: "ring" });
  const target = shape("circle", { r: 14, class: "target" });
  handle.append(stem, ring, knob, target);
  plot.append(curves, handle);
  el.append(bar, banner, plot, announcer);

  const shown = () => (hand.step === null ? record.steps : Math.min(hand.step, record.steps));

  // Where the handle can stand: at the frames of the film, else at every hundredth, and at the end.
  function stops() {
    const every = Math.max(1, Math.round(get("steps") / 100));
    const inner = record.frames.length > 1 ? record.frameSteps : Array.from({ length: Math.floor(record.steps / every) + 1 }, (_, i) => i * every);
    return inner.at(-1) === record.steps ? inner : [...inner, record.steps];
  }

  function put(step) {
    hand.step = step;
    project();
    for (const redraw of hand.views) redraw();
  }

  function move(step) {
    const all = stops();
    const nearest = all.reduce((best, stop) => (Math.abs(stop - step) < Math.abs(best - step) ? stop : best));
    put(nearest === record.steps ? null : nearest);
  }

  // The film plays in the page: the Matrix is given the frame as if its own kernel had sent it.
  async function project() {
    if (!get("film") || !record.frames.length) return;
    const matrix = await model.widget_manager.get_model(get("film"));
    const at = record.frameSteps.findLastIndex((step) => step <= shown());
    const state = hand.step === null ? {} : { values: record.frames[Math.max(0, at)], frame: 0 };
    matrix.trigger("msg:custom", { kind: "film", stamp: Infinity, state });
  }

  function readings(step) {
    const parts = step ? [`loss ${number(record.losses[step - 1])}`] : [];
    for (const [name, value] of Object.entries(record.metrics(step))) parts.push(`${nameOf(name)} ${share(value)}`);
    return parts.join(", ");
  }
  const share = (value) => (value >= 0 && value <= 1 ? `${Math.round(100 * value)} %` : number(value));
  const nameOf = (name) => get("metrics")[name] ?? name;

  function status() {
    const { state, step, steps, left } = Object.fromEntries(["state", "step", "steps", "left"].map((n) => [n, get(n)]));
    if (gone) return "the kernel is gone: run this cell again to train";
    if (state === "ready") return `${steps} steps` + (left ? `, about ${duration(left)}` : "");
    if (state === "running") return `step ${step} of ${steps}` + (left ? `, about ${duration(left)} left` : "");
    return { paused: `paused at step ${step} of ${steps}`, done: `done: ${step} steps`, failed: `stopped at step ${step} of ${steps}` }[state];
  }

  function drawBar() {
    const state = get("state");
    dress(go, state === "running" ? "pause" : "play", { ready: "Start", running: "Pause", paused: "Go on" }[state] ?? "Start");
    // Not `disabled`: a button that loses the keyboard's focus throws the learner back to the top of the page.
    go.setAttribute("aria-disabled", gone || state === "done" || state === "failed");
    one.setAttribute("aria-disabled", gone || !["ready", "paused"].includes(state));
    reset.setAttribute("aria-disabled", gone || (state === "ready" && !get("step")));
    progress.textContent = status();
    const error = get("error");
    if (banner.textContent !== error) banner.textContent = error;
    const news = gone || state !== "running" ? status() : "training";
    if (said !== null && said !== news) announcer.textContent = [news, readings(record.steps)].filter(Boolean).join(": ");
    said = news;
  }

  function drawMetrics(parts, look, top) {
    const { x0, x1, X } = geometry;
    const names = [...new Set([...Object.keys(get("metrics")), ...record.names])];
    if (!names.length) return top;
    const highest = Math.max(...record.rows.flatMap((row) => row.slice(1)).filter(Number.isFinite), 0);
    const limit = highest <= 1 ? 1 : niceAbove(highest), height = Math.max(METRICS_HEIGHT, 16 * names.length), bottom = top + height;
    const Y = (value) => bottom - clamp(value / limit, 0, 1) * height;
    parts.push(line(x0, top + 0.5, x1, top + 0.5, "grid"), line(x0, bottom + 0.5, x1, bottom + 0.5, "grid2"));
    parts.push(label(x0 - 16, top + 4, number(limit, 0), "s end"), label(x0 - 16, bottom + 4, "0", "s end"));
    const now = record.metrics(shown());
    const labels = [];
    names.forEach((name, k) => {
      const column = record.names.indexOf(name) + 1;
      const points = column ? record.rows.filter((row) => Number.isFinite(row[column])) : [];
      const colour = css(look.weights(k % 2 ? 0.55 : 0.85));
      const d = points.map((row, i) => `${i ? "L" : "M"}${X(row[0]).toFixed(1)} ${Y(row[column]).toFixed(1)}`).join("");
      parts.push(shape("path", { d, class: "metric", stroke: colour, "stroke-dasharray": k % 3 === 1 ? "6 3" : k % 3 === 2 ? "2 2" : "none" }));
      const last = points.filter((row) => row[0] <= shown()).at(-1);
      if (last) {
        parts.push(line(X(last[0]) + 5, Y(last[column]), x1 + 12, Y(last[column]), "lead"));
        parts.push(shape("circle", { cx: X(last[0]), cy: Y(last[column]), r: 3, fill: colour }));
      }
      labels.push({ name, y: last ? Y(last[column]) : top + 16 * k + 4, value: now[name] });
    });
    for (const { name, y, value } of spread(labels, top, bottom)) {
      const text = label(geometry.aside, y + 4, "", "");
      text.append(shape("tspan", { class: "s" }, nameOf(name).slice(0, 24) + " "), shape("tspan", { class: "b" }, value === undefined ? "" : number(value)));
      parts.push(text);
    }
    return bottom + BETWEEN;
  }

  function drawLoss(parts, look, top) {
    const { x0, x1, X } = geometry, bottom = top + LOSS_HEIGHT, steps = get("steps"), done = record.steps;
    const limit = Math.max(...record.losses.slice(0, 5), 1e-9);
    const Y = (loss) => bottom - clamp(loss / limit, 0, 1.08) * LOSS_HEIGHT;
    if (done) {
      const every = Math.max(1, Math.floor(done / (x1 - x0)));
      const kept = record.losses.map((loss, i) => [i + 1, loss]).filter(([step]) => step % every === 0 || step === done || step === 1);
      const path = (points) => points.map(([step, loss], i) => `${i ? "L" : "M"}${X(step).toFixed(1)} ${Y(loss).toFixed(1)}`).join("");
      const past = kept.filter(([step]) => step <= shown());
      if (past.length) parts.push(shape("path", { d: `${path(past)}L${X(past.at(-1)[0])} ${bottom}L${X(past[0][0])} ${bottom}Z`, fill: css(look.weights(0.12)) }));
      parts.push(shape("path", { d: path(kept), class: "loss" }));
      parts.push(label(x0 - 16, top + 4, `loss ${number(limit, limit < 10 ? 1 : 0)}`, "s end"));
    } else parts.push(label(x0 - 16, top + 4, "loss", "s end"));
    parts.push(line(x0, bottom + 0.5, x1, bottom + 0.5, "track"), line(x0, bottom + 0.5, X(done), bottom + 0.5, "done"));
    parts.push(line(x0, bottom + 0.5, X(shown()), bottom + 0.5, "past"));
    const every = tickStep(steps, x1 - x0 < 420 ? 4 : 8);
    const ticks = Array.from({ length: Math.floor(steps / every) + 1 }, (_, i) => i * every);
    if (steps - ticks.at(-1) >= 0.5 * every) ticks.push(steps);
    for (const tick of ticks) parts.push(label(X(tick), bottom + 24, String(tick), "s middle"));
    parts.push(label(x0 - 16, bottom + 5, "0", "s end"), label(x0 - 28, bottom + 24, "step", "s end"));
    parts.push(label(geometry.aside, top + 14, `step ${shown()} of ${steps}`, "b"));
    if (shown()) parts.push(label(geometry.aside, top + 33, `loss ${number(record.losses[shown() - 1])}`, "s"));
    return bottom;
  }

  function drawHandle(top, bottom) {
    const x = geometry.X(shown());
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: top + 2, y2: bottom })) stem.setAttribute(name, value);
    for (const circle of [ring, knob, target]) { circle.setAttribute("cx", x); circle.setAttribute("cy", bottom); }
    const step = shown(), reading = readings(step);
    handle.setAttribute("aria-valuemax", record.steps);
    handle.setAttribute("aria-valuenow", step);
    handle.setAttribute("aria-valuetext", `step ${step} of ${get("steps")}${reading && ", "}${reading}`);
  }

  // This view was not there when some news came: ask for all of it, once, until there is an answer.
  function catchUp() {
    if (asked) return;
    asked = true;
    tell(model, { kind: "catch up" });
  }

  // The curves stand on the columns of the film's matrix, so that both are read as one picture; but not where the
  // matrix takes the whole width, for the numbers stand beside the curves.
  function columns(width) {
    let node = get("film") ? el : null, matrix = null;
    for (let up = 0; node && !matrix && up < 4; up++, node = node.parentElement) matrix = node.querySelector(".attnlab.matrix");
    const box = matrix?.attnlab?.geometry()?.boxes;
    const aside = clamp(width * 0.2, 160, 260);
    const fits = box?.length === 1 && box[0].x >= LEFT - 30 && box[0].right - box[0].x >= 420 && width - box[0].right >= aside;
    return fits ? [box[0].x, box[0].right] : [LEFT, Math.floor(width - aside - 32)];
  }

  function draw() {
    if (record.steps < get("step")) catchUp();
    drawBar();
    const width = el.clientWidth;
    if (!width) return;
    const look = theme(el), [x0, x1] = columns(width);
    geometry = { x0, x1, aside: x1 + (width < 800 ? 24 : 32), X: (step) => x0 + (step / get("steps")) * (x1 - x0) };
    const parts = [];
    const top = drawMetrics(parts, look, 10);
    const bottom = drawLoss(parts, look, top);
    plot.setAttribute("width", width);
    plot.setAttribute("height", bottom + FOOT);
    curves.replaceChildren(...parts);
    drawHandle(top, bottom);
  }

  const stepAt = (event) => {
    const { left } = plot.getBoundingClientRect();
    return clamp((event.clientX - left - geometry.x0) / (geometry.x1 - geometry.x0), 0, 1) * get("steps");
  };
  plot.addEventListener("pointerdown", (event) => {
    if (event.button || stepAt(event) === undefined) return;
    const x = event.clientX - plot.getBoundingClientRect().left;
    if (x < geometry.x0 - 14 || x > geometry.x1 + 14) return;
    plot.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    move(stepAt(event));
    event.preventDefault();
  }, { signal });
  plot.addEventListener("pointermove", (event) => { if (plot.hasPointerCapture(event.pointerId)) move(stepAt(event)); }, { signal });

  ownKeys(handle, (event) => {
    const all = stops(), at = all.findLastIndex((stop) => stop <= shown());
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : by && clamp(at + by, 0, all.length - 1);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
    move(all[to]);
    return true;
  }, signal);

  const hear = (message, buffers) => {
    if (message?.kind !== "news") return;
    if (message.at[0] + message.at[1] + message.at[2] === 0) asked = false;
    const before = record.steps;
    if (!record.take(message, buffers)) catchUp();
    if (record.steps < before) put(null); // it begins anew
    schedule();
  };
  // A restarted kernel knows nothing of this view: Jupyter marks it.
  document.addEventListener("matrix-layout", schedule, { signal });
  const live = () => { gone = Boolean(el.closest(".jupyter-widgets-disconnected")); schedule(); };
  model.on("msg:custom", hear);
  model.on("comm_live_update", () => setTimeout(live));
  signal.addEventListener("abort", () => model.off("msg:custom", hear));
  const stored = get("record");
  if (stored?.at) record.take(stored, stored.buffers);
  watchLook(el, schedule, signal);
  hand.views.add(schedule);
  signal.addEventListener("abort", () => hand.views.delete(schedule));
  draw();
}

export default () => {
  // Where the handle was put; null: it follows the training. One for all views, which share one film.
  const hand = { step: null, views: new Set() };
  return { render: (view) => render({ ...view, hand }) };
};
