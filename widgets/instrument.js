// What every instrument shares: theme, colour scales, numbers, keys, and the film that plays over the kernel's state.
// This file is put in front of each instrument's own script; it is a prelude, not a module of its own.

const WEIGHT_STOPS = {
  light: ["page", "#C8CEE9", "#919FD8", "#6271BA", "#3B4592", "#1C215D"],
  dark: ["page", "#3C4363", "#5C68A4", "#8593D2", "#B8C2EC", "#F0F3FD"],
};
const PLUS_STOPS = {
  light: ["page", "#C7CEEA", "#919ED7", "#616FB9", "#3A4490"],
  dark: ["page", "#3E4567", "#606DAB", "#8D9AD7", "#C3CCEF"],
};
const MINUS_STOPS = {
  light: ["page", "#EBC6BA", "#D38E78", "#AE5B41", "#7F3117"],
  dark: ["page", "#613D32", "#A15D48", "#D48871", "#F2C1B2"],
};
const ROLE_MARKS = { query: "#E69F00", key: "#56B4E9", value: "#009E73", context: "#CC79A7" };

const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const css = (rgb) => `rgb(${rgb[0]}, ${rgb[1]}, ${rgb[2]})`;

function luminance(rgb) {
  const [r, g, b] = rgb.map((x) => ((x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Black or white, whichever contrasts more with a fill.
const inkOn = (rgb) => (luminance(rgb) > 0.179 ? "#000" : "#fff");

function ramp(stops, page, t) {
  const x = clamp(t, 0, 1) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x));
  const [a, b] = [stops[i], stops[i + 1]].map((stop) => (stop === "page" ? page : channels(stop)));
  return a.map((from, c) => Math.round(from + (b[c] - from) * (x - i)));
}

// The painted background behind an element: the nearest ancestor that is not transparent.
function pageColour(el) {
  for (let node = el; node; node = node.parentElement ?? node.getRootNode()?.host) {
    const parts = getComputedStyle(node).backgroundColor.match(/[\d.]+/g)?.map(Number);
    if (parts && (parts.length < 4 || parts[3] > 0.5)) return parts.slice(0, 3);
  }
  return [255, 255, 255];
}

// theme(el).weights(w) and .scores(s, limit) give [r, g, b]; .ink, .ink2, .line, .brand ... are CSS colours.
// To read them costs a pass over the page's styles, so they are kept until `watchLook` sees a change.
const looks = new WeakMap();

function theme(el) {
  if (!looks.has(el)) looks.set(el, readTheme(el));
  return looks.get(el);
}

function readTheme(el) {
  const page = pageColour(el.parentElement ?? el);
  const dark = luminance(page) < 0.179;
  el.dataset.dark = dark;
  const style = getComputedStyle(el);
  const kind = dark ? "dark" : "light";
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    page, dark, font: read("font"), mono: read("mono"),
    ink: style.color, ink2: read("ink2"), grid: read("grid"), grid2: read("grid2"), hatch: read("hatch"),
    line: read("line"), brand: read("brand"), goInk: read("go-ink"), error: read("error"),
    mark: ROLE_MARKS,
    text: Object.fromEntries(Object.keys(ROLE_MARKS).map((role) => [role, read(`${role}-ink`)])),
    weights: (w) => ramp(WEIGHT_STOPS[kind], page, w),
    scores: (s, limit) => ramp((s < 0 ? MINUS_STOPS : PLUS_STOPS)[kind], page, Math.abs(s) / (limit || 1)),
  };
}

// Call `redraw` when Jupyter's theme, the element's width or the pixel ratio changes, until `signal` aborts.
function watchLook(el, redraw, signal) {
  // The theme's style sheet arrives after the attribute that announces it.
  const again = () => { looks.delete(el); redraw(); };
  const late = () => { again(); setTimeout(again, 300); };
  const themes = new MutationObserver(late);
  for (const node of [document.documentElement, document.body]) {
    themes.observe(node, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name", "data-theme"] });
  }
  let width = -1;
  const sizes = new ResizeObserver(() => { if (el.clientWidth !== width) { width = el.clientWidth; again(); } });
  sizes.observe(el);
  const ratio = () => {
    if (signal.aborted) return;
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => { redraw(); ratio(); }, { once: true, signal });
  };
  ratio();
  signal.addEventListener("abort", () => { themes.disconnect(); sizes.disconnect(); });
}

// Numbers as the look asks: true minus, fixed decimals, no exponent; weights under one may drop their zero.
function number(x, decimals = 2) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const text = Math.abs(x).toFixed(decimals);
  return (x < 0 && Number(text) !== 0 ? "−" : "") + text;
}
const shortNumber = (x, decimals = 2) => number(x, decimals).replace(/^(−?)0\./, "$1.");
const visible = (token) => (token === " " ? "␣" : token === "" ? "∅" : token);

