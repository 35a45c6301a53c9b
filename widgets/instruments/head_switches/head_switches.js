// HeadSwitches: a button for each head. Pressed in: the head works.

import style from "./style.css";
import { make, redraw, whenPressed } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";

wear(style);

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-switchboard");
  const { get, schedule } = showing(model, draw, signal);
  joinPage(el, schedule, signal);

  function press(head) {
    const off = model.get("off");
    model.set("off", off.includes(head) ? off.filter((other) => other !== head) : [...off, head].sort((a, b) => a - b));
    model.save_changes();
    draw();
  }

  function one(row, head, number, note, off) {
    const state = off ? "off" : "on";
    return make(
      "button",
      {
        type: "button",
        class: `switch ${state}`,
        "data-head": number,
        "aria-pressed": String(!off),
        "aria-label": `${row ? `${row}, ` : ""}head ${head + 1}: ${note}`,
        title: off ? "switch it on again" : "switch it off",
      },
      make(
        "span",
        { class: "top" },
        make("span", { class: "name" }, `head ${head + 1}`),
        make("span", { class: "state" }, state),
      ),
      make("span", { class: "note" }, note),
    );
  }

  function draw() {
    theme(el);
    const off = new Set(get("off"));
    const rows = get("rows");
    let number = 0;
    redraw(
      el,
      ...get("notes").map((notes, i) =>
        make(
          "div",
          { class: "line", role: "group", "aria-label": rows[i] || "heads" },
          ...(rows[i] ? [make("span", { class: "row" }, rows[i])] : []),
          ...notes.map((note, head) => one(rows[i], head, number, note, off.has(number++))),
        ),
      ),
    );
  }
  whenPressed(el, "head", (head) => press(Number(head)));
  draw();
}
