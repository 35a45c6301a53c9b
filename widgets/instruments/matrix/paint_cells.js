// The cells: colours, hatching, signs, grid and numbers.

import { context2d } from "../../base/js/dom.js";
import { clamp } from "../../base/js/numbers.js";
import { textWidth } from "../../base/js/text.js";
import { inkOn, pixel } from "../../base/js/theme.js";
import { number, shortNumber } from "../../base/js/words.js";
import { FADED_LABEL, isFaded, rule, write } from "./pen.js";

const FADED = 0.26;

const SHADES = 1024;

// Colours of SHADES steps, weights 0..1 or scores -limit..limit: as packed pixels, plain and faded, and the ink on them.
export function palette(look, scale) {
  const plain = new Uint32Array(SHADES + 1);
  const faded = new Uint32Array(SHADES + 1);
  const inks = [];
  for (let i = 0; i <= SHADES; i++) {
    const rgb = scale === "weights" ? look.weights(i / SHADES) : look.scores((2 * i) / SHADES - 1, 1);
    plain[i] = pixel(rgb);
    inks.push(inkOn(rgb));
    faded[i] = pixel(rgb.map((x, c) => Math.round(look.page[c] + FADED * (x - look.page[c]))));
  }
  return { plain, faded, inks, page: pixel(look.page) };
}

const share = (v, x) => (v.scale === "weights" ? x : x / v.limit / 2 + 0.5);

const shade = (v, x) => clamp(Math.round(share(v, x) * SHADES), 0, SHADES);

// All cells of a panel as one small picture of a pixel a cell; `whole`: each that may be read is a finite number.
export function colourCells({ g, shades }, v, panel, small) {
  const { queries, keys } = g;
  const picture = small.picture(keys, queries);
  const pixels = new Uint32Array(picture.data.buffer);
  let whole = true;
  for (let r = 0, at = 0; r < queries; r++) {
    const query = v.rows[r];
    const colours = isFaded(v, query) ? shades.faded : shades.plain;
    const start = (panel * queries + query) * keys;
    for (let c = 0; c < keys; c++, at++) {
      const key = v.columns[c];
      const x = v.shown[start + key];
      const off = v.mask && !v.allowed(panel, query, key);
      if (!off && !Number.isFinite(x)) whole = false;
      pixels[at] = off || Number.isNaN(x) ? shades.page : colours[shade(v, x)];
    }
  }
  small.put(picture);
  return { canvas: small.canvas, whole };
}

// Enlarged without smoothing.
export function paintCells(pen, v, panel) {
  const { ctx, g } = pen;
  const box = g.boxes[panel];
  const { canvas } = pen.cells(panel);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(canvas, 0, 0, g.keys, g.queries, box.x, box.y, box.right - box.x, g.body);
}

// The hatch of a panel's masked cells, as a picture that is painted once and then laid over the cells.
export function hatchedCells(pen, v, panel, hatch) {
  const { g } = pen;
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: Math.round(g.keys * g.c * g.ratio), height: Math.round(g.body * g.ratio) });
  const ctx = context2d(sheet);
  ctx.scale(g.ratio, g.ratio);
  for (let r = 0; r < g.queries; r++) {
    for (let c = 0, run = 0; c <= g.keys; c++) {
      if (c < g.keys && !v.allowed(panel, v.rows[r], v.columns[c])) {
        run++;
        continue;
      }
      if (run) ctx.rect((c - run) * g.c, r * g.h, run * g.c, g.h);
      run = 0;
    }
  }
  ctx.fillStyle = hatch;
  ctx.fill();
  return sheet;
}

