// A view of numbers as text: as simple as a view can be.
import { showing } from "../../widgets/base/js/showing.js";
import { floats } from "../../widgets/base/js/numbers.js";
import { number } from "../../widgets/base/js/words.js";

export function render({ model, el, signal }) {
  el.classList.add("attnlab");
  const { get } = showing(model, draw, signal);
  function draw() {
    const values = get("values");
    el.textContent = values ? [...floats(values)].map((x) => number(x, 3)).join(" ") : "nothing";
    (globalThis.painted ??= []).push([performance.now(), el.textContent]);
  }
  draw();
}
