// Controls: the bar above a picture. Native inputs; it sends what the hand did, and plays films while the hand moves.
//
// The page's side of the state is `hand`: { stamp, values }, what was moved and is not answered yet. Until the kernel's
// `stamp` has caught up, the hand's values are shown. The answer is one message with the picture of all views. A film is
// the picture for every position of one slider; with it a drag needs no kernel, which is told where the hand has come to
// rest.

const SETTLE = 150; // ms of rest after which a film's position goes to the kernel
const TYPED = 600; // ms of rest after which a half-typed text is sent
const BEAT = 500; // ms per position while playing
const AGAIN = 400; // ms before another film of the same slider is asked for: while a model learns, all films grow old at once
const PATIENCE = 4000; // ms without an answer after which the bar says so
const LATE = 1000; // ms after which a bar asks for the first picture, if it or a view has not got it
const TOGETHER = 30; // ms a key's handle waits for its picture: a frame of its own would make the picture wait for the next
const UNDERWAY = 2; // movements on their way to the kernel; with one, every second picture of a drag would be waited for
const SHAPES = {
  first: "M1 2h2v10H1zM13 2v10L4 7z", back: "M11 2v10L3 7z", play: "M3 1.5v11L12.5 7z",
  forward: "M2 2v10l6-5zM9 2h2.2v10H9z", pause: "M3 2h3v10H3zM8 2h3v10H8z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

// In a film's table bytes stand as { bytes: [start, stop] } into the one buffer that came with them.
function unpack(wire, buffer) {
  if (Array.isArray(wire)) return wire.map((x) => unpack(x, buffer));
  if (!wire || typeof wire !== "object") return wire;
  if (Array.isArray(wire.bytes)) {
    const [start, stop] = wire.bytes;
    return new DataView(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + start, stop - start);
  }
  return Object.fromEntries(Object.entries(wire).map(([name, x]) => [name, unpack(x, buffer)]));
}

const known = (model) => Object.keys(model.get("values")).length > 0;

// What the hand does: one for all views of one bar.
function handOf(model) {
  const films = new Map(); // slider -> { id, around, version, stamp, total, frames, have, waiting, refused }
  const changed = {}; // control -> stamp at which the hand last moved it
  const models = new Map(); // part of the explorer -> its model
  let shown = {}; // part -> the film state it shows
  const askedAt = {}; // slider -> when its film was last asked for
  let asked = 0;
  let timer = 0;
  let underway = []; // when movements were sent that are not answered yet: [stamp, time]
  let waiting = false; // the hand has moved on since
  let keyed = false; // it moved by a key, and the kernel is asked for the picture
  let painted = Promise.resolve(); // pictures are shown in the order in which they came

  const spec = (name) => ({ ...model.get("spec").find((one) => one.name === name), ...model.get("changes")[name] });
  const moving = () => (model.get("hand").stamp ?? -1) > model.get("stamp");
  const value = (name) => {
    const { values } = model.get("hand");
    return moving() && name in values ? values[name] : model.get("values")[name];
  };

  // A film is good for as long as nothing else has changed, here or in the kernel.
  function film(name) {
    const one = films.get(name);
    if (!one || one.waiting === "first") return one;
    const others = Object.entries(changed).filter(([other]) => other !== name).map(([, stamp]) => stamp);
    if (one.version === (model.get("versions")[name] ?? 0) && one.stamp >= Math.max(0, ...others)) return one;
    films.delete(name);
    return undefined;
  }

  function ask(name) {
    let one = film(name);
    if (one && (one.waiting || one.refused || one.have >= one.total)) return;
    if (!one) {
      if (performance.now() - askedAt[name] < AGAIN) return;
      askedAt[name] = performance.now();
      const { min, step } = spec(name);
      const around = Math.round((value(name) - min) / step);
      one = { id: ++asked, around, frames: new Map(), have: 0, waiting: "first" };
      films.set(name, one);
    } else {
      one.waiting = "next";
    }
    tell(model, { kind: "film", id: one.id, name, around: one.around, have: one.have, hand: model.get("hand") });
  }

  // All parts' models at hand; false where one was closed: its explorer is gone.
  async function find(parts) {
    try {
      for (const part of parts) if (!models.has(part)) models.set(part, await model.widget_manager.get_model(part));
      return true;
    } catch {
      return false;
    }
  }

  // The kernel's answer to a movement.
  async function paint({ table, frames: [[, frame]] }, [buffer]) {
    if (!await find(Object.keys(frame))) return;
    const values = table.map((wire) => unpack(wire, buffer));
    for (const [part, traits] of Object.entries(frame)) models.get(part).set_state(filled(traits, values));
  }

  const filled = (traits, values) => Object.fromEntries(Object.entries(traits).map(([trait, at]) => [trait, values[at]]));

  async function receive({ id, name, version, stamp, total, refused, table, frames }, [buffer]) {
    const one = films.get(name);
    if (one?.id !== id) return;
    if (one.have > 0 && version !== one.version) { films.delete(name); return; }
    const values = (table ?? []).map((wire) => unpack(wire, buffer));
    const parts = new Set((frames ?? []).flatMap(([, state]) => Object.keys(state)));
    if (!await find(parts)) refused = "closed";
    if (films.get(name) !== one) return;
    for (const [index, state] of frames ?? []) {
      one.frames.set(index, Object.fromEntries(Object.entries(state).map(([part, traits]) => [part, filled(traits, values)])));
    }
    Object.assign(one, { version, stamp, total, refused, have: one.frames.size, waiting: false });
    if (!refused && one.have < total) ask(name);
  }

  function play(frame, stamp) {
    for (const [part, state] of Object.entries(frame)) shown[part] = { ...shown[part], ...state };
    for (const [part, state] of Object.entries(shown)) {
      models.get(part)?.trigger("msg:custom", { kind: "film", stamp, state });
    }
  }

  // The newest movement goes to the kernel, unless it has enough to answer: then when it has.
  function send() {
    clearTimeout(timer);
    timer = 0;
    const now = performance.now();
    underway = underway.filter(([stamp, at]) => stamp > model.get("stamp") && now - at < PATIENCE);
    waiting = underway.length >= UNDERWAY;
    if (waiting) return;
    const hand = model.get("hand");
    underway.push([hand.stamp, now]);
    tell(model, { kind: "hand", ...hand });
  }

  // The hand moved a control. `resting`: it is not expected to move on. `byKey`: the page has not drawn that yet.
  function move(name, x, resting = true, byKey = false) {
    const { stamp: last = 0, values } = model.get("hand");
    const stamp = Math.max(last, model.get("stamp")) + 1;
    changed[name] = stamp;
    if (!moving()) shown = {};
    const { kind, min, step } = spec(name);
    const frame = kind === "slider" || kind === "stepper" ? film(name)?.frames?.get(Math.round((x - min) / step)) : null;
    keyed = byKey && !frame;
    model.set("hand", { stamp, values: { ...(moving() ? values : {}), [name]: x } });
    if (!frame) { send(); return; }
    play(frame, stamp);
    clearTimeout(timer);
    if (resting) send();
    else timer = setTimeout(send, SETTLE);
  }

  const patience = () => (keyed && moving() ? TOGETHER : 0);

  // Before something else is asked of the kernel it must know where the hand is.
  function reset() {
    const { stamp: last = 0 } = model.get("hand");
    keyed = false;
    model.set("hand", { stamp: Math.max(last, model.get("stamp")) + 1, values: {}, reset: true });
    for (const name of Object.keys(changed)) changed[name] = model.get("hand").stamp;
    send();
  }

  model.on("msg:custom", (message, buffers) => {
    if (message?.kind === "frames") receive(message, buffers ?? []);
    if (message?.kind !== "picture") return;
    painted = painted.then(() => paint(message, buffers))
      .catch((error) => console.warn("a picture could not be shown", error)); // the next one still is
  });
  model.on("change:stamp", () => { if (waiting) send(); });
  // A page that is just loading may miss what was said to its views in that moment.
  const missed = async () => {
    const views = await Promise.all(model.get("views").map((id) => model.widget_manager.get_model(id)));
    return !known(model) || views.some((view) => view.get("stamp") < 0);
  };
  const check = (times) => setTimeout(() => missed().then((some) => {
    if (!some || !times) return;
    tell(model, { kind: "lost" });
    check(times - 1); // the answer may be lost, too
  }, () => {}), LATE); // no model: the explorer was closed meanwhile
  check(5);
  return { value, move, ask, reset, spec, moving, patience };
}

const KINDS = {
  slider({ name, label, help, min, max, step, decimals }, hand, id, signal) {
    const shown = make("span", { class: "number", "aria-hidden": "true", style: `min-width: ${number(max, decimals).length}ch` });
    const input = make("input", { type: "range", id, min, max, step, title: help || null });
    let dragged = false;
    const take = (value, byKey) => {
      hand.ask(name);
      if (value !== hand.value(name)) hand.move(name, value, false, byKey);
    };
    const release = () => { dragged = false; };
    input.addEventListener("input", () => take(Number(input.value), false), { signal });
    input.addEventListener("change", () => { if (dragged) hand.move(name, Number(input.value), true); release(); }, { signal });
    input.addEventListener("pointerdown", () => { dragged = true; hand.ask(name); }, { signal });
    for (const event of ["pointerenter", "focus"]) input.addEventListener(event, () => hand.ask(name), { signal });
    const last = () => hand.spec(name).max ?? max; // the picture may change it
    // What the browser would do with a key, done on an input that is not in the page.
    const unseen = input.cloneNode();
    const key = (press) => () => {
      unseen.max = last();
      unseen.value = hand.value(name);
      press();
      take(Number(unseen.value), true);
    };
    const down = key(() => unseen.stepDown());
    const up = key(() => unseen.stepUp());
    const tenth = () => Math.max(1, Math.round((last() - min) / step / 10));
    return {
      keys: {
        ArrowLeft: down, ArrowDown: down, ArrowRight: up, ArrowUp: up,
        PageDown: key(() => unseen.stepDown(tenth())), PageUp: key(() => unseen.stepUp(tenth())),
        Home: key(() => { unseen.value = min; }), End: key(() => { unseen.value = last(); }),
      },
      root: make("div", { class: "control slider" }, make("label", { for: id }, label), input, shown),
      update(value) {
        if (Number(input.max) !== last()) input.max = last();
        if (Number(input.value) !== value) input.value = value;
        const between = Math.abs(value - Number(value.toFixed(decimals))) > 1e-9; // set from Python
        const text = number(value, between ? decimals + 2 : decimals);
        shown.textContent = text;
        input.setAttribute("aria-valuetext", text);
        input.style.setProperty("--filled", `${(100 * (value - min)) / (last() - min || 1)}%`);
      },
    };
  },

  stepper({ name, label, help, min }, hand, id, signal) {
    const last = () => hand.spec(name).max ?? min;
    const go = (to, resting = true) => {
      const value = clamp(to, min, last());
      hand.ask(name);
      if (value !== hand.value(name)) hand.move(name, value, resting);
    };
    let beat = 0;
    const stop = () => { clearInterval(beat); beat = 0; paint(); };
    const play = () => {
      if (beat) { stop(); return; }
      if (last() <= min) return;
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) { go(last()); return; }
      if (hand.value(name) >= last()) go(min, false);
      beat = setInterval(() => {
        if (!root.isConnected || hand.value(name) >= last()) { stop(); return; }
        go(hand.value(name) + 1, false);
      }, BEAT);
      paint();
    };
    const by = (name, title, action) => make("button", { class: "icon", type: "button", "aria-label": title, title, onclick: action }, icon(name));
    const pressed = (action) => () => { if (beat) stop(); action(); };
    const buttons = {
      first: by("first", `to the first ${label}`, pressed(() => go(min))),
      back: by("back", `one ${label} back`, pressed(() => go(hand.value(name) - 1))),
      play: by("play", "play", play),
      forward: by("forward", `one ${label} forward`, pressed(() => go(hand.value(name) + 1))),
    };
    const at = make("span", { class: "at" });
    const root = make("div", { class: "control stepper", role: "group", "aria-label": label, title: help || null },
      make("span", { class: "steps" }, ...Object.values(buttons)), at);
    let painted = null;
    function paint() {
      if (painted === Boolean(beat)) return;
      painted = Boolean(beat);
      buttons.play.replaceChildren(icon(beat ? "pause" : "play"));
      buttons.play.setAttribute("aria-label", beat ? "pause" : "play");
      buttons.play.title = beat ? "pause" : "play";
    }
    root.addEventListener("pointerenter", () => hand.ask(name), { signal });
    root.addEventListener("focusin", () => hand.ask(name), { signal });
    signal.addEventListener("abort", () => clearInterval(beat));
    return {
      root,
      keys: { ArrowLeft: pressed(() => go(hand.value(name) - 1)), ArrowRight: pressed(() => go(hand.value(name) + 1)),
        Home: pressed(() => go(min)), End: pressed(() => go(last())) },
      update(value) {
        at.textContent = `${label} ${Math.min(value, last())} of ${last()}`; // beyond the end: where there is no picture
        // Not `disabled`: the button that led to the end has the keyboard's focus, and would lose it. To press it is harmless.
        const idle = { first: value <= min, back: value <= min, forward: value >= last(), play: last() <= min };
        for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-disabled", idle[name]);
      },
    };
  },

  switch({ name, label, help }, hand, id, signal) {
    const input = make("input", { type: "checkbox", role: "switch", id });
    input.addEventListener("change", () => hand.move(name, input.checked), { signal });
    return {
      root: make("label", { class: "control switch", for: id, title: help || null }, input, make("i", { "aria-hidden": "true" }), label),
      update(value) { input.checked = value; },
    };
  },

  select({ name, label, help, options }, hand, id, signal) {
    const input = make("select", { id, title: help || null }, ...options.map((option, i) => make("option", { value: i }, String(option))));
    input.addEventListener("change", () => hand.move(name, options[input.selectedIndex]), { signal });
    return {
      root: make("div", { class: "control select" }, make("label", { for: id }, label), input),
      update(value) { input.selectedIndex = options.indexOf(value); },
    };
  },

  // What the learner typed stays, also where the kernel found no picture for it.
  text({ name, label, help, width }, hand, id, signal) {
    const input = make("input", { type: "text", id, size: width, dir: "auto", spellcheck: "false", autocomplete: "off", title: help || null });
    let known;
    let timer = 0;
    const send = () => {
      clearTimeout(timer);
      timer = 0;
      if (input.value === hand.value(name)) return;
      known = input.value;
      hand.move(name, input.value);
    };
    input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(send, TYPED); }, { signal });
    input.addEventListener("change", send, { signal });
    signal.addEventListener("abort", () => clearTimeout(timer));
    return {
      root: make("div", { class: "control text" }, make("label", { for: id }, label), input),
      keys: { Enter: (event) => { if (event.isComposing) return false; send(); return true; } },
      update(value) {
        if (value === known || timer) return;
        known = value;
        input.value = value;
      },
    };
  },

  button({ name, label, help }, hand, id, signal) {
    const press = make("button", { type: "button", id, title: help || null }, label);
    press.addEventListener("click", () => hand.move(name, hand.value(name) + 1), { signal });
    return { root: make("div", { class: "control button" }, press), update() {} };
  },
};

