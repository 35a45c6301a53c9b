// A native input for each kind of control: { root, update(value), keys }. `keys` are what the input does with a key.

import { make } from "./dom.js";
import { icon } from "./icons.js";
import { clamp } from "./numbers.js";
import { number } from "./words.js";

const TYPED = 600; // ms of rest after which a half-typed text is sent

function sliderInput({ name, label, help, min, max, step, decimals }, pending, id, signal) {
  const names = () => pending.spec(name).names; // of the positions, where the picture has any
  const widest = Math.max(...(names() ?? [number(max, decimals)]).map((text) => text.length));
  const shown = make("span", { class: "number", "aria-hidden": "true", style: `min-width: ${widest}ch` });
  const input = make("input", { type: "range", id, min, max, step, title: help || null });
  const last = () => pending.spec(name).max ?? max; // the picture may change it
  const take = (value, byKey) => {
    pending.ask(name);
    if (value !== pending.value(name)) pending.move(name, value, false, byKey);
  };
  followPointer(input, name, pending, take, signal);
  return {
    root: make("div", { class: "control slider" }, make("label", { for: id }, label), input, shown),
    keys: sliderKeys(input, min, step, last, () => pending.value(name), take),
    update(value) {
      if (Number(input.max) !== last()) input.max = last();
      if (Number(input.value) !== value) input.value = value;
      const between = Math.abs(value - Number(value.toFixed(decimals))) > 1e-9; // set from Python
      const text = names()?.[Math.round((value - min) / step)] ?? number(value, between ? decimals + 2 : decimals);
      shown.textContent = text;
      input.setAttribute("aria-valuetext", text);
      input.style.setProperty("--filled", `${(100 * (value - min)) / (last() - min || 1)}%`);
    },
  };
}

function followPointer(input, name, pending, take, signal) {
  let before = null; // its value when the hand came down; null without one
  const on = (event, run) => input.addEventListener(event, run, { signal });
  on("input", () => take(Number(input.value), false));
  on("change", () => {
    if (before !== null) pending.move(name, Number(input.value), true);
    before = null;
  });
  on("pointerdown", () => {
    before = pending.value(name);
    pending.ask(name);
  });
  // A finger that lay down here and scrolled the page meant no slider.
  on("pointercancel", () => {
    if (before !== null && pending.value(name) !== before) pending.move(name, before, true);
    before = null;
  });
  for (const event of ["pointerenter", "focus"]) on(event, () => pending.ask(name));
}

// What the browser would do with a key, done on an input that is not in the page.
function sliderKeys(input, min, step, last, value, take) {
  const unseen = input.cloneNode();
  const key = (press) => () => {
    unseen.max = last();
    unseen.value = value();
    press();
    take(Number(unseen.value), true);
  };
  const down = key(() => unseen.stepDown());
  const up = key(() => unseen.stepUp());
  const tenth = () => Math.max(1, Math.round((last() - min) / step / 10));
  return {
    ArrowLeft: down,
    ArrowDown: down,
    ArrowRight: up,
    ArrowUp: up,
    PageDown: key(() => unseen.stepDown(tenth())),
    PageUp: key(() => unseen.stepUp(tenth())),
    Home: key(() => {
      unseen.value = min;
    }),
    End: key(() => {
      unseen.value = last();
    }),
  };
}

function stepperInput({ name, label, help, min, beat }, pending, id, signal) {
  const last = () => pending.spec(name).max ?? min;
  const value = () => pending.value(name);
  const one = label.replace(/(?<!s)s$/, ""); // of "blocks"
  const go = (to, resting = true) => {
    const position = clamp(to, min, last());
    pending.ask(name);
    if (position !== value()) pending.move(name, position, resting);
  };
  const player = playing(go, value, { min, last, ms: beat, isThere: () => root.isConnected }, signal);
  const pressed = (action) => () => {
    player.stop();
    action();
  };
  const by = (name, title, onclick) =>
    make("button", { class: "icon", type: "button", "aria-label": title, title, onclick }, icon(name));
  const buttons = {
    first: by(
      "first",
      `to the first ${one}`,
      pressed(() => go(min)),
    ),
    back: by(
      "back",
      `one ${one} back`,
      pressed(() => go(value() - 1)),
    ),
    play: player.button,
    forward: by(
      "forward",
      `one ${one} forward`,
      pressed(() => go(value() + 1)),
    ),
  };
  const at = make("span", { class: "at" });
  const root = make(
    "div",
    { class: "control stepper", role: "group", "aria-label": label, title: help || null },
    make("span", { class: "steps" }, ...Object.values(buttons)),
    at,
  );
  for (const event of ["pointerenter", "focusin"]) root.addEventListener(event, () => pending.ask(name), { signal });
  return {
    root,
    keys: {
      ArrowLeft: pressed(() => go(value() - 1)),
      ArrowRight: pressed(() => go(value() + 1)),
      Home: pressed(() => go(min)),
      End: pressed(() => go(last())),
    },
    update(value) {
      const position = Math.min(value, last()); // beyond the end: where there is no picture
      at.textContent = pending.spec(name).names?.[position - min] ?? `${label} ${position} of ${last()}`;
      // Not `disabled`: the button that led to the end has the keyboard's focus, and would lose it. To press it is harmless.
      const idle = { first: value <= min, back: value <= min, forward: value >= last(), play: last() <= min };
      for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-disabled", idle[name]);
    },
  };
}

