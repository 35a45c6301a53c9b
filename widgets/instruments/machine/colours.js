// Colours of a machine by name: the look's own, the roles', and those of heads, which nothing else has.

import { css, ramp } from "../../base/js/theme.js";
import { heads, wire } from "../../base/theme.json";

// `heads` has [mark, words] of the first four; of more, all are ink and the one that is seen from near has the first.
// The words of a head in a sentence, as a style sheet:
const rules = (kind, theme) =>
  heads[kind].map(([, word], i) => `.attnlab${theme} .role.head${i + 1} { color: ${word}; }`);
export const headStyle = [...rules("light", ""), ...rules("dark", '[data-dark="true"]')].join("\n");

const known = new WeakMap(); // look -> its colours

// colours(look)(name, words, tint): CSS; `words` for text, `tint` below 1 mixes a role or head with the page.
export function colours(look) {
  if (!known.has(look)) known.set(look, read(look));
  return known.get(look);
}

function read(look) {
  const kind = look.dark ? "dark" : "light";
  const marks = {
    ...look.mark,
    ink: look.ink,
    ink2: look.ink2,
    hidden: look.ink2,
    wire: wire[kind],
    grid: look.grid,
    grid2: look.grid2,
    brand: look.brand,
    error: look.error,
    page: css(look.page),
  };
  const words = { ...look.text };
  heads[kind].forEach(([mark, word], i) => {
    marks[`head${i + 1}`] = mark;
    words[`head${i + 1}`] = word;
  });
  const mixed = new Map();
  const mix = (full, tint) => {
    const key = `${full} ${tint}`;
    if (!mixed.has(key)) mixed.set(key, css(ramp(["page", full], look.page, tint)));
    return mixed.get(key);
  };
  return (name, isText = false, tint = 1) => {
    const full = (isText && words[name]) || marks[name];
    return tint < 1 && full.startsWith("#") ? mix(full, tint) : full;
  };
}
