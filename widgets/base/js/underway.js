// What a hand moves without a pause, on its way to the kernel.

import { hear, tell } from "./kernel.js";

// Messages on their way, of a bar of controls or of a view. ipywidgets lets one be: the kernel then rests while the page
// draws. Two keep both at work; more would only be old ones that wait.
export const UNDERWAY = 2;

export class Underway {
  constructor(model, signal) {
    this.model = model;
    this.count = 0; // messages that are not answered yet
    this.next = null; // the trait of which the kernel is to be told the newest value
    this.hand = null; // [trait, value] of a hand that has not let go
    hear(model, "change", () => this.keep(), signal);
  }

  // What ipywidgets says back of an earlier release, and answers to older places: the hand is elsewhere by then.
  keep() {
    const [trait, value] = this.hand ?? [];
    if (trait && this.model.get(trait) !== value) this.model.set(trait, value);
  }

  // The hand has moved a trait to that.
  move(trait, value) {
    this.hand = [trait, value];
    this.model.set(trait, value);
    this.next = trait;
    this.send();
  }

  send() {
    if (!this.next || this.count === UNDERWAY) return;
    const trait = this.next;
    this.next = null;
    this.count += 1;
    const status = ({ content }) => content.execution_state === "idle" && this.answered();
    tell(this.model, { kind: "hand", trait, value: this.model.get(trait) }, { iopub: { status } });
  }

  // Pictures come in the order in which they were asked for, each before this.
  answered() {
    this.count -= 1;
    this.send();
  }

  // The hand has let go: where it ended is told as every trait is, so that all that hear the kernel agree on it.
  end() {
    this.next = this.hand = null;
    this.model.save_changes();
  }
}
