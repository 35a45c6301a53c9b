// What the hand and the step point at, and what it says beside the matrix.

import { clamp } from "../../base/js/numbers.js";
import { fitText, textWidth, wrapText } from "../../base/js/text.js";
import { css } from "../../base/js/theme.js";
import { number } from "../../base/js/words.js";
import { LINE } from "./layout.js";
import { outline, rule, write } from "./pen.js";

// Row and column under 5 % ink, the cell outlined.
export function paintHover(pen, v) {
  const { ctx, g, look } = pen;
  if (!v.hover) return;
  const [panel, query, key] = v.hover;
  const box = g.boxes[panel];
  const [r, c] = [v.rows.indexOf(query), v.columns.indexOf(key)];
  ctx.fillStyle = look.ink;
  ctx.globalAlpha = 0.05;
  if (r >= 0) ctx.fillRect(box.x, box.y + r * g.h, box.right - box.x, g.h);
  if (c >= 0) ctx.fillRect(box.x + c * g.c, box.y, g.c, g.body);
  ctx.globalAlpha = 1;
  if (r >= 0 && c >= 0)
    outline(pen, box.x + c * g.c + 0.5, box.y + r * g.h + 0.5, g.c, g.h, look.ink, Math.min(1.5, g.c / 3));
}

// A thin frame within each marked cell, in ink on the page's colour: seen on the palest cell and on the fullest.
export function paintMarked(pen, v, panel) {
  const { g, look } = pen;
  const box = g.boxes[panel];
  const gap = Math.min(g.c, g.h) < 12 ? 0.5 : 2;
  for (const [query, key] of v.marked) {
    const [r, c] = [v.rows.indexOf(query), v.columns.indexOf(key)];
    const [x, y, w, h] = [box.x + c * g.c + gap, box.y + r * g.h + gap, g.c - 2 * gap + 1, g.h - 2 * gap + 1];
    outline(pen, x, y, w, h, css(look.page), 3.5);
    outline(pen, x, y, w, h, look.ink, 1.25);
  }
}

export function paintCurrent(pen, v) {
  const { g, look } = pen;
  const r = v.rows.indexOf(v.current);
  if (r < 0) return;
  for (const box of g.boxes)
    outline(
      pen,
      box.x - 0.5,
      box.y + r * g.h - 0.5,
      box.right - box.x + 2,
      g.h + 2,
      look.mark.query,
      g.h < 12 ? 1.5 : 2.5,
    );
}

// Selected: a gap in the page's colour, then ink; with the keyboard's focus the brand's ring around it.
// In a dense matrix the ring stands on the edge and the gap inside, so that no neighbour's number is covered.
export function paintSelected(pen, v) {
  const { g, look } = pen;
  const page = css(look.page);
  if (!v.selected) {
    const box = g.boxes[0];
    if (v.focus) outline(pen, box.x - 2.5, box.y - 2.5, box.right - box.x + 6, g.body + 6, look.brand, 2.5, 3);
    return;
  }
  const [panel, query, key] = v.selected;
  const box = g.boxes[panel];
  const x = key < 0 ? box.x : box.x + v.columns.indexOf(key) * g.c;
  const y = query < 0 ? box.y : box.y + v.rows.indexOf(query) * g.h;
  const [w, h] = [key < 0 ? box.right - box.x : g.c, query < 0 ? g.body : g.h];
  if (Math.min(g.c, g.h) < 12) {
    outline(pen, x - 1, y - 1, w + 2, h + 2, page, 2);
    outline(pen, x - 2.5, y - 2.5, w + 5, h + 5, v.focus ? look.brand : look.ink, v.focus ? 2.5 : 1.5);
  } else if (g.c < (g.numbers ? 38 : 28)) {
    outline(pen, x + 0.5, y + 0.5, w, h, page, 5.5);
    outline(pen, x + 0.5, y + 0.5, w, h, v.focus ? look.brand : look.ink, v.focus ? 2.5 : 2, 1);
  } else {
    outline(pen, x + 0.5, y + 0.5, w, h, page, 5);
    outline(pen, x - 0.5, y - 0.5, w + 2, h + 2, look.ink, 2, 1);
    if (v.focus) outline(pen, x - 3.5, y - 3.5, w + 8, h + 8, look.brand, 2.5, 3.5);
  }
}

