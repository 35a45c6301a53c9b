// Names of rows, columns, groups and panels.

import { LONGEST_LABEL, fitText, shorten, textWidth } from "../../base/js/text.js";
import { FADED_LABEL, isFaded, write } from "./pen.js";

// Titles in the corner, labels of rows and columns, underlines of the keys that the current row reads.
export function paintLabels(pen, v, panel) {
  const { g, look } = pen;
  const box = g.boxes[panel];
  if (g.named)
    write(pen, fitText(v.panelNames[panel], `600 13px ${look.font}`, box.right - box.x), box.x, box.y - g.head + 14, {
      font: `600 13px ${look.font}`,
    });
  if (box.first) {
    write(pen, `${v.keyTitle} →`, box.x - 10, box.y - 23, { align: "right", colour: look.text.key });
    write(pen, `${v.queryTitle} ↓`, box.x - 10, box.y - 6, { align: "right", colour: look.text.query });
    paintQueryLabels(pen, v, box);
  }
  paintKeyLabels(pen, v, panel, box);
  paintGroups(pen, v, box);
}

// Labels that are drawn although only every n-th is: of what is hovered or selected. They push their neighbours out.
function labelPlaces(count, every, wanted) {
  const places = new Set();
  for (let i = 0; i < count; i += every) places.add(i);
  if (every === 1) return places;
  for (const i of wanted) for (let j = i - every + 1; j < i + every; j++) places.delete(j);
  for (const i of wanted) places.add(i);
  return places;
}

const placesOf = (order, ...items) => items.map((item) => order.indexOf(item)).filter((i) => i >= 0);

function paintQueryLabels(pen, v, box) {
  const { ctx, g, look } = pen;
  const { query } = g;
  const wanted = placesOf(v.rows, v.hover?.[1], v.selected?.[1], v.current);
  for (const r of labelPlaces(g.queries, query.every, wanted)) {
    const item = v.rows[r];
    const name = query.names[item] ?? "";
    const y = box.y + (r + 0.5) * g.h;
    const current = item === v.current;
    const strong = current || v.selected?.[1] === item;
    const font = strong ? query.bold : query.font;
    const wide = query.single ? 24 : textWidth(name, font) + 10;
    const high = Math.min(22, Math.max(g.h, 14));
    if (current) {
      ctx.fillStyle = look.mark.query;
      ctx.beginPath();
      ctx.roundRect(box.x - (query.single ? 8 : 4) - wide, y - high / 2, wide, high, 2);
      ctx.fill();
    }
    const colour = current ? "#111" : name === "␣" ? look.ink2 : query.single ? look.ink : look.text.query;
    const alpha = isFaded(v, item) ? FADED_LABEL : 1;
    if (query.single && query.size > 11)
      write(pen, name, box.x - 20, y + query.size / 3, { font, colour, alpha, align: "center" });
    else
      write(pen, name, box.x - (query.single ? 8 : 9), y + query.size * 0.35, { font, colour, alpha, align: "right" });
  }
}

function paintKeyLabels(pen, v, panel, box) {
  const { ctx, g, look } = pen;
  const { key } = g;
  const reading = v.current >= 0 && v.scale === "weights";
  const lift = reading ? 22 : 8;
  const wanted = placesOf(v.columns, v.hover?.[2], v.selected?.[2]);
  const places = labelPlaces(g.keys, key.every, wanted);
  for (let c = 0; c < g.keys; c++) {
    const item = v.columns[c];
    const read = reading ? v.shown[(panel * g.queries + v.current) * g.keys + item] : 0;
    const x = box.x + (c + 0.5) * g.c;
    if (read > 0.02) {
      ctx.globalAlpha = Math.min(1, 0.12 + read * 2);
      ctx.fillStyle = look.mark.key;
      const inset = g.c < 12 ? 0.5 : 2;
      ctx.fillRect(g.snap(box.x + c * g.c + inset), box.y - 12, g.snap(g.c - 2 * inset), 5);
      ctx.globalAlpha = 1;
    }
    if (!places.has(c)) continue;
    const name = key.names[item] ?? "";
    const strong = read > 0.08 || v.selected?.[2] === item;
    const font = strong ? key.bold : key.font;
    const colour = name === "␣" ? look.ink2 : key.single ? look.ink : look.text.key;
    if (!key.angle) write(pen, name, x, box.y - lift, { font, colour, align: "center" });
    else {
      ctx.save();
      ctx.translate(x + (key.angle === 90 ? key.size * 0.35 : 3), box.y - lift + (reading ? 6 : 1));
      ctx.rotate((-key.angle * Math.PI) / 180);
      write(pen, name, 0, 0, { font, colour });
      ctx.restore();
    }
  }
}

// Groups are named where their rows and columns stand.
function paintGroups(pen, v, box) {
  const { ctx, g, look } = pen;
  const caption = `12px ${look.font}`;
  for (const [first, last, name] of v.queryGroups) {
    if (!box.first) break;
    const x = box.x - 8 - g.labelWidth - 6;
    const alpha = isFaded(v, v.rows[first]) ? FADED_LABEL : 1;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = look.mark.query;
    ctx.fillRect(g.snap(x - 1), box.y + first * g.h + 5, 2, (last - first) * g.h - 10);
    write(pen, shorten(name, LONGEST_LABEL), x - 6, box.y + ((first + last) / 2) * g.h + 4, {
      font: caption,
      colour: look.text.query,
      align: "right",
      alpha,
    });
  }
  for (const [first, last, name] of v.keyGroups) {
    const y = box.y - g.head + (g.named ? 24 : 0) + 16;
    const [x, wide] = [box.x + first * g.c + 3, (last - first) * g.c - 6];
    ctx.fillStyle = look.mark.key;
    ctx.fillRect(x, y, wide, 2);
    write(pen, fitText(name, caption, Math.max(wide, 24)), x + wide / 2, y - 5, {
      font: caption,
      colour: look.text.key,
      align: "center",
    });
  }
}
