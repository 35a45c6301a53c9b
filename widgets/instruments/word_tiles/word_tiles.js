// WordTiles: the words of a text in lines, a button each where a hand may hide them. All of it text nodes.

import style from "./style.css";
import { make, redraw, whenPressed } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { pressed } from "./press.js";

wear(style);

const SAID = { hidden: "hidden", token: "in place of a word", replaced: "replaced", asked: "asked for", "": "" };

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-tiles");
  const { get, schedule } = showing(model, draw, signal);
  joinPage(el, schedule, signal);

  function press(place) {
    model.set("hidden", pressed(model.get("hidden"), place));
    model.save_changes();
    schedule();
  }

  function tile(word, place, shown) {
    const mark = shown.marks[place] ?? "";
    const below = shown.below[place] ?? "";
    const right = shown.right.has(place);
    const chosen = shown.editing && shown.hidden.at(-1) === place;
    const said = [word, SAID[mark], below && `below: ${below}`, right && "right"].filter(Boolean).join(", ");
    const parts = [
      make("span", { class: "word", "aria-hidden": "true" }, word),
      make("span", { class: "below", "aria-hidden": "true" }, below ? `${below}${right ? " ✓" : ""}` : "\u00a0"),
    ];
    const look = `tile ${mark} ${chosen ? "chosen" : ""} ${right ? "right" : ""}`;
    if (!shown.editing) return make("span", { class: look }, ...parts, make("span", { class: "sr-only" }, said));
    return make(
      "button",
      {
        type: "button",
        class: look,
        "data-place": place,
        "aria-pressed": String(shown.hidden.includes(place)),
        "aria-label": said,
      },
      ...parts,
    );
  }

  function draw() {
    theme(el);
    const shown = {
      marks: get("marks"),
      below: get("below"),
      right: new Set(get("right")),
      hidden: get("hidden"),
      editing: get("editing"),
    };
    el.setAttribute("role", "group");
    el.setAttribute("aria-label", get("title") || "words");
    redraw(el, ...get("words").map((word, place) => tile(word, place, shown)));
  }
  whenPressed(el, "place", (place) => press(Number(place)));
  draw();
}