// Query, key, score and weight of the hovered or selected cell, tied to its row by a hairline outside the matrix.
export function paintReadout(pen, v) {
  const { ctx, g, look } = pen;
  const lines = v.read;
  const read = { ...g.read, y: g.readTop(v.pointed?.[0] ?? 0) };
  if (!lines) {
    write(pen, g.c < 12 ? "point at the matrix to read it" : "point at a cell to read it", read.x, read.y + 13, {
      colour: look.ink2,
    });
    return;
  }
  let y = read.y + 13;
  for (const { name, text, role, after, mono, most = 1 } of lines) {
    write(pen, name, read.x, y, { colour: look.ink2 });
    const font = `600 13px ${mono ? look.mono : look.font}`;
    const parts = wrapText(text, font, read.width - 58, most);
    const colour = role ? look.text[role] : look.ink;
    parts.forEach((part, i) => write(pen, part, read.x + 54, y + i * LINE, { font, colour }));
    const end = read.x + 54 + Math.max(8, textWidth(parts.at(-1), font)) + 8;
    const last = y + (parts.length - 1) * LINE;
    if (after && end + textWidth(after, `12px ${look.font}`) <= read.x + read.width)
      write(pen, after, end, last, { colour: look.ink2 });
    y = last + LINE;
  }
  const [panel, query] = v.pointed;
  if (!g.beside) return;
  const box = g.boxes[panel];
  const r = v.rows.indexOf(query);
  const [top, foot] = [read.y, y - LINE + 1];
  const level = r < 0 ? top : box.y + (r + 0.5) * g.h;
  const tied = r >= 0 && box.last && box.right === g.right;
  ctx.strokeStyle = look.ink2;
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  if (tied) {
    ctx.moveTo(g.right + 8, level);
    ctx.lineTo(read.x - 10, level);
  }
  ctx.moveTo(read.x - 10, tied ? Math.min(top, level) : top);
  ctx.lineTo(read.x - 10, tied ? Math.max(foot, level) : foot);
  ctx.stroke();
}

// Bars of a distribution in a fixed order, values at their ends.
export function paintDistribution(pen, v) {
  const { ctx, g, look } = pen;
  const d = g.distribution;
  if (!d || !v.probabilities) return;
  let x = d.x;
  for (const [text, role] of v.distributionTitle) {
    const font = role ? `13px ${d.style.single ? look.mono : look.font}` : `12px ${look.font}`;
    const part = fitText(text, font, Math.max(0, d.x + g.read.width - x));
    write(pen, part, x, d.top - 12, { font, colour: role ? look.text[role] : look.ink2 });
    x += textWidth(part, font);
  }
  for (let n = 0; n < d.count; n++) {
    const p = v.probabilities[n];
    const chosen = n === v.distributionChosen;
    const y = d.top + n * d.pitch;
    const size = Math.min(13, d.pitch - 3);
    const font = `${chosen ? "600 " : ""}${size}px ${d.style.single ? look.mono : look.font}`;
    const colour = chosen ? look.ink : look.ink2;
    const name = fitText(d.style.names[n], font, d.bars - d.x - 6);
    write(pen, name, d.style.single ? d.x + 4 : d.bars - 8, y + d.pitch / 2 + size * 0.35, {
      font,
      colour,
      align: d.style.single ? "center" : "right",
    });
    const long = clamp(Number.isFinite(p) ? p : 0, 0, 1) * d.length;
    ctx.fillStyle = css(look.weights(chosen ? 0.82 : 0.34));
    ctx.fillRect(d.bars, y + 2.5, Math.max(1, long), d.pitch - 5);
    const word = `${chosen ? "600 " : ""}12px ${look.font}`;
    if (!(p < 0.01)) write(pen, number(p), d.bars + long + 6, y + d.pitch / 2 + 4, { font: word, colour });
  }
  rule(pen, d.bars - 0.5, d.top, 0, d.count * d.pitch, look.grid2);
  const more = d.style.names.length - d.count;
  if (more > 0) write(pen, `and ${more} more`, d.bars, d.top + d.count * d.pitch + 14, { colour: look.ink2 });
}
