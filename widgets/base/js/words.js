// Words: letters and numbers as the look writes them, by the same rules as widgets/base/words.py.

import { make } from "./dom.js";

// A token as a label. What could not be seen is written out: blanks at its ends, line ends, tabs, letters without a shape,
// nothing at all.
export function visible(token) {
  const [, start, inner, end] = /** @type {RegExpExecArray} */ (/^( *)(.*?)( *)$/s.exec(token)); // of any text
  const shown = "␣".repeat(start.length) + inner + "␣".repeat(end.length);
  return (
    shown
      .replaceAll("\n", "↵")
      .replaceAll("\t", "⇥")
      .replace(/(?! )[\p{C}\p{Z}]/gu, "·") || "∅"
  );
}

// True minus, fixed decimals, no exponent, never minus zero. A half is rounded to the even neighbour, as Python does.
export function number(x, decimals = 2) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const text = rounded(Math.abs(x), decimals);
  return (x < 0 && Number(text) !== 0 ? "−" : "") + text;
}

// `toFixed` rounds a half up. It is one where the exact decimals end with a 5 right behind the last that is kept.
function rounded(x, decimals) {
  const scaled = x * 10 ** decimals;
  if (scaled < 1e9 && Math.abs((scaled % 1) - 0.5) > 1e-6) return x.toFixed(decimals); // no half: quick to see
  const [whole, behind] = x < 1e21 ? x.toFixed(Math.min(100, decimals + 30)).split(".") : [String(x), ""];
  if (!/^50*$/.test(behind.slice(decimals))) return x.toFixed(decimals);
  const kept = whole + behind.slice(0, decimals);
  const even = Number(kept.at(-1)) % 2 === 0;
  return even ? [whole, behind.slice(0, decimals)].filter(Boolean).join(".") : x.toFixed(decimals);
}

// The same without the zero before the point: ".25".
export const shortNumber = (x, decimals = 2) => number(x, decimals).replace(/^(−?)0\./, "$1.");

// Runs of [text, role] become text nodes and spans: a learner's token is never read as markup.
export function writeRuns(el, runs) {
  el.replaceChildren(...runs.map(([text, role]) => (role ? make("span", { class: `role ${role}` }, text) : text)));
}

// 0.6234 -> "62 %", with a thin space that does not break. Something is never called 0 %, nor 100 % almost.
export function percent(share) {
  if (share > 0 && share <= 0.005) return "under 1\u202f%";
  if (share >= 0.995 && share < 1) return "over 99\u202f%";
  return `${number(100 * Number(rounded(share, 2)), 0)}\u202f%`; // the hundredths that a table shows
}
