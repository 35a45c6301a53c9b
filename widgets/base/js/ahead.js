// The picture that a press would give. While the hand rests on what it may press, the kernel is asked for it; the press
// shows it at once, however far the kernel is, and the kernel's own answer has the last word.

import { tell } from "./kernel.js";
import { Parts, pictures, play } from "./parts.js";

const REST = 40; // ms that the hand must rest: a pointer that only passes asks for nothing

export class Ahead {
  constructor(model, signal) {
    this.model = model;
    this.parts = new Parts(model);
    this.timer = 0;
    this.wanted = ""; // what was asked for, as text
    this.picture = null; // that came for it
    const hear = (message, buffers) => this.receive(message, buffers ?? []);
    const drop = () => this.drop(); // what the kernel answered, or the hand set, was not known when it was asked
    model.on("msg:custom", hear);
    model.on("change", drop);
    signal.addEventListener("abort", () => {
      this.drop();
      model.off("msg:custom", hear);
      model.off("change", drop);
    });
  }

  drop() {
    clearTimeout(this.timer);
    this.wanted = "";
    this.picture = null;
  }

  // What would be seen if a trait of this view were that? `trait` undefined: the hand has left.
  ask(trait, value) {
    const wanted = trait ? JSON.stringify([trait, value]) : "";
    if (wanted === this.wanted) return;
    this.drop();
    this.wanted = wanted;
    if (wanted) this.timer = setTimeout(() => tell(this.model, { kind: "ahead", trait, value }), REST);
  }

  async receive(message, buffers) {
    if (message?.kind !== "ahead") return;
    const wanted = JSON.stringify([message.trait, message.value]);
    const [[, picture]] = pictures(message, buffers);
    const found = await this.parts.find(Object.keys(picture));
    if (found && wanted === this.wanted) this.picture = picture;
  }

  // The trait is that now. `picture`: what `take` gave for it before it was set.
  show(picture) {
    if (picture) play(this.parts, picture, this.model.get("sequence"));
  }

  // The picture for a trait that is about to be set to that, where it is here.
  take(trait, value) {
    return JSON.stringify([trait, value]) === this.wanted ? this.picture : null;
  }
}
