// Controls: the bar above a picture. Native inputs; it sends what the hand did, and plays frames while the hand moves.

import style from "./controls.css";
import range from "./range.css";
import { make, ownKeys } from "./js/dom.js";
import { INPUTS } from "./js/inputs.js";
import { alone, hear } from "./js/kernel.js";
import { PATIENCE, Pending } from "./js/pending.js";
import { showing } from "./js/showing.js";
import { joinPage } from "./js/page.js";
import { theme, wear } from "./js/theme.js";

wear(range + style);

const LONG = 7000; // ms without a picture after which the bar says so
const WHY = "the kernel is busy, or it was restarted; then run all cells again.";
const STILL = "There is no kernel behind this page: the picture stays as it was saved.";

export const share = (model, signal) => new Pending(model, signal);

export function render({ model, el, signal, shared: pending }) {
  el.classList.add("attnlab", "controls");
  el.setAttribute("role", "group");
  const name = () => el.setAttribute("aria-label", [model.get("whose"), "controls"].filter(Boolean).join(" "));
  hear(model, "change:whose", name, signal);
  name();
  const controls = model.get("spec").map((spec) => {
    const id = `attnlab-${Math.random().toString(36).slice(2)}`;
    return { name: spec.name, more: spec.more, ...INPUTS[spec.kind](spec, pending, id, signal) };
  });
  const silence = make("div", { class: "silence hint", role: "status" });
  const still = alone(model);
  el.replaceChildren(...arranged(controls, () => pending.reset(), signal), silence);

  let attached = false;
  const draw = () => {
    if (!pending.known()) return;
    theme(el);
    if (!attached && el.parentElement) {
      attached = true;
      followWidth(el, signal);
    }
    const changes = get("changes") ?? {};
    for (const control of controls) update(control, pending, changes, still);
  };
  const { get, schedule } = showing(model, draw, signal, () => pending.patience());
  if (still) {
    silence.textContent = STILL;
    el.querySelector("button.reset").disabled = true;
  } else sayWhatIsMissing(model, el, silence, pending, signal);
  listenToKeys(el, controls, signal);
  joinPage(el, schedule, signal);
  draw();
}

// The first controls in the bar, the others behind "more".
function arranged(controls, onreset, signal) {
  const roots = (more) => controls.filter((control) => Boolean(control.more) === more).map(({ root }) => root);
  const reset = make(
    "button",
    { class: "quiet reset", type: "button", onclick: onreset, title: "everything as it was at first" },
    "reset",
  );
  const folded = roots(true);
  if (!folded.length) return [...roots(false), make("div", { class: "end" }, reset)];
  const rest = make("div", { class: "rest", hidden: true }, ...folded);
  const more = make("button", { class: "quiet", type: "button", "aria-expanded": "false" }, "more");
  more.addEventListener(
    "click",
    () => {
      rest.hidden = !rest.hidden;
      more.setAttribute("aria-expanded", String(!rest.hidden));
      more.textContent = rest.hidden ? "more" : "less";
    },
    { signal },
  );
  return [...roots(false), make("div", { class: "end" }, more, reset), rest];
}

function update({ name, root, update }, pending, changes, still) {
  const disabled = still || Boolean(changes[name]?.disabled);
  root.classList.toggle("disabled", disabled);
  const inputs = root.querySelectorAll("input, select, button");
  for (const input of inputs) input.disabled = false;
  update(pending.value(name));
  if (disabled) for (const input of inputs) input.disabled = true;
}

// The bar is busy until every view has its first picture, and while the hand waits for an answer; if that takes long, it
// says what to do.
function sayWhatIsMissing(model, el, silence, pending, signal) {
  let first = true;
  let timer = 0;
  const say = () => {
    const busy = first || pending.moving();
    clearTimeout(timer);
    silence.textContent = "";
    el.toggleAttribute("data-waiting", busy); // not aria-busy: what stands within is then not read, and the words do
    const words = `${first ? "No picture yet" : "No answer"}: ${WHY}`;
    if (busy)
      timer = setTimeout(
        () => {
          silence.textContent = words;
        },
        first ? LONG : PATIENCE,
      );
  };
  const onChange = () => {
    if (!first) say();
  };
  hear(model, "change:pending change:sequence", onChange, signal);
  pending.complete.then(() => {
    first = false;
    if (!signal.aborted) say();
  });
  signal.addEventListener("abort", () => clearTimeout(timer));
  say();
}

function listenToKeys(el, controls, signal) {
  ownKeys(
    el,
    (event) => {
      const keys = controls.find(({ root }) => root.contains(event.target))?.keys;
      if (event.ctrlKey || event.metaKey || event.altKey || !keys?.[event.key]) return false;
      return keys[event.key](event) !== false;
    },
    signal,
  );
}

// The bar ends where the picture ends: a view beside it in the explorer says how wide its picture is.
function followWidth(el, signal) {
  const copy = () => {
    const widths = [...el.parentElement.children].map((view) =>
      parseFloat(view !== el && view.style.getPropertyValue("--picw")),
    );
    const width = Math.max(0, ...widths.filter((x) => x > 0));
    const wanted = width ? `${width}px` : "";
    if (el.style.getPropertyValue("--picw") !== wanted) el.style.setProperty("--picw", wanted);
  };
  const views = new MutationObserver(copy);
  views.observe(el.parentElement, { childList: true, subtree: true, attributes: true, attributeFilter: ["style"] });
  signal.addEventListener("abort", () => views.disconnect());
  copy();
}
