// What a hand moves without a pause, on its way to the kernel. ipywidgets lets one message of a view be under way: the
// kernel then rests while the page draws. Two keep both at work; more would only be old ones that wait.

import { tell } from "./kernel.js";

const MOST = 2;

export class Underway {
  constructor(model) {
    this.model = model;
    this.count = 0; // messages that are not answered yet
    this.next = null; // the trait of which the kernel is to be told the newest value
  }

  // The hand has moved a trait to that.
  move(trait, value) {
    this.model.set(trait, value);
    this.next = trait;
    this.send();
  }

  send() {
    if (!this.next || this.count === MOST) return;
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
    this.next = null;
    this.model.save_changes();
  }
}
