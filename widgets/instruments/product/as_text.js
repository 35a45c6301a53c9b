// All numbers as tables of text.

import { make } from "../../base/js/dom.js";
import { number } from "../../base/js/words.js";
import { allowed, titleOf } from "./reading.js";
import { ROLES, TITLES } from "./tables.js";

export function writeNumbers(view) {
  const { tables } = view;
  view.numbers.replaceChildren(
    ...Object.keys(TITLES).map((name) => {
      const table = tables[name];
      const rows = Array.from({ length: table.rows }, (_, r) =>
        make(
          "tr",
          {},
          ...Array.from({ length: table.columns }, (_, c) =>
            make(
              "td",
              {},
              ["scores", "weights"].includes(name) && !allowed(view, r, c) ? "masked" : number(table.at(r, c), 3),
            ),
          ),
        ),
      );
      return make(
        "table",
        {},
        make("caption", { class: ROLES[name] ?? "" }, titleOf(view, name)[0]),
        make("tbody", {}, ...rows),
      );
    }),
  );
}
