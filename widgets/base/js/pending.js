// What the hand has moved and the kernel has not answered yet: one for all views of a bar.
//
// It is the model's `pending`: { sequence, values }. Until the kernel's `sequence` has caught up, its values are shown.

import { Frames } from "./frames.js";
import { pause, tell } from "./kernel.js";
import { Parts, pictures } from "./parts.js";
import { UNDERWAY } from "./underway.js";

const SETTLE = 150; // ms of rest after which a position that was played from frames goes to the kernel
const TOGETHER = 30; // ms a key's handle waits for its picture: a frame of its own would make the picture wait for the next
const OFTEN = 125; // ms before it is looked again whether the first picture is here, twice as long each time
const LATE = 1000; // a pause as long as that: it is asked for, too
const SELDOM = 16000; // ms, at most
export const PATIENCE = 4000; // ms without an answer after which the bar says so

export class Pending {
  constructor(model, signal) {
    this.model = model;
    this.parts = new Parts(model);
    this.frames = new Frames(model, this.parts, this);
    this.changedAt = {}; // control -> sequence at which the hand last moved it
    /** @type {ReturnType<typeof setTimeout> | 0} */
    this.timer = 0;
    this.underway = []; // when movements were sent that are not answered yet: [sequence, time]
    this.waiting = false; // the hand has moved on since
    this.keyed = false; // it moved by a key, and the kernel is asked for the picture
    this.painted = Promise.resolve(); // pictures are shown in the order in which they came
    model.on("msg:custom", (message, buffers) => this.receive(message, buffers ?? []));
    model.on("change:sequence", () => {
      if (this.waiting) this.send();
    });
    this.complete = this.askForFirst(signal); // kept when the first picture is here
  }

  spec(name) {
    const { model } = this;
    return { ...model.get("spec").find((one) => one.name === name), ...model.get("changes")[name] };
  }

  moving() {
    return (this.model.get("pending").sequence ?? -1) > this.model.get("sequence");
  }

  value(name) {
    const { values } = this.model.get("pending");
    return this.moving() && name in values ? values[name] : this.model.get("values")[name];
  }

  // The movement at which any control but this one was last moved.
  lastChangeBut(name) {
    const others = Object.entries(this.changedAt).filter(([other]) => other !== name);
    return Math.max(0, ...others.map(([, sequence]) => sequence));
  }

  nextSequence() {
    return Math.max(this.model.get("pending").sequence ?? 0, this.model.get("sequence")) + 1;
  }

  // The hand moved a control. `resting`: it is not expected to move on. `byKey`: the page has not drawn that yet.
  move(name, x, resting = true, byKey = false) {
    const sequence = this.nextSequence();
    this.changedAt[name] = sequence;
    if (!this.moving()) this.frames.end();
    const picture = this.frames.at(name, x);
    this.keyed = byKey && !picture;
    const before = this.moving() ? this.model.get("pending") : { values: {} }; // a reset, too, that waits to be sent
    this.model.set("pending", { ...before, sequence, values: { ...before.values, [name]: x } });
    if (!picture) {
      this.send();
      return;
    }
    this.frames.play(picture, sequence);
    clearTimeout(this.timer);
    if (resting) this.send();
    else this.timer = setTimeout(() => this.send(), SETTLE);
  }

  // Frames of this slider will be wanted.
  ask(name) {
    this.frames.ask(name);
  }

  // How long the bar may wait with drawing for the picture that comes with it.
  patience() {
    return this.keyed && this.moving() ? TOGETHER : 0;
  }

  reset() {
    const sequence = this.nextSequence();
    this.keyed = false;
    this.model.set("pending", { sequence, values: {}, reset: true });
    for (const name of Object.keys(this.changedAt)) this.changedAt[name] = sequence;
    this.send();
  }

  // The newest movement goes to the kernel, unless it has enough to answer: then when it has.
  send() {
    clearTimeout(this.timer);
    this.timer = 0;
    const now = performance.now();
    const answered = this.model.get("sequence");
    this.underway = this.underway.filter(([sequence, at]) => sequence > answered && now - at < PATIENCE);
    this.waiting = this.underway.length >= UNDERWAY;
    if (this.waiting) return;
    const moved = this.model.get("pending");
    this.underway.push([moved.sequence, now]);
    tell(this.model, { kind: "move", ...moved });
  }

  receive(message, buffers) {
    if (message?.kind === "frames") this.frames.receive(message, buffers);
    if (message?.kind !== "picture") return;
    this.painted = this.painted
      .then(() => this.paint(message, buffers))
      .catch((error) => console.warn("a picture could not be shown", error)); // the next one still is
  }

  // The kernel's answer to a movement.
  async paint(message, buffers) {
    const [[, picture]] = pictures(message, buffers);
    if (!(await this.parts.find(Object.keys(picture)))) return;
    for (const [part, state] of Object.entries(picture)) {
      this.parts.get(part).set_state(state);
      this.parts.get(part).trigger("msg:custom", { kind: "answer" });
    }
  }

  // Has the kernel said yet what the controls show?
  known() {
    return Object.keys(this.model.get("values")).length > 0;
  }

  async lacksPicture() {
    if (!this.known() || !(await this.parts.find(this.model.get("views")))) return true;
    return this.model.get("views").some((id) => this.parts.get(id).get("sequence") < 0);
  }

  // A page that is just loading, or is busy, may miss what was said to its views: it asks until all have a picture.
  async askForFirst(signal) {
    for (let ms = OFTEN; !signal.aborted && (await this.lacksPicture()); ms = Math.min(2 * ms, SELDOM)) {
      if (ms >= LATE) tell(this.model, { kind: "lost" });
      await pause(ms);
    }
  }
}
