// Views in a page without a kernel: the same scripts as in JupyterLab, over what widgets/base/offline.py has written.
//
// A place for a view is an element with `data-view`, the name of its model; `data-views` of the page's body is the file of
// its models. What lies beside this script: the views' scripts, packed.

import { watchHand } from "./js/dom.js";
import { unzipped } from "./js/kernel.js";
import { ExplorerAnswers, GuessAnswers, QuestionAnswers, TableAnswers, TrainingAnswers } from "./js/offline_answers.js";
import { Model } from "./js/offline_model.js";
import { inFull } from "./js/offline_states.js";
import { unpack } from "./js/parts.js";

const AHEAD = "900px"; // a view is drawn when it is as near as that to what is seen
const ANSWERS = {
  explorer: ExplorerAnswers,
  training: TrainingAnswers,
  guess: GuessAnswers,
  questions: QuestionAnswers,
  table: TableAnswers,
};
const RECORDED =
  "Recorded when this page was made: it plays what the model did then. With a kernel it learns here: make lab.";
const KEPT =
  "Your answers go no farther than this browser. With a kernel they are kept with your progress: make lab opens the lessons.";
const NO_KERNEL =
  "This answers only with a kernel: in a copy of this project, make lab opens the lessons in JupyterLab.";
// How a view lies among its neighbours: what its layout says of it, and how a style sheet calls that.
const PLACE = {
  flex: "flex",
  width: "width",
  min_width: "minWidth",
  max_width: "maxWidth",
  align_self: "alignSelf",
  align_items: "alignItems",
  overflow: "overflow",
};
const HERE = new URL(".", import.meta.url);

async function bytesOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} is not there (${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

class Host {
  constructor(base) {
    this.base = base;
    this.models = new Map();
    this.answers = new Map(); // name of a model -> who answers for it
    this.scripts = new Map();
    this.files = new Map();
    this.known = {}; // name of a model -> what answers for it is made of
  }

  // What `sealed` of frames.py has written. A `table` in it stays as it is, its bytes are the file's own `bytes`.
  open(name) {
    if (!this.files.has(name)) {
      this.files.set(name, this.read(name));
      this.files.get(name).catch(() => this.files.delete(name));
    }
    return this.files.get(name);
  }

  async read(name) {
    const packed = await bytesOf(new URL(name, this.base));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = await new Response(stream).arrayBuffer();
    const length = new DataView(bytes).getUint32(0, true);
    const { table, ...document } = JSON.parse(new TextDecoder().decode(bytes.slice(4, 4 + length)));
    return { ...unpack(document, new DataView(bytes, 4 + length)), ...(table && { table }) };
  }

  async load(name) {
    const { models, answers } = await this.open(name);
    for (const [id, state] of Object.entries(models)) this.models.set(id, new Model(id, inFull(state), this));
    this.known = answers;
  }

  // What a view asks for: another view's model, or a script.
  async get_model(id) {
    const [kind, name] = id.split(":");
    if (kind === "script") {
      const traits = { version: "", source: await bytesOf(new URL(`${name}.bin`, HERE)) };
      return { get: (trait) => traits[trait] };
    }
    const model = this.models.get(id.replace("IPY_MODEL_", ""));
    if (!model) throw new Error(`this page has no view ${id}`);
    return model;
  }

  changed(model, traits) {
    this.answers.get(model.id)?.changed(model, traits);
  }

  told(model, message) {
    this.answers.get(model.id)?.told(model, message);
  }

  // Who answers for a view and its parts; one, however many places show it.
  answer(model) {
    const known = this.known[model.id];
    if (!known || this.answers.has(model.id)) return;
    const one = new ANSWERS[known.kind](this, known);
    if (known.kind === "explorer") watchHand(one, undefined);
    this.answers.set(model.id, one);
    for (const id of known.parts) this.answers.set(id, one);
  }

  async script(name) {
    if (!this.scripts.has(name)) {
      const source = bytesOf(new URL(`${name}.bin`, HERE)).then(unzipped);
      const made = source.then((text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))));
      this.scripts.set(name, made);
      made.catch(() => this.scripts.delete(name));
    }
    return this.scripts.get(name);
  }

  // Draw a view into an element.
  async render(id, el) {
    const model = await this.get_model(id);
    el.dataset.model = model.id;
    if (this.known[model.id]?.kind === "kernel") {
      this.note(el, NO_KERNEL);
      return;
    }
    this.answer(model);
    await this.place(model, el);
    if (model.get("children")) await this.box(model, el);
    else await this.view(model, el);
    const { kind, sheet } = this.known[model.id] ?? {};
    if (kind === "training") this.note(el, RECORDED);
    if (kind === "questions" && sheet) this.note(el, KEPT);
    if (this.known[model.id]) this.answers.get(model.id).shownIn?.(el); // and not once more for each of its parts
  }

  async place(model, el) {
    const layout = await this.get_model(model.get("layout"));
    for (const [trait, style] of Object.entries(PLACE)) {
      if (layout.get(trait)) el.style[style] = layout.get(trait);
    }
  }

  async view(model, el) {
    const [name] = Object.keys(model.get("libraries"));
    const script = await this.script(name);
    const { signal } = new AbortController(); // nothing leaves a page that stands
    model.shared ??= script.share?.(model, signal) ?? null;
    el.classList.add("attnlab");
    script.render({ model, el, signal, shared: model.shared });
  }

  // A box is drawn when it is first to be seen: what waits behind a question is not there before.
  async box(model, el) {
    const layout = await this.get_model(model.get("layout"));
    el.classList.add("box", ...(model.get("_dom_classes") ?? []));
    el.classList.toggle("beside", model.get("_model_name") === "HBoxModel");
    let drawn = false;
    const look = async () => {
      el.style.display = layout.get("display") ?? "";
      el.style.flexFlow = layout.get("flex_flow") ?? "";
      if (drawn || layout.get("display") === "none") return;
      drawn = true;
      const children = model.get("children").map((child) => [child, el.appendChild(document.createElement("div"))]);
      await Promise.all(children.map(([child, inner]) => this.render(child, inner))); // their scripts come side by side
    };
    layout.on("change:display", look);
    await look();
  }

  // What the page says of a view, below it.
  note(el, words) {
    let line = el.querySelector(":scope > .note");
    if (!line && !words) return;
    if (!line) {
      line = document.createElement("p");
      line.className = "note";
      line.setAttribute("role", "status");
      el.append(line);
    }
    line.textContent = words;
  }
}

