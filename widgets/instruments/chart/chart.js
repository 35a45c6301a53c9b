// Chart. Plotly comes to a page as our own scripts do: once, in a hidden widget.

import style from "./style.css";
import { make, ownKeys } from "../../base/js/dom.js";
import { scriptOf } from "../../base/js/kernel.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { apart, byFinger, compose, heightOf } from "./compose.js";
import { isShown } from "./trace.js";
import { pointInWords, table, walk } from "./words.js";

wear(style);

// Plotly is no module: it looks for a module system, and leaves its name in the page.
async function evaluate(source) {
  const before = Object.getOwnPropertyDescriptor(globalThis, "Plotly");
  const module = { exports: {} };
  try {
    // The page may have module systems of its own: they are shadowed, so that the script answers to us.
    new Function("module", "exports", "define", "require", source).call(globalThis, module, module.exports);
  } finally {
    delete globalThis.Plotly;
    if (before) Object.defineProperty(globalThis, "Plotly", before);
  }
  return module.exports;
}

// Plotly keeps a page busy for half a second: a chart out of sight, as behind a question, leaves it to the question first.
// What is returned gives what `fetch` has brought, null before; the first call asks for it, or else a moment of rest.
function inItsTime(fetch, signal, arrived) {
  let asked = false;
  let brought = /** @type {any} */ (null);
  const ask = async () => {
    if (asked || signal.aborted) return;
    asked = true;
    brought = await fetch();
    arrived();
  };
  requestAnimationFrame(() => (globalThis.requestIdleCallback ?? setTimeout)(ask));
  return () => {
    ask();
    return brought;
  };
}

const CONFIG = {
  displaylogo: false,
  showSendToCloud: false,
  plotlyServerURL: "",
  doubleClick: "reset",
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  toImageButtonOptions: { scale: 2, filename: "chart" },
};

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-chart");
  const plot = make("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "chart" });
  const failed = make("div", { class: "failed", role: "alert" });
  const said = make("div", { class: "sr-only", "aria-live": "polite" });
  const numbers = make("div", { class: "table", tabindex: 0, role: "region", "aria-label": "numbers of the chart" });
  const behind = make("details", {}, make("summary", {}, "numbers"), numbers);
  el.append(plot, failed, said, behind);

  /** @type {ReturnType<typeof compose> | null} */
  let now = null;
  /** @type {ReturnType<typeof walk>} */
  let at = null;
  let shifts = {};
  let later = 0;
  let revision = 0;

  const draw = async () => {
    if (!el.clientWidth || !plotly()) return;
    try {
      await paint();
      failed.textContent = "";
    } catch (error) {
      fail(error);
    }
  };
  const paint = () => {
    now = compose(get, theme(el), el.clientWidth, shifts);
    now.layout.datarevision = revision += 1;
    plot.setAttribute("aria-label", now.words);
    if (behind.open) fill(now);
    clearTimeout(later);
    later = setTimeout(settle, 120);
    return plotly().react(plot, now.data, now.layout, byFinger() ? { ...CONFIG, displayModeBar: false } : CONFIG);
  };
  // When the hand rests: names that overlap move apart.
  const settle = () => {
    if (signal.aborted || !plot._fullLayout) return;
    const wanted = apart(plot);
    if (JSON.stringify(wanted) === JSON.stringify(shifts)) return;
    shifts = wanted;
    schedule();
  };
  const fill = ({ data, axes }) =>
    numbers.replaceChildren(...data.filter(isShown).map((trace, i) => table(trace, i, axes)));
  const fail = (error) => {
    failed.textContent = `The chart could not be drawn: ${error.message ?? error}`;
  };

  const { get, schedule } = showing(model, draw, signal);
  plot.style.minHeight = `${heightOf(get)}px`;
  joinPage(el, schedule, signal);
  behind.addEventListener("toggle", () => {
    if (behind.open && now) fill(now);
  });

  ownKeys(
    el,
    (event) => {
      if (event.target !== plot || !now || !/^(Arrow|Page|Home|End|Escape)/.test(event.key)) return false;
      at = walk(at, event.key, now.data);
      said.textContent = at ? pointInWords(now, at) : "";
      if (at) plotly().Fx.hover(plot, [{ curveNumber: at.trace, pointNumber: at.point }]);
      else plotly().Fx.unhover(plot);
      return true;
    },
    signal,
  );

  const late = () => fail(new Error("its script has not come yet, or does not run"));
  const plotly = inItsTime(() => scriptOf(model, "plotly", evaluate, signal, late), signal, schedule);
  signal.addEventListener("abort", () => {
    clearTimeout(later);
    if (plot._fullLayout) plotly().purge(plot);
  });
}
