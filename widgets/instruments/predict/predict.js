// Predict: a question, a guess, the answer and why. It replies by itself; only a measured number waits for the kernel.

import style from "./style.css";
import { hide, make, ownKeys } from "../../base/js/dom.js";
import { hear, hearOfRestart } from "../../base/js/kernel.js";
import { showing } from "../../base/js/showing.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { writeRuns } from "../../base/js/words.js";
import { asGuessed, named, replies, typed } from "./replies.js";

wear(style);

export function render({ model, el, signal }) {
  const { get, schedule } = showing(model, () => draw(view), signal);
  const view = { model, el, get, schedule, matrix: null, wrote: null, refused: [], gone: "", ...build(el, get) };
  listen(view, signal);
  hearOfRestart(view, signal);
  joinPage(el, schedule, signal);
  if (get("matrix")) followMatrix(view, signal);
  draw(view);
}

// The elements; each kind of answer has its own.
function build(el, get) {
  const kind = get("kind");
  const unit = get("unit");
  const question = make("span", { class: "question" });
  writeRuns(question, get("question"));
  const buttons = get("choices").map((choice) => {
    const button = make("button", { type: "button" });
    writeRuns(button, choice);
    return button;
  });
  const input = make("input", {
    type: "text",
    inputmode: "decimal",
    size: 8,
    "aria-label": `your guess${unit && " in "}${unit}`,
  });
  const chosen = make("span", { class: "chosen" });
  const go = make("button", { type: "button", class: "go" }, kind === "number" ? "guess" : "this cell");
  const skip = make("button", { type: "button", class: "quiet" }, "skip");
  const why = make("div", { class: "why", "aria-live": "polite" });
  const parts = {
    choice: buttons,
    number: [input, ...(unit ? [make("span", { class: "unit" }, unit)] : []), go],
    cell: [chosen, go],
  };
  el.classList.add("attnlab", "predict");
  el.setAttribute("role", "group");
  el.setAttribute(
    "aria-label",
    `Guess first: ${get("question")
      .map(([text]) => text)
      .join("")}`,
  );
  el.append(
    make("div", {}, make("span", { class: "pre" }, "Guess first"), " ", question),
    make("div", { class: "answers" }, ...parts[kind], skip),
    why,
  );
  return { kind, buttons, input, chosen, go, skip, why };
}

// --- the guess ---

const answered = ({ get }) => get("skipped") || (get("guess") !== null && get("guess") !== undefined);

function set({ model, schedule }, guess, skipped = false) {
  model.set("guess", guess);
  model.set("skipped", skipped);
  model.save_changes();
  schedule();
}

function selected({ matrix }) {
  const [, query, key] = matrix?.get("selected") ?? [];
  return query >= 0 && key >= 0 ? [query, key] : null;
}

function submit(view) {
  if (answered(view)) return;
  if (view.kind === "cell") {
    const cell = selected(view);
    if (cell) set(view, cell);
    return;
  }
  const guess = typed(view.input.value, view.get("unit"));
  if (Number.isFinite(guess)) {
    set(view, guess);
    return;
  }
  view.refused = [[["a number is expected here, not “" + view.input.value + "”", ""]]];
  say(view, view.refused);
  view.input.focus();
}

function again(view) {
  set(view, null);
  if (view.kind !== "number") return;
  view.input.value = "";
  view.input.focus();
}

function listen(view, signal) {
  const { schedule } = view;
  view.buttons.forEach((button, i) => {
    button.addEventListener(
      "click",
      () => {
        if (!answered(view)) set(view, i);
      },
      { signal },
    );
  });
  const forgive = () => {
    view.refused = [];
    schedule();
  };
  view.input.addEventListener("input", forgive, { signal });
  view.go.addEventListener("click", () => submit(view), { signal });
  view.skip.addEventListener("click", () => (answered(view) ? again(view) : set(view, null, true)), { signal });
  ownKeys(
    view.input,
    (event) => {
      if (event.key !== "Enter") return false;
      submit(view);
      return true;
    },
    signal,
  );
}

async function followMatrix(view, signal) {
  const matrix = await view.model.widget_manager.get_model(view.get("matrix"));
  if (signal.aborted) return;
  view.matrix = matrix;
  hear(matrix, "change:selected", view.schedule, signal);
  view.schedule();
}

// --- drawing ---

const labelsOf =
  ({ matrix }) =>
  (trait) =>
    matrix?.get(trait);

function draw(view) {
  const { el, get, kind, buttons, input, chosen, go, skip } = view;
  theme(el);
  const done = answered(view);
  const guess = get("guess");
  buttons.forEach((button, i) => {
    button.classList.toggle("right", done && get("answer") === i);
    button.setAttribute("aria-pressed", done && guess === i);
    button.setAttribute("aria-disabled", done && guess !== i);
  });
  input.readOnly = done;
  if (done && typeof guess === "number" && kind === "number") input.value = asGuessed(guess, guess);
  const cell = kind === "cell" && (guess ?? selected(view));
  if (cell) writeRuns(chosen, named(labelsOf(view), cell));
  else chosen.textContent = "click a cell, or move to it with the arrow keys";
  hide(go, done, skip);
  go.setAttribute("aria-disabled", kind === "cell" && !cell);
  skip.textContent = done ? "again" : "skip";
  say(view, done ? replies(get, labelsOf(view), view.gone) : view.refused);
  if (done) reveal(view);
}

function say(view, paragraphs) {
  const text = JSON.stringify(paragraphs);
  if (text === view.wrote) return;
  view.wrote = text;
  view.why.replaceChildren(
    ...paragraphs.map((runs) => {
      const p = make("p");
      writeRuns(p, runs);
      return p;
    }),
  );
}

// What waits behind the question.
async function reveal({ model, get }) {
  const layout = await model.widget_manager.get_model(get("after").replace("IPY_MODEL_", ""));
  if (layout.get("display") !== "none") return;
  layout.set("display", null);
  layout.save_changes();
}