// The picture of a view in the executed notebook, as the page holds it for who runs no script.
const stillOf = (place) => place.querySelector("noscript")?.textContent ?? "";

const notLoaded = (error) => `This view could not be loaded: ${error.message ?? error}`;

async function draw(host, place) {
  if (place.dataset.drawn !== undefined) return;
  place.dataset.drawn = "";
  const el = document.createElement("div");
  el.className = "unseen"; // it has its width from the beginning, and is seen once it is drawn with it
  if (host.known[place.dataset.view]?.kind === "kernel") el.innerHTML = stillOf(place);
  place.replaceChildren(el);
  try {
    await host.render(place.dataset.view, el);
    // A view hears of its width in one frame and is drawn in the next, and in a third its neighbour that follows it.
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    el.classList.remove("unseen");
    // Its height stays that of its picture until a hand changes it: nothing below moves while it is drawn.
    const free = () => {
      place.style.minHeight = "0";
    };
    for (const event of ["pointerdown", "keydown"]) place.addEventListener(event, free, { once: true });
    place.dataset.alive = "";
    performance.mark("attnlab: a view is drawn");
  } catch (error) {
    place.dataset.failed = "";
    el.remove();
    host.note(place, notLoaded(error));
    console.error(error);
  }
}

export async function start(body = document.body) {
  const host = new Host(new URL(document.baseURI));
  const places = [...body.querySelectorAll("[data-view]")];
  if (!places.length) return host;
  try {
    await host.load(body.dataset.views);
  } catch (error) {
    for (const place of places) host.note(place, notLoaded(error));
    return host;
  }
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        draw(host, target);
      }
    },
    { rootMargin: AHEAD },
  );
  for (const place of places) near.observe(place);
  return host;
}

globalThis.attnlabPage = start();
