// TextColumns: columns of text, the words that exist in full ink. All of it text nodes.

import style from "./style.css";
import { make, redraw } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { clamp, floats } from "../../base/js/numbers.js";
import { joinPage } from "../../base/js/page.js";
import { css, theme, wear } from "../../base/js/theme.js";
import { percent } from "../../base/js/words.js";

wear(style);

// Line ends, and runs of blanks, would not be seen.
const shownText = (text) => text.replace(/\n/g, "↵\n").replace(/ {3,}/g, (run) => "␣".repeat(run.length));

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-texts");
  const { get, schedule } = showing(model, draw, signal);
  function draw() {
    theme(el);
    const titles = get("titles");
    const shares = get("shares") ? floats(get("shares")) : [];
    redraw(
      el,
      ...get("texts").map((runs, i) =>
        make(
          "section",
          { "aria-label": titles[i] ?? "" },
          make("h3", {}, titles[i] ?? ""),
          ...(i in shares ? [bar(shares[i])] : []),
          body(runs),
        ),
      ),
    );
    if (get("follow")) for (const text of el.querySelectorAll("p")) text.scrollTop = text.scrollHeight;
  }
  function body(runs) {
    const given = runs.filter(([, mark]) => mark === "given").map(([text]) => text);
    const text = make(
      "p",
      { tabindex: 0, "aria-description": given.length ? `given was “${given.join("")}”` : null },
      ...runs.map(([text, mark]) => make("span", { class: mark }, shownText(text))),
    );
    text.style.height = `${get("height")}px`;
    return text;
  }
  function bar(share) {
    const filled = make("span", {});
    filled.style.background = css(theme(el).weights(0.6));
    filled.style.width = `${100 * clamp(share, 0, 1)}%`;
    return make(
      "div",
      { class: "share" },
      make("div", { class: "track", "aria-hidden": "true" }, filled),
      make("span", { class: "hint" }, `${percent(share)} ${get("measure")}`),
    );
  }
  joinPage(el, schedule, signal);
  draw();
}