// The bar ends where the picture ends: a view beside it in the explorer says how wide its picture is.
function followWidth(el, signal) {
  const copy = () => {
    const widths = [...el.parentElement.children].map((view) => parseFloat(view !== el && view.style.getPropertyValue("--picw")));
    const width = Math.max(0, ...widths.filter((x) => x > 0));
    const wanted = width ? `${width}px` : "";
    if (el.style.getPropertyValue("--picw") !== wanted) el.style.setProperty("--picw", wanted);
  };
  const views = new MutationObserver(copy);
  views.observe(el.parentElement, { childList: true, subtree: true, attributes: true, attributeFilter: ["style"] });
  signal.addEventListener("abort", () => views.disconnect());
  copy();
}

function bar({ model, el, signal, hand }) {
  el.classList.add("attnlab", "controls");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", "controls");
  const controls = model.get("spec").map((spec) => {
    const id = `attnlab-${Math.random().toString(36).slice(2)}`;
    return { name: spec.name, ...KINDS[spec.kind](spec, hand, id, signal) };
  });
  const shown = controls.filter((_, i) => !model.get("spec")[i].more);
  const folded = controls.filter((_, i) => model.get("spec")[i].more);
  const rest = make("div", { class: "rest", hidden: true }, ...folded.map(({ root }) => root));
  const more = make("button", { class: "quiet", type: "button", "aria-expanded": "false" }, "more");
  more.addEventListener("click", () => {
    rest.hidden = !rest.hidden;
    more.setAttribute("aria-expanded", String(!rest.hidden));
    more.textContent = rest.hidden ? "more" : "less";
  }, { signal });
  const reset = make("button", { class: "quiet", type: "button", onclick: hand.reset, title: "everything as it was at first" }, "reset");
  const end = make("div", { class: "end" }, ...(folded.length ? [more] : []), reset);
  const silence = make("div", { class: "silence hint", role: "status" });
  el.replaceChildren(...shown.map(({ root }) => root), end, ...(folded.length ? [rest] : []), silence);

  let attached = false;
  const draw = () => {
    if (!known(model)) return;
    theme(el);
    if (!attached && el.parentElement) { attached = true; followWidth(el, signal); }
    const changes = get("changes") ?? {};
    for (const { name, root, update } of controls) {
      const disabled = Boolean(changes[name]?.disabled);
      root.classList.toggle("disabled", disabled);
      const inputs = root.querySelectorAll("input, select, button");
      for (const input of inputs) input.disabled = false;
      update(hand.value(name));
      if (disabled) for (const input of inputs) input.disabled = true;
    }
  };
  const { get, schedule } = picture(model, draw, signal, hand.patience);
  let patience = 0;
  model.on("change:hand change:stamp", () => {
    clearTimeout(patience);
    silence.textContent = "";
    if (!hand.moving()) return;
    patience = setTimeout(() => { silence.textContent = "No answer: the kernel is busy, or it was restarted; then run this cell again."; }, PATIENCE);
  });
  signal.addEventListener("abort", () => clearTimeout(patience));
  ownKeys(el, (event) => {
    const keys = controls.find(({ root }) => root.contains(event.target))?.keys;
    if (event.ctrlKey || event.metaKey || event.altKey || !keys?.[event.key]) return false;
    return keys[event.key](event) !== false;
  }, signal);
  // Letters are commands of the notebook ("d", "d" deletes the cell) wherever the focus is not in a text field.
  window.addEventListener("keydown", (event) => {
    if (el.contains(event.target) && event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
  }, { capture: true, signal });
  watchLook(el, schedule, signal);
  draw();
}

export default () => {
  let hand;
  return {
    initialize({ model }) { hand = handOf(model); },
    render({ model, el, signal }) { bar({ model, el, signal, hand }); },
  };
};
