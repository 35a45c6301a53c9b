// The tables of numbers, with the names of their rows and columns.

import { number, shortNumber } from "../../base/js/words.js";
import { fitText, textWidth } from "../../base/js/text.js";
import { css, inkOn, theme } from "../../base/js/theme.js";
import { draw, end, line, middle, rect, text } from "./marks.js";
import { allowed, canEdit, decimalsOf, titleOf } from "./reading.js";
import { ROLES } from "./tables.js";

export function hatch(view, look) {
  const pattern = draw(
    "pattern",
    { id: view.uid, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    draw("defs", {}, view.svg),
  );
  draw("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: look.hatch, "stroke-width": 1.6 }, pattern);
}

function grid(view, { x, y, rows, columns }) {
  const { g } = view;
  for (let r = 0; r <= rows; r++) line(view, x, y + r * g.h + 0.5, x + columns * g.c, y + r * g.h + 0.5);
  for (let c = 0; c <= columns; c++) line(view, x + c * g.c + 0.5, y, x + c * g.c + 0.5, y + rows * g.h);
}

// A number over a small bar from the middle: sign and size in the colour of the role.
export function roleTable(view, name) {
  const { g, tables } = view;
  const box = g.boxes[name];
  const mark = `var(--${ROLES[name]})`;
  const decimals = decimalsOf(view, name);
  rect(view, box.x, box.y, box.columns * g.c, box.rows * g.h, { style: `fill:${mark}`, "fill-opacity": 0.13 });
  for (let r = 0; r < box.rows; r++) {
    for (let c = 0; c < box.columns; c++) {
      const x = tables[name].at(r, c);
      const centre = box.x + (c + 0.5) * g.c;
      const top = box.y + r * g.h;
      const long = Math.min(1, Math.abs(x) / view.scale.roles) * (g.c / 2 - 4);
      rect(view, x < 0 ? centre - long : centre, top + g.h - 7, long, 4, { style: `fill:${mark}` });
      text(view, centre, top + g.h / 2 + 2.5, number(x, decimals), "", {
        ...middle,
        style: `font-size:${g.size}px`,
        "data-cell": `${name} ${r} ${c}`,
      });
      if (canEdit(view, name)) rect(view, box.x + c * g.c, top, g.c, g.h, { class: "hit" });
    }
  }
  grid(view, box);
}

export function scoreTables(view, { look }) {
  const { g, tables } = view;
  const { scores, weights } = g.boxes;
  const decimals = decimalsOf(view, "scores");
  const size = { ...middle, style: `font-size:${g.size}px` };
  for (let r = 0; r < scores.rows; r++) {
    for (let c = 0; c < scores.columns; c++) {
      const [xS, xW, top] = [scores.x + c * g.c, weights.x + c * g.c, scores.y + r * g.h];
      if (!allowed(view, r, c)) {
        for (const x of [xS, xW]) rect(view, x, top, g.c, g.h, { fill: `url(#${view.uid})` });
        continue;
      }
      const [score, weight] = [tables.scores.at(r, c), tables.weights.at(r, c)];
      for (const [x, rgb, words, name] of [
        [xS, look.scores(score, view.scale.scores), number(score, decimals), "scores"],
        [xW, look.weights(weight), g.c < 36 ? shortNumber(weight) : number(weight), "weights"],
      ]) {
        rect(view, x, top, g.c, g.h, { fill: css(rgb) });
        text(view, x + g.c / 2, top + g.h / 2 + 4.5, words, "", {
          ...size,
          style: `${size.style};fill:${inkOn(rgb)}`,
          "data-cell": `${name} ${r} ${c}`,
        });
      }
    }
  }
  grid(view, scores);
  grid(view, weights);
}

export function names(view, { query, key, chosen }) {
  const { g, tables } = view;
  const { queries, scores, keys, weights, values } = g.boxes;
  const size = { style: "font-size:13px" };
  query.names.forEach((name, i) =>
    text(view, queries.x - 9, queries.y + (i + 0.5) * g.h + 4.5, name, `query${i === chosen[0] ? " b" : ""}`, {
      ...end,
      ...size,
    }),
  );
  const hidden = (k) => Array.from({ length: weights.rows }, (_, q) => q).every((q) => !allowed(view, q, k));
  key.names.forEach((name, k) => {
    const kind = (role) => `${hidden(k) ? "s" : role}${k === chosen[1] ? " b" : ""}`;
    for (const [box, x] of [
      [keys, scores.x],
      [weights, weights.x],
    ]) {
      const [cx, y] = [x + (k + 0.5) * g.c, box.y - 8];
      if (g.angle) text(view, 0, 0, name, kind("key"), { ...size, transform: `translate(${cx - 2} ${y}) rotate(-45)` });
      else text(view, cx, y, name, kind("key"), { ...middle, ...size });
    }
    const short = fitText(name, key.bold, values.x - weights.right - 14);
    text(view, values.x - 9, values.y + (k + 0.5) * g.h + 4.5, short, kind("value"), { ...end, ...size });
  });
  for (let q = 0; q < weights.rows; q++) {
    let total = 0;
    for (let k = 0; k < weights.columns; k++) total += tables.weights.at(q, k);
    text(view, weights.right + 9, weights.y + (q + 0.5) * g.h + 4.5, number(total), q === chosen[0] ? "" : "s", {
      style: `font-size:${g.size}px`,
    });
  }
}

export function captions(view) {
  const { g } = view;
  const { queries, keys, scores, weights, values, context } = g.boxes;
  const under = (name, box) => {
    const [title, sub] = titleOf(view, name);
    text(view, box.x, g.boxes.queries.bottom + 22, title, `b ${ROLES[name] ?? ""}`, { style: "font-size:13px" });
    const font = `12px ${theme(view.el).font}`;
    const room =
      { queries: scores.x, scores: weights.x, weights: weights.right + 4, context: g.paper }[name] - box.x - 10;
    const hints = sub ? [sub] : canEdit(view, name) ? ["drag or click any number", "drag or click", "drag"] : [];
    const hint = hints.find((words) => textWidth(words, font) <= room) ?? fitText(hints[0] ?? "", font, room);
    text(view, box.x, g.boxes.queries.bottom + 39, hint, "s");
  };
  under("queries", queries);
  under("scores", scores);
  under("weights", weights);
  under("context", context);
  text(view, weights.right + 9, queries.bottom + 22, "sum", "s");
  const over = (name, x, y, right) => {
    const [title, sub] = titleOf(view, name);
    const { font } = theme(view.el);
    text(view, x, y, title, `b ${ROLES[name]}`, { style: "font-size:13px" });
    const from = x + textWidth(title, `600 13px ${font}`) + 12;
    if (from + textWidth(sub, `12px ${font}`) <= right) text(view, from, y, sub, "s");
  };
  over("keys", scores.x, keys.y - g.head - 12, weights.x - 8);
  over("values", values.x, values.y - 12, g.paper);
}
