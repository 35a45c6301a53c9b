// The look: colours and scales of theme.json on the page's own background, and style sheets, each once a page.

import shared from "../instrument.css";
import { ramps, roles } from "../theme.json";
import { clamp } from "./numbers.js";

const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
export const css = (rgb) => `rgb(${rgb[0]}, ${rgb[1]}, ${rgb[2]})`;

/** One pixel of an image, as a number of 32 bits. @param {number[]} rgb @param {number} [alpha] 0 to 1 */
export const pixel = ([r, g, b], alpha = 1) => ((Math.round(255 * alpha) << 24) | (b << 16) | (g << 8) | r) >>> 0;

function luminance(rgb) {
  const [r, g, b] = rgb.map((x) => ((x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Black or white, whichever contrasts more with a fill.
export const inkOn = (rgb) => (luminance(rgb) > 0.179 ? "#000" : "#fff");

export function ramp(stops, page, t) {
  const x = clamp(t, 0, 1) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x));
  const [a, b] = [stops[i], stops[i + 1]].map((stop) => (stop === "page" ? page : channels(stop)));
  return a.map((from, c) => Math.round(from + (b[c] - from) * (x - i)));
}

// The painted background behind an element: the nearest ancestor that is not transparent.
function pageColour(el) {
  for (let node = el; node; node = node.parentElement ?? node.getRootNode()?.host) {
    const parts = getComputedStyle(node)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number);
    if (parts && (parts.length < 4 || parts[3] > 0.5)) return parts.slice(0, 3);
  }
  return [255, 255, 255];
}

// theme(el).weights(w) and .scores(s, limit) give [r, g, b]; .ink, .ink2, .line, .brand ... are CSS colours.
// To read them costs a pass over the page's styles, so they are kept until `watchLook` sees a change.
const looks = new WeakMap();

export function theme(el) {
  if (!looks.has(el)) looks.set(el, readTheme(el));
  return looks.get(el);
}

function readTheme(el) {
  const page = pageColour(el.parentElement ?? el);
  const dark = luminance(page) < 0.179;
  el.dataset.dark = dark;
  const style = getComputedStyle(el);
  const forced = matchMedia("(forced-colors: active)").matches;
  const kind = dark ? "dark" : "light";
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const byRole = (colour) =>
    Object.fromEntries(Object.entries(roles).map(([role, colours]) => [role, colour(colours)]));
  return {
    page,
    dark,
    font: read("font"),
    mono: read("mono"),
    ink: style.color,
    ink2: forced ? style.color : read("ink2"), // plotly knows no names of the system's colours
    grid: read("grid"),
    grid2: read("grid2"),
    hatch: read("hatch"),
    line: read("line"),
    brand: read("brand"),
    goInk: read("go-ink"),
    error: read("error"),
    mark: byRole(({ mark }) => mark),
    text: byRole(({ ink }) => ink[kind]),
    weights: (w) => ramp(ramps.weights[kind], page, w),
    scores: (s, limit) => ramp(ramps[s < 0 ? "negative" : "positive"][kind], page, Math.abs(s) / (limit || 1)),
  };
}

// Call `redraw` when Jupyter's theme, the system's colours, the element's width or the pixel ratio changes, until `signal`
// aborts.
export function watchLook(el, redraw, signal) {
  // The theme's style sheet arrives after the attribute that announces it.
  const readAnew = () => {
    looks.delete(el);
    theme(el); // words have their colours before the picture has come
  };
  const again = () => {
    readAnew();
    redraw();
  };
  const late = () => {
    again();
    setTimeout(again, 300);
  };
  const themes = new MutationObserver(late);
  for (const node of [document.documentElement, document.body]) {
    themes.observe(node, {
      attributes: true,
      attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name", "data-theme"],
    });
  }
  for (const colours of ["(forced-colors: active)", "(prefers-color-scheme: dark)"])
    matchMedia(colours).addEventListener("change", late, { signal });
  let width = -1;
  const sizes = new ResizeObserver(() => {
    if (el.clientWidth !== width) {
      width = el.clientWidth;
      again();
    }
  });
  sizes.observe(el);
  if (el.isConnected) readAnew();
  const ratio = () => {
    if (signal.aborted) return;
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      "change",
      () => {
        redraw();
        ratio();
      },
      { once: true, signal },
    );
  };
  ratio();
  signal.addEventListener("abort", () => {
    themes.disconnect();
    sizes.disconnect();
  });
}

// Put a style sheet into the page, unless it is there.
export function wear(text) {
  if ([...document.querySelectorAll("style[data-attnlab]")].some((sheet) => sheet.textContent === text)) return;
  const sheet = document.createElement("style");
  sheet.dataset.attnlab = "";
  sheet.textContent = text;
  document.head.append(sheet);
}

function roleColours() {
  const rules = (name, colour) =>
    Object.entries(roles)
      .map(([role, colours]) => `--${role}${name}: ${colour(colours)};`)
      .join(" ");
  return `.attnlab { ${rules("", ({ mark }) => mark)} ${rules("-ink", ({ ink }) => ink.light)} }
.attnlab[data-dark="true"] { ${rules("-ink", ({ ink }) => ink.dark)} }\n`;
}

wear(roleColours() + shared);
