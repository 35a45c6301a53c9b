// The text behind the picture, and the picture for the clipboard.

import { context2d, make } from "../../base/js/dom.js";
import { identity } from "../../base/js/numbers.js";
import { handOver, sheetLike } from "../../base/js/png.js";
import { number, visible } from "../../base/js/words.js";
import { css } from "../../base/js/theme.js";

export function toggleTable(view) {
  view.table.hidden = !view.table.hidden;
  view.toggle.setAttribute("aria-expanded", String(!view.table.hidden));
  if (!view.table.hidden) fillTable(view);
}

// A slider's frames need not write the table at every picture.
export function fillTableSoon(view) {
  clearTimeout(view.later);
  view.later = setTimeout(() => {
    if (!view.signal.aborted && !view.table.hidden) fillTable(view);
  }, 150);
}

function fillTable(view) {
  const { v } = view;
  if (!v) return;
  const name = (text) => make("bdi", {}, visible(text));
  const tables = identity(v.panels).map((p) => {
    const head = make(
      "tr",
      {},
      make("th", { scope: "col" }, `${v.queryTitle} \\ ${v.keyTitle}`),
      ...v.columns.map((k) => make("th", { scope: "col" }, name(v.keyLabels[k]))),
    );
    const rows = v.rows.map((q) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, name(v.queryLabels[q])),
        ...v.columns.map((k) => {
          const masked = !v.allowed(p, q, k);
          return make("td", {}, masked ? "masked" : number(v.shown[(p * v.queries + q) * v.keys + k]));
        }),
      ),
    );
    return make(
      "table",
      {},
      make("caption", {}, v.panelNames ? `${v.measure || v.scale}, ${v.panelNames[p]}` : v.measure || v.scale),
      make("thead", {}, head),
      make("tbody", {}, ...rows),
    );
  });
  view.table.replaceChildren(...tables);
}

export async function copyPicture(view) {
  const { v, g } = view;
  if (!v) return;
  const sheet = sheetLike(view.canvas, css(view.look.page));
  context2d(sheet).drawImage(view.canvas, 0, 0);
  view.say(`${await handOver(sheet, `matrix-${g.queries}x${g.keys}`, view.copy)} as PNG`);
}
