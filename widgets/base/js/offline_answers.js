// What answers a hand in the kernel's place: an explorer's pictures, a training's record, what a question was about.

import { make } from "./dom.js";
import { States } from "./offline_states.js";
import { floats } from "./numbers.js";

const RUN = "With a kernel it does: in a copy of this project, make lab opens the lessons in JupyterLab.";
const FEWEST = 3; // seconds that a recorded training plays, however short it was
const MOST = 10; // and however long
const TICK = 100; // ms

// Where a state has no picture, the last one stays, and the banner says that it is another state's.
export class ExplorerAnswers {
  host;
  url;
  first;
  loading;
  state;
  follows = new Map(); // a view's id and trait -> the control that it moves
  heard = new Set(); // ids and traits on which only a kernel acts
  sequence = 0;
  roots = []; // the places of the page that show it, all alike
  outside = false; // whether the picture is another state's
  words = ""; // what is noted below it
  held = false; // whether a hand is down, and what is said only when it is up: see watchHand
  heldBack = false;
  schedule = () => {};

  constructor(host, { states, parts }) {
    const first = Object.fromEntries(parts.map((id) => [id, { ...host.models.get(id).state }]));
    Object.assign(this, { host, url: states, first, loading: null, state: null });
    this.moves = Promise.resolve();
  }

  shownIn(root) {
    this.roots.push(root);
    this.mark({});
  }

  mark({ outside = this.outside, words = this.words }) {
    Object.assign(this, { outside, words });
    for (const root of this.roots) {
      if (outside) root.dataset.outside = "";
      else delete root.dataset.outside;
      this.host.note(root, words);
    }
  }

  load() {
    this.loading ??= this.host.open(this.url).then((packed) => {
      const states = new States(packed, this.first);
      this.state ??= states.state(states.rows.get(packed.start.join()));
      this.follows = new Map(Object.entries(packed.follows).map(([name, [id, trait]]) => [`${id} ${trait}`, name]));
      this.heard = new Set(packed.heard.map(([id, trait]) => `${id} ${trait}`));
      return states;
    });
    return this.loading;
  }

  // A message of the bar, or of a view.
  told(model, message) {
    if (message.kind === "frames") this.refuse(model, message);
    else if (["moment", "open"].includes(message.kind)) this.refuseMoment(model, message);
    else if (message.kind === "move") this.later((states) => this.move(states, message));
    else if (message.kind === "action") this.later((states) => this.lack(states, "This page cannot go on from here."));
  }

  // A moment of the explorer is wanted, or was pasted.
  refuseMoment(caption, { kind }) {
    const why = `Moments are made and opened by a kernel. ${RUN}`;
    const answer = kind === "moment" ? { kind, error: why } : { kind: "opened", said: why };
    caption.trigger("msg:custom", answer, []);
  }

  // The answers come in the order of the movements, also while the pictures are still on their way.
  later(answer) {
    this.moves = this.moves
      .then(async () => answer(await this.load()))
      .catch((error) => {
        this.loading = null;
        this.mark({ words: `The pictures of this view could not be loaded: ${error.message ?? error}` });
      });
  }

  refuse(controls, { id, name }) {
    this.load().catch(() => {
      this.loading = null;
    });
    const version = controls.get("versions")[name] ?? 0;
    const message = {
      kind: "frames",
      id,
      name,
      version,
      total: 0,
      sequence: controls.get("sequence"),
      refused: "here",
    };
    setTimeout(() => controls.trigger("msg:custom", message, []));
  }

  move(states, { sequence, values, reset }) {
    this.sequence = sequence;
    if (reset) {
      this.state = states.state(states.rows.get(states.packed.initial.join()));
      this.show(states, states.row(this.state));
    }
    for (const [name, value] of Object.entries(values)) this.go(states, name, value);
  }

  go(states, name, value) {
    const row = states.after(this.state, name, value);
    if (row !== undefined) {
      this.show(states, row);
      return;
    }
    const near = states.nearest(this.state, name, value);
    if (near !== undefined) {
      this.show(states, states.after(this.state, name, near));
      this.mark({ words: `This page has no picture at ${value} here: it shows ${near}, the next that it has.` });
      return;
    }
    this.state = { ...this.state, [name]: value };
    const own = !(name in states.packed.axes);
    this.lack(
      states,
      own
        ? "This page cannot compute: it holds pictures that were made before."
        : `This page holds ${states.count} pictures, and none for these controls together. Move one back, or reset.`,
    );
  }

  lack(states, why) {
    this.mark({ outside: true });
    this.schedule = () => this.tell(states, { [states.packed.caption]: { error: `${why} ${RUN}` } });
    this.heldBack = this.held; // words above a picture push it down, and a hand that drags in it would be elsewhere
    if (this.held) this.tell(states, {});
    else this.schedule();
  }

  show(states, row) {
    this.heldBack = false;
    this.mark({ outside: false, words: "" });
    this.state = states.state(row);
    const { caption } = states.packed;
    const picture = states.picture(row);
    this.tell(states, { ...picture, [caption]: { error: "", ...picture[caption] } });
  }

