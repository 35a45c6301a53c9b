// TokenGrid: a table of tokens. Wrong ones are tinted, dashed underneath, and said to be wrong.

import style from "./style.css";
import { make } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { clamp, floats } from "../../base/js/numbers.js";
import { joinPage } from "../../base/js/page.js";
import { css, theme, wear } from "../../base/js/theme.js";
import { visible } from "../../base/js/words.js";

wear(style);

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-lines");
  const { get, schedule } = showing(model, draw, signal);
  const body = make("tbody");
  const table = make("table", {}, body);
  el.append(table);

  function cell(token, state) {
    const words = visible(token) === "∅" ? "nothing" : token;
    const label = state === 0 ? `${words}, wrong` : token === "" ? "nothing" : null;
    const shown = make("span", { "aria-hidden": label ? "true" : null }, token === "" ? "·" : visible(token));
    return make(
      "td",
      { class: state === 0 ? "wrong" : state === 1 ? "right" : "plain" },
      shown,
      ...(label ? [make("span", { class: "sr-only" }, label)] : []),
    );
  }

  function draw() {
    const look = theme(el);
    const tokens = get("tokens") ?? [];
    const names = get("names") ?? [];
    const notes = get("notes") ?? [];
    const right = get("right") ? floats(get("right")) : [];
    const columns = tokens[0]?.length ?? 0;
    el.style.setProperty("--wrong", css(look.scores(-0.28, 1)));
    el.style.setProperty("--wrong-ink", css(look.scores(-1, 1)));
    el.style.setProperty("--dash", css(look.scores(-0.75, 1)));
    // Columns keep their width while the number of tokens changes: a slider must not make the picture jump.
    const room = (el.clientWidth || 700) - 128 - 112;
    el.style.setProperty("--column", `${Math.floor(clamp(room / Math.max(columns, 16), 14, 34))}px`);
    table.setAttribute("aria-label", get("title"));
    body.replaceChildren(
      ...tokens.map((line, i) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, names[i] ?? ""),
          ...line.map((token, j) => cell(token, right[i * columns + j])),
          make("td", { class: "note" }, notes[i] ?? ""),
        ),
      ),
    );
  }

  joinPage(el, schedule, signal);
  draw();
}
