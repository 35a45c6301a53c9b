// The frames of a bar's sliders: for each slider the picture at every position. With them a drag needs no kernel.

import { tell } from "./kernel.js";
import { pictures, play } from "./parts.js";

const AGAIN = 400; // ms before frames of the same slider are asked for again: while a model learns, all grow old at once

export class Frames {
  model;
  parts;
  pending;

  constructor(model, parts, pending) {
    Object.assign(this, { model, parts, pending });
    this.sets = new Map(); // slider -> { id, around, version, sequence, total, frames, have, waiting, refused }
    this.shown = {}; // part -> the state that plays over it
    this.askedAt = {}; // slider -> when its frames were last asked for
    this.asked = 0;
  }

  // The frames of a slider. They are good for as long as nothing else has changed, here or in the kernel.
  of(name) {
    const set = this.sets.get(name);
    if (!set || set.waiting === "first") return set;
    const version = this.model.get("versions")[name] ?? 0;
    if (set.version === version && set.sequence >= this.pending.lastChangeBut(name)) return set;
    this.sets.delete(name);
    return undefined;
  }

  // The picture at one position, null where it is not here.
  at(name, x) {
    const { kind, min, step } = this.pending.spec(name);
    if (kind !== "slider" && kind !== "stepper") return null;
    return this.of(name)?.frames.get(Math.round((x - min) / step)) ?? null;
  }

  ask(name) {
    let set = this.of(name);
    if (set && (set.waiting || set.refused || set.have >= set.total)) return;
    if (!set) {
      if (performance.now() - this.askedAt[name] < AGAIN) return;
      set = this.begin(name);
    } else {
      set.waiting = "next";
    }
    const { id, around, have } = set;
    tell(this.model, { kind: "frames", id, name, around, have, pending: this.model.get("pending") });
  }

  begin(name) {
    this.askedAt[name] = performance.now();
    const { min, step } = this.pending.spec(name);
    const around = Math.round((this.pending.value(name) - min) / step);
    const set = { id: ++this.asked, around, frames: new Map(), have: 0, waiting: "first" };
    this.sets.set(name, set);
    return set;
  }

  // The next frames have come.
  async receive(message, buffers) {
    const { id, name, version, sequence, total } = message;
    const set = this.sets.get(name);
    if (set?.id !== id) return;
    if (set.have > 0 && version !== set.version) {
      this.sets.delete(name);
      return;
    }
    const frames = pictures(message, buffers);
    const there = await this.parts.find(new Set(frames.flatMap(([, picture]) => Object.keys(picture))));
    if (this.sets.get(name) !== set) return;
    for (const [index, picture] of frames) set.frames.set(index, picture);
    const refused = there ? message.refused : "closed";
    Object.assign(set, { version, sequence, total, refused, have: set.frames.size, waiting: false });
    if (!refused && set.have < total) this.ask(name);
  }

  // Show a picture over the kernel's state, until its answer to the movement `sequence` is there.
  play(picture, sequence) {
    for (const [part, state] of Object.entries(picture)) this.shown[part] = { ...this.shown[part], ...state };
    play(this.parts, this.shown, sequence);
  }

  // What was played is over.
  end() {
    this.shown = {};
  }
}