  tell(states, picture) {
    const id = states.packed.controls;
    const controls = this.host.models.get(id);
    const shown = Object.fromEntries(controls.get("spec").map(({ name }) => [name, this.state[name]]));
    const sequence = Math.max(this.sequence, controls.get("sequence"));
    const all = { ...picture, [id]: { ...picture[id], values: shown, sequence } };
    for (const [part, state] of Object.entries(all)) this.host.models.get(part)?.set_state(state);
  }

  // A view that was changed by a hand.
  changed(model, traits) {
    this.later((states) => {
      for (const [trait, value] of Object.entries(traits)) {
        const at = `${model.id} ${trait}`;
        if (this.follows.has(at)) this.go(states, this.follows.get(at), value);
        else if (this.heard.has(at)) this.lack(states, "This page cannot compute: it holds pictures made before.");
      }
    });
  }
}

// A training plays what was recorded.
export class TrainingAnswers {
  host;
  record;
  losses;
  rows;
  film;
  timer;
  sent;
  step;
  places = 0;

  constructor(host, { parts, record, matrix, first, seconds, summary }) {
    const [losses, table, film] = record.buffers.map((data) => floats({ data }));
    const width = record.names.length + 1;
    const rows = Array.from({ length: table.length / width }, (_, i) => table.subarray(i * width, (i + 1) * width));
    Object.assign(this, { host, record, losses, rows, film, timer: 0, sent: [0, 0, 0], step: 0 });
    this.track = host.models.get(parts[0]);
    this.matrix = host.models.get(matrix);
    this.length = Math.min(MOST, Math.max(FEWEST, seconds));
    this.track.set_state({
      record: this.news(0, [0, 0, 0]),
      state: "ready",
      veiled: false,
      step: 0,
      left: this.length,
      summary,
    });
    this.sent = this.sizes(0);
    this.matrix?.set_state({ values: first });
  }

  // Where a training stands once more the lesson has trained it, and speaks of what came of it.
  shownIn(el) {
    this.places += 1;
    if (this.places === 1) return;
    const seen = (entries) => {
      if (entries.at(-1).isIntersecting && !this.step && !this.timer) this.advance(this.losses.length);
    };
    new IntersectionObserver(seen, { threshold: 0.5 }).observe(el);
  }

  // How many steps, measurements and frames there are at a step.
  sizes(step) {
    const upTo = (steps) => steps.filter((one) => one <= step).length;
    return [step, upTo(this.rows.map((row) => row[0])), upTo(this.record.frames)];
  }

  // What came after `sent`, up to a step.
  news(step, sent) {
    const [to, size] = [this.sizes(step), this.record.shape.reduce((a, b) => a * b, 1)];
    const bytes = (numbers) => {
      const copy = Float32Array.from(numbers);
      return new DataView(copy.buffer);
    };
    const frames = this.record.frames.slice(sent[2], to[2]);
    const buffers = [
      bytes(this.losses.subarray(sent[0], to[0])),
      bytes(this.rows.slice(sent[1], to[1]).flatMap((row) => [...row])),
      bytes(this.film.subarray(sent[2] * size, to[2] * size)),
    ];
    return {
      kind: "news",
      at: [...sent],
      names: this.record.names,
      frames,
      shape: frames.length ? this.record.shape : [],
      buffers,
    };
  }

  told(model, { kind }) {
    if (kind === "play") this.play();
    if (kind === "pause") this.stop("paused");
    if (kind === "step") this.advance(this.step + 1);
    if (kind === "reset") this.reset();
    if (kind === "catch up") this.publish([0, 0, 0]);
  }

  changed() {}

  play() {
    if (this.timer || this.step === this.losses.length) return;
    this.track.set_state({ state: "running" });
    const [begun, from] = [performance.now(), this.step];
    const tick = () => {
      const share = (performance.now() - begun) / 1000 / this.length;
      this.advance(from + Math.max(1, Math.floor(share * this.losses.length)));
    };
    this.timer = setInterval(tick, TICK);
  }

  stop(state) {
    clearInterval(this.timer);
    this.timer = 0;
    this.track.set_state({ state });
  }

  reset() {
    this.stop("ready");
    this.step = 0;
    this.publish([0, 0, 0]);
  }

  advance(step) {
    this.step = Math.min(step, this.losses.length);
    this.publish(this.sent);
    if (this.step === this.losses.length) this.stop("done");
    else if (!this.timer) this.stop("paused");
  }

  publish(sent) {
    const news = this.news(this.step, sent);
    this.sent = this.sizes(this.step);
    this.track.trigger("msg:custom", news, news.buffers);
    const left = this.length * (1 - this.step / this.losses.length);
    this.track.set_state({ step: this.step, left, record: this.news(this.step, [0, 0, 0]) });
    if (this.matrix && this.record.frames.length) this.matrix.set_state({ values: this.frame() });
  }

  frame() {
    const size = this.record.shape.reduce((a, b) => a * b, 1);
    const last = Math.max(0, this.sent[2] - 1);
    const data = Float32Array.from(this.film.subarray(last * size, (last + 1) * size));
    return { shape: [1, ...this.record.shape], data: new DataView(data.buffer) };
  }
}