// The button that plays position after position, and stops.
function playing(go, value, { min, last, ms, isThere }, signal) {
  let beat = 0;
  const button = make("button", { class: "icon", type: "button", onclick: () => (beat ? stop() : play()) });
  function dress() {
    const title = beat ? "pause" : "play";
    button.replaceChildren(icon(title));
    button.setAttribute("aria-label", title);
    button.title = title;
  }
  function stop() {
    if (!beat) return;
    clearInterval(beat);
    beat = 0;
    dress();
  }
  function play() {
    if (last() <= min) return;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      go(last());
      return;
    }
    if (value() >= last()) go(min, false);
    beat = setInterval(() => {
      if (!isThere() || value() >= last()) stop();
      else go(value() + 1, false);
    }, ms);
    dress();
  }
  signal.addEventListener("abort", () => clearInterval(beat));
  dress();
  return { button, stop };
}

function switchInput({ name, label, help }, pending, id, signal) {
  const input = make("input", { type: "checkbox", role: "switch", id });
  input.addEventListener("change", () => pending.move(name, input.checked), { signal });
  return {
    root: make(
      "label",
      { class: "control switch", for: id, title: help || null },
      input,
      make("i", { "aria-hidden": "true" }),
      label,
    ),
    update(value) {
      input.checked = value;
    },
  };
}

function selectInput({ name, label, help, options }, pending, id, signal) {
  const input = make(
    "select",
    { id, title: help || null },
    ...options.map((option, i) => make("option", { value: i }, String(option))),
  );
  input.addEventListener("change", () => pending.move(name, options[input.selectedIndex]), { signal });
  return {
    root: make("div", { class: "control select" }, make("label", { for: id }, label), input),
    update(value) {
      input.selectedIndex = options.indexOf(value);
    },
  };
}

// Radio buttons: one Tab stop, and arrows choose the next one.
function choiceInput({ name, label, help, options, roles }, pending, id, signal) {
  const group = make("span", { class: "choices", role: "radiogroup", "aria-label": label, title: help || null });
  let shown = "";
  const buttons = () => [...group.children];
  const choose = (i) => pending.move(name, options[i]);
  const build = (labels) => {
    const one = (text, i) => make("button", { type: "button", role: "radio", class: roles[i] }, text);
    group.replaceChildren(...labels.map(one));
    shown = labels.join("\n");
  };
  group.addEventListener(
    "click",
    (event) => {
      if (buttons().includes(event.target)) choose(buttons().indexOf(event.target));
    },
    { signal },
  );
  const step = (by) => () => {
    const all = buttons();
    const to = (all.indexOf(document.activeElement) + by + all.length) % all.length;
    choose(to);
    all[to].focus();
  };
  return {
    root: make("div", { class: "control choice" }, make("span", {}, label), group),
    keys: { ArrowLeft: step(-1), ArrowUp: step(-1), ArrowRight: step(1), ArrowDown: step(1) },
    update(value) {
      const labels = pending.spec(name).labels ?? options.map(String);
      if (labels.join("\n") !== shown) build(labels);
      const all = buttons();
      const stop = all[options.indexOf(value)] ?? all[0]; // what is chosen may not be on offer: Tab leads in all the same
      all.forEach((button, i) => {
        button.setAttribute("aria-checked", String(options[i] === value));
        button.tabIndex = button === stop ? 0 : -1;
      });
    },
  };
}

// What the learner typed stays, also where the kernel found no picture for it.
function textInput({ name, label, help, width, optional }, pending, id, signal) {
  const input = make("input", {
    type: "text",
    id,
    size: width,
    style: `--letters: ${width}`,
    dir: "auto",
    spellcheck: "false",
    autocomplete: "off",
    title: help || null,
    "data-optional": optional ? "" : null,
  });
  let known;
  let timer = 0;
  const send = () => {
    clearTimeout(timer);
    timer = 0;
    if (input.value === pending.value(name)) return;
    known = input.value;
    pending.move(name, input.value);
  };
  input.addEventListener(
    "input",
    () => {
      clearTimeout(timer);
      timer = setTimeout(send, TYPED);
    },
    { signal },
  );
  input.addEventListener("change", send, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  return {
    root: make("div", { class: "control text" }, make("label", { for: id }, label), input),
    keys: {
      Enter: (event) => {
        if (event.isComposing) return false;
        send();
        return true;
      },
    },
    update(value) {
      if (value === known || timer) return;
      known = value;
      input.value = value;
    },
  };
}

function buttonInput({ name, label, help }, pending, id, signal) {
  const press = make("button", { type: "button", id, title: help || null }, label);
  press.addEventListener("click", () => pending.move(name, pending.value(name) + 1), { signal });
  return { root: make("div", { class: "control button" }, press), update() {} };
}

export const INPUTS = {
  slider: sliderInput,
  stepper: stepperInput,
  switch: switchInput,
  select: selectInput,
  choice: choiceInput,
  text: textInput,
  button: buttonInput,
};
