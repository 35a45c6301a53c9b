// The signs on buttons, each in a square of 14.

import { svg } from "./dom.js";

const SHAPES = {
  first: "M1 2h2v10H1zM13 2v10L4 7z",
  back: "M11 2v10L3 7z",
  play: "M3 1.5v11L12.5 7z",
  forward: "M2 2v10l6-5zM9 2h2.2v10H9z",
  pause: "M3 2h3v10H3zM8 2h3v10H8z",
};

/** @param {keyof typeof SHAPES} name */
export const icon = (name) =>
  svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { d: SHAPES[name] }));