// A question that is answered shows what it was about; asked again, it hides it.
export class GuessAnswers {
  host;
  then;
  before;

  constructor(host, { then }) {
    Object.assign(this, { host, then, before: {} });
    for (const [id, traits] of Object.entries(then)) {
      const { state } = host.models.get(id);
      this.before[id] = Object.fromEntries(Object.keys(traits).map((name) => [name, state[name]]));
    }
  }

  told() {}

  changed(model) {
    const answered = model.get("skipped") || (model.get("guess") !== null && model.get("guess") !== undefined);
    for (const [id, traits] of Object.entries(answered ? this.then : this.before))
      this.host.models.get(id).set_state(traits);
  }
}

const SHEETS = "attnlab.questions"; // where a browser keeps answers: { sheet: { place: text } }
const UNKEPT = "This browser keeps nothing: your answers go with the page.";

// Questions whose answers stay in this browser; on a final sheet what is said of an answer comes with it. Those of no sheet
// go with the page.
export class QuestionAnswers {
  model;
  sheet;
  earlier; // the sheet whose answers stand beside
  said;
  nothing; // what is said of an empty sentence
  first; // what the page came with
  memory; // the sheets, where a browser keeps none

  constructor(host, { parts, sheet, earlier, said, nothing }) {
    const model = host.models.get(parts[0]);
    const [first, memory] = [{ ...model.state }, sheet ? null : { "": { ...model.get("answers") } }];
    Object.assign(this, { model, sheet, earlier, said, nothing, first, memory });
    this.begin("");
    globalThis.addEventListener?.("storage", () => this.show("")); // another window of the same browser
  }

  begin(trouble) {
    this.show(trouble);
    if (!this.sheet) return;
    const drafts = this.first.questions.map(({ choices }, place) => (choices.length ? "" : this.answer(place)));
    this.model.set_state({ drafts });
  }

  // Answers may be another's, who sat here before.
  shownIn(el) {
    if (!this.sheet) return;
    const forget = () => this.begin(this.keep({}));
    el.append(make("button", { type: "button", onclick: forget }, "forget these answers"));
  }

  told(_, { kind, place, text }) {
    if (kind !== "answer") return;
    const { choices } = this.first.questions[place];
    const answer = choices.length ? text : text.trim();
    const keep = () => this.keep({ ...this.kept(this.sheet), [place]: answer });
    if (!this.model.get("closed")[place]) this.show(answer ? keep() : this.nothing);
    this.model.trigger("msg:custom", { kind: "answered", standing: this.model.get("standing") });
  }

  changed() {}

  // What is kept of a sheet; nothing where the browser cannot be asked, or where that is not ours.
  kept(sheet) {
    const found = this.sheets()[sheet];
    return found instanceof Object ? { ...found } : {};
  }

  sheets() {
    if (this.memory) return this.memory;
    try {
      const found = JSON.parse(localStorage.getItem(SHEETS) ?? "{}");
      return found instanceof Object ? found : {};
    } catch {
      return {};
    }
  }

  // Keep these answers. Says why they are not kept, or nothing.
  keep(answers) {
    const sheets = { ...this.sheets(), [this.sheet]: answers };
    try {
      if (this.memory) this.memory = sheets;
      else localStorage.setItem(SHEETS, JSON.stringify(sheets));
    } catch {
      this.memory = sheets;
    }
    return this.memory && this.sheet ? UNKEPT : "";
  }

  show(trouble) {
    const { final, questions } = this.first;
    const answers = questions.map((_, place) => this.answer(place));
    const closed = answers.map((text, place) => this.first.closed[place] || (final && text !== ""));
    const replies = answers.map((text, place) => (closed[place] ? this.reply(place, text) : this.first.replies[place]));
    const standing = trouble || `${answers.filter(Boolean).length} of ${answers.length} answered`;
    this.model.set_state({ answers, closed, replies, standing });
  }

  // "" where there is none, or one that another course has offered.
  answer(place) {
    const [text, { choices }] = [this.kept(this.sheet)[place], this.first.questions[place]];
    return typeof text === "string" && (!choices.length || choices.includes(text)) ? text : "";
  }

  reply(place, text) {
    if (!this.said[place]) return this.first.replies[place];
    const [[then, none], [now], ...rest] = this.said[place];
    return [[then, String(this.kept(this.earlier)[place] ?? none)], [now, text], ...rest];
  }
}

// A table in the order that was asked for.
export class TableAnswers {
  host;
  traits;
  orders;

  constructor(host, { traits, told }) {
    Object.assign(this, { host, traits, orders: new Map(told.map(([asked, then]) => [JSON.stringify(asked), then])) });
  }

  told() {}

  changed(model) {
    const then = this.orders.get(JSON.stringify(this.traits.map((name) => model.get(name)))) ?? {};
    for (const [id, traits] of Object.entries(then)) this.host.models.get(id).set_state(traits);
  }
}
