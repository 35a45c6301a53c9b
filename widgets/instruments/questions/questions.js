// Questions: radio buttons or a text field each, a reply below, and how many are answered. What a hand answers goes to the
// kernel as { kind: "answer", place, text }, which says { kind: "answered", standing } then. All of it text nodes.

import style from "./style.css";
import { hide, make, ownKeys, redraw, setText, speak } from "../../base/js/dom.js";
import { hear, hearOfRestart, tell } from "../../base/js/kernel.js";
import { joinPage } from "../../base/js/page.js";
import { showing } from "../../base/js/showing.js";
import { theme, wear } from "../../base/js/theme.js";

wear(style);

const TYPED = 600; // ms of rest after which the kernel is told what was written
const GONE = {
  restarted: "The kernel was restarted: run this cell again, so that answers are kept.",
  alone: "There is no kernel behind this page: answers are not kept here.",
};
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export function render({ model, el, signal }) {
  const { get, schedule } = showing(model, () => draw(view), signal);
  const standing = make("div", { class: "standing", role: "status" });
  const view = { model, el, get, schedule, signal, standing, gone: "", waiting: new Map(), asked: [] };
  const uid = `questions-${Math.random().toString(36).slice(2)}`;
  view.asked = get("questions").map((question, place) => asked(view, question, place, `${uid}-${place}`));
  el.classList.add("attnlab", "attnlab-questions");
  el.setAttribute("role", "group");
  el.append(...view.asked.map(({ root }) => root), standing);
  ownKeys(el, (event) => pressed(view, event), signal);
  hear(model, "msg:custom", (message) => message?.kind === "answered" && speak(standing, message.standing), signal);
  hearOfRestart(view, signal);
  joinPage(el, schedule, signal);
  draw(view);
}

// --- the elements ---

// A question: { root, reply, update(), step(radio, by) }.
function asked(view, { text, choices }, place, id) {
  const question = make("p", { class: "question", id }, `${place + 1}. ${text}`);
  const reply = make("div", { class: "reply", "aria-live": "polite" });
  const { parts, ...own } = choices.length ? radios(view, choices, place, id) : field(view, place, id);
  return { root: make("div", { class: "asked" }, question, ...parts, reply), reply, ...own };
}

function radios(view, choices, place, id) {
  const buttons = choices.map((choice) =>
    make(
      "button",
      { type: "button", role: "radio", onclick: () => choose(view, place, choice) },
      make("span", { class: "mark", "aria-hidden": "true" }),
      make("span", {}, choice),
    ),
  );
  const group = make("div", { class: "choices", role: "radiogroup", "aria-labelledby": id }, ...buttons);
  return {
    parts: [group],
    update() {
      const chosen = choices.indexOf(answerOf(view, place));
      const closed = view.get("closed")[place];
      const focused = buttons.findIndex((button) => button === document.activeElement);
      const stop = focused >= 0 ? focused : Math.max(0, chosen);
      group.setAttribute("aria-disabled", closed);
      buttons.forEach((button, i) => {
        button.setAttribute("aria-checked", i === chosen);
        button.setAttribute("aria-disabled", closed);
        button.tabIndex = i === stop ? 0 : -1;
      });
    },
    // Where an answer closes its question an arrow only moves: else the next choice were the only one for the keyboard.
    step(button, by) {
      const to = (buttons.indexOf(button) + by + buttons.length) % buttons.length;
      buttons[to].focus();
      if (!view.get("final")) choose(view, place, choices[to]);
      view.schedule();
    },
  };
}

function field(view, place, id) {
  const { model, signal } = view;
  const area = make("textarea", { rows: 3, placeholder: "a sentence or two", dir: "auto", "aria-labelledby": id });
  const button = make("button", { type: "button", "aria-describedby": id, onclick: keep }, "keep it");
  let known = "";
  let timer = 0;
  function send() {
    clearTimeout(timer);
    timer = 0;
    if (area.value === known) return;
    known = area.value;
    model.set(
      "drafts",
      model.get("drafts").map((draft, i) => (i === place ? known : draft)),
    );
    model.save_changes();
  }
  function keep() {
    send();
    answer(view, place, area.value);
    if (!area.value.trim()) area.focus();
  }
  const typed = () => {
    clearTimeout(timer);
    timer = setTimeout(send, TYPED);
  };
  area.addEventListener("input", typed, { signal });
  area.addEventListener("change", send, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  return {
    parts: [area, button],
    update() {
      const closed = view.get("closed")[place];
      const draft = view.get("drafts")[place];
      area.readOnly = closed;
      hide(button, closed, area);
      if (draft === known || timer) return; // what is being written stays
      known = draft;
      area.value = draft;
    },
    step() {},
  };
}

// --- the hand ---

// What is shown as chosen: what the kernel has not heard of yet goes first.
const answerOf = ({ get, waiting }, place) => waiting.get(place)?.text ?? get("answers")[place];

function choose(view, place, text) {
  if (answerOf(view, place) !== text) answer(view, place, text);
}

function answer(view, place, text) {
  const { model, get, waiting } = view;
  if (get("closed")[place]) return;
  if (view.gone) {
    speak(view.standing, GONE[view.gone]);
    return;
  }
  const message = { kind: "answer", place, text };
  const status = ({ content }) => {
    if (content.execution_state !== "idle" || waiting.get(place) !== message) return;
    waiting.delete(place);
    view.schedule();
  };
  waiting.set(place, message);
  tell(model, message, { iopub: { status } });
  view.schedule();
}

// In a text field all keys are its own, undo as well, which the notebook would take; but for the one that saves it.
function pressed(view, event) {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (target.localName === "textarea") {
    if (!((ctrlKey || metaKey) && key.toLowerCase() === "s")) event.stopPropagation();
    return false;
  }
  if (ctrlKey || metaKey || altKey || !STEPS[key] || target.getAttribute("role") !== "radio") return false;
  view.asked.find(({ root }) => root.contains(target)).step(target, STEPS[key]);
  return true;
}

// --- drawing ---

const saidOf = ({ gone, get }) => (gone ? GONE[gone] : get("standing"));

const rowOf = ([name, text]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, text));

function draw(view) {
  const { el, get, standing } = view;
  theme(el);
  el.setAttribute("aria-label", get("title"));
  view.asked.forEach(({ reply, update }, place) => {
    update();
    const rows = get("replies")[place];
    redraw(reply, ...(rows.length ? [make("table", {}, make("tbody", {}, ...rows.map(rowOf)))] : []));
  });
  setText(standing, saidOf(view));
}
