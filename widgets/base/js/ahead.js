// The picture that a press would give. While the hand rests on what it may press, and when its button goes down, the kernel
// is asked for it; the press shows it at once, or when it comes, and the kernel's own answer has the last word.

import { tell } from "./kernel.js";
import { Parts, pictures, play } from "./parts.js";

const REST = 40; // ms that the hand must rest: a pointer that only passes asks for nothing

export class Ahead {
  constructor(model, signal) {
    this.model = model;
    this.parts = new Parts(model);
    this.timer = 0;
    /** @type {{ text: string, picture: object | null } | null} */
    this.question = null; // what the hand may press next: trait and value as text, and the picture once it is here
    this.pressed = null; // the question that the hand has pressed before its picture was here
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
    this.timer = 0;
    this.question = this.pressed = null;
  }

  // What would be seen if a trait of this view were that? `trait` undefined: the hand has left.
  ask(trait, value) {
    const text = trait ? JSON.stringify([trait, value]) : undefined;
    if (text !== this.question?.text) {
      clearTimeout(this.timer);
      this.question = text ? { text, picture: null } : null;
      this.timer = text ? setTimeout(() => this.send(trait, value), REST) : 0;
    }
  }

  // The same, of a hand that need not rest: its button goes down.
  askNow(trait, value) {
    this.ask(trait, value);
    if (this.timer) this.send(trait, value);
  }

  send(trait, value) {
    clearTimeout(this.timer);
    this.timer = 0;
    tell(this.model, { kind: "ahead", trait, value });
  }

  async receive(message, buffers) {
    if (message?.kind !== "ahead") return;
    const text = JSON.stringify([message.trait, message.value]);
    const [[, picture]] = pictures(message, buffers);
    if (!(await this.parts.find(Object.keys(picture)))) return;
    if (text === this.pressed?.text) this.play(picture);
    else if (text === this.question?.text) this.question.picture = picture;
  }

  play(picture) {
    this.pressed = null;
    play(this.parts, picture, this.model.get("sequence"));
  }

  // What was asked about a trait that is about to be set to that, null where nothing was.
  take(trait, value) {
    return !this.timer && JSON.stringify([trait, value]) === this.question?.text ? this.question : null;
  }

  // The trait is that now. `question`: what `take` gave before it was set.
  show(question) {
    if (question?.picture) this.play(question.picture);
    else this.pressed = question;
  }
}