// Masked cells hatched; not-a-number crossed out; infinite cells with their sign.
export function paintSpecial(pen, v, panel) {
  const { ctx, g, look } = pen;
  const box = g.boxes[panel];
  const sheet = pen.hatched(panel);
  if (sheet) ctx.drawImage(sheet, box.x, box.y, sheet.width / g.ratio, sheet.height / g.ratio);
  if (pen.cells(panel).whole) return;
  const crosses = new Path2D();
  let crossed = false;
  for (let r = 0; r < g.queries; r++) {
    for (let c = 0; c < g.keys; c++) {
      const [query, key] = [v.rows[r], v.columns[c]];
      const x = v.shown[(panel * g.queries + query) * g.keys + key];
      if (Number.isFinite(x) || !v.allowed(panel, query, key)) continue;
      const [left, top, inset] = [box.x + c * g.c, box.y + r * g.h, Math.min(6, g.c / 5, g.h / 5)];
      if (Number.isNaN(x)) {
        crosses.moveTo(left + inset, top + inset);
        crosses.lineTo(left + g.c - inset, top + g.h - inset);
        crosses.moveTo(left + inset, top + g.h - inset);
        crosses.lineTo(left + g.c - inset, top + inset);
        crossed = true;
      } else if (g.c >= 12) {
        const font = `600 13px ${look.font}`;
        write(pen, number(x), left + g.c / 2, top + g.h / 2 + 4.5, {
          font,
          align: "center",
          colour: pen.shades.inks[shade(v, x)],
        });
      }
    }
  }
  if (!crossed) return;
  ctx.strokeStyle = look.error;
  ctx.lineWidth = g.c < 12 ? 1 : 1.5;
  ctx.stroke(crosses);
}

// Lines between cells; the matrix's own border and the borders of groups and words are stronger.
export function paintGrid(pen, v, panel) {
  const { g, look } = pen;
  const box = g.boxes[panel];
  const dense = g.keys > 64 || g.c < 8;
  const [width, height] = [box.right - box.x, g.body];
  for (let c = 0; c <= g.keys; c++) {
    const strong = c === 0 || c === g.keys || v.keyBorders.has(c);
    if (strong || !dense) rule(pen, box.x + c * g.c, box.y, 0, height, strong ? look.grid2 : look.grid);
  }
  for (let r = 0; r <= g.queries; r++) {
    const strong = r === 0 || r === g.queries || v.queryBorders.has(r);
    if (strong || !(dense || g.h < 8)) rule(pen, box.x, box.y + r * g.h, width, 0, strong ? look.grid2 : look.grid);
  }
}

// The number in a cell as short as its width asks; "" where it does not fit.
function cellNumber(v, g, x, font) {
  const room = g.c - 4;
  const forms =
    v.scale === "weights"
      ? g.c < 38
        ? [shortNumber(x)]
        : g.keys <= 8
          ? [number(x), shortNumber(x)]
          : [shortNumber(x)]
      : g.c < 38
        ? [number(x, 1), number(x, 0)]
        : [number(x), number(x, 1), number(x, 0)];
  return forms.find((text) => textWidth(text, font) <= room) ?? "";
}

export function paintNumbers(pen, v, panel) {
  const { g, look } = pen;
  if (g.keys > 24 || g.c < 22 || g.h < 18) return;
  const some = g.keys > 8;
  const size = some ? (g.c < 28 ? 10.5 : 12) : g.c < 36 ? 11 : 13;
  const font = `${size}px ${look.font}`;
  const box = g.boxes[panel];
  for (let r = 0; r < g.queries; r++) {
    const query = v.rows[r];
    if (some && query !== v.current && !(v.selected && v.selected[1] === query)) continue;
    const alpha = isFaded(v, query) ? FADED_LABEL : 1;
    for (let c = 0; c < g.keys; c++) {
      const x = v.shown[(panel * g.queries + query) * g.keys + v.columns[c]];
      if (!Number.isFinite(x) || (v.mask && !v.allowed(panel, query, v.columns[c]))) continue;
      if (some && v.scale === "weights" && x < 0.045) continue;
      const colour = alpha < 1 ? look.ink : pen.shades.inks[shade(v, x)];
      write(pen, cellNumber(v, g, x, font), box.x + (c + 0.5) * g.c, box.y + (r + 0.5) * g.h + size * 0.36, {
        font,
        colour,
        align: "center",
        alpha,
      });
    }
  }
}