// Runs of [text, role] become text nodes and spans: a learner's token is never read as markup.
function writeRuns(el, runs) {
  el.replaceChildren(...runs.map(([text, role]) => {
    if (!role) return document.createTextNode(text);
    const span = document.createElement("span");
    span.className = `role ${role}`;
    span.textContent = text;
    return span;
  }));
}

// `make("button", { class: "go", "aria-label": "start", onclick: f }, "start")`
function make(tag, attributes = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children);
  return el;
}

// Hide or show a control. Hidden, it hands the keyboard's focus on to `heir`, which else fell back to the top of the page.
function hide(el, hidden, heir) {
  if (hidden && el === document.activeElement) heir.focus({ preventScroll: true });
  el.hidden = hidden;
}

// A message to the kernel. One that was restarted knows nothing of this view, and Jupyter throws; what the learner is
// told then does not hang on it.
function tell(model, message) {
  try { model.send(message); } catch (error) { console.warn("the kernel cannot be told", message.kind, error); }
}

// Notebook 7 takes the arrow keys at the document; we listen before it, at the window, for keys that hit our element.
// The handler returns true when it used the key.
function ownKeys(el, handler, signal) {
  window.addEventListener("keydown", (event) => {
    if (!el.contains(event.target)) return;
    if (handler(event)) { event.preventDefault(); event.stopImmediatePropagation(); }
    else if (/^(Arrow|Page|Home|End|Enter|Escape| )/.test(event.key)) event.stopPropagation();
  }, { capture: true, signal });
}

// An array trait arrives as { shape, data }; the bytes may start at an odd address, hence the copy.
function floats(packed) {
  const view = packed.data instanceof DataView ? packed.data : new DataView(packed.data.buffer ?? packed.data);
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// The picture an instrument shows: the kernel's traits, or, while a slider's film plays, the film's.
// A film message is { kind: "film", stamp, state }; the kernel has the last word as soon as its own `stamp` has caught up.
// `patience()`: how many ms a change may wait for the next one, so that both are drawn in one frame.
function picture(model, draw, signal, patience = () => 0) {
  let film = null;
  let pending = false;
  let timer = 0;
  const schedule = () => {
    clearTimeout(timer);
    timer = 0;
    if (pending || signal.aborted) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; if (!signal.aborted) draw(); });
  };
  const onChange = () => {
    if (film && model.get("stamp") >= film.stamp) film = null;
    const ms = patience();
    if (ms) timer ||= setTimeout(schedule, ms);
    else schedule();
  };
  const onMessage = (message) => { if (message?.kind === "film") { film = message; schedule(); } };
  model.on("change", onChange);
  model.on("msg:custom", onMessage);
  signal.addEventListener("abort", () => { model.off("change", onChange); model.off("msg:custom", onMessage); });
  const get = (name) => (film && name in film.state ? film.state[name] : model.get(name));
  return { get, schedule };
}
