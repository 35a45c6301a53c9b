// What a training has recorded: it comes in pieces, each saying how much must be there already.

import { floats } from "../../base/js/numbers.js";

export class Record {
  losses = [];
  rows = []; // [step, a value for each name]
  names = [];
  frames = [];
  frameSteps = [];

  // False: something is missing in between.
  take({ at, names, frames, shape }, buffers) {
    if (at[0] > this.losses.length || at[1] > this.rows.length || at[2] > this.frames.length) return false;
    const [losses, table, film] = buffers.map((data) => floats({ data }));
    this.losses.length = at[0];
    for (const loss of losses) this.losses.push(loss);
    const width = names.length + 1;
    const size = shape.reduce((a, b) => a * b, 1);
    this.rows.length = at[1];
    for (let i = 0; i < table.length; i += width) this.rows.push([...table.subarray(i, i + width)]);
    this.frames.length = this.frameSteps.length = at[2];
    frames.forEach((step, i) => {
      this.frameSteps.push(step);
      this.frames.push({ shape: [1, ...shape], data: new DataView(film.buffer, 4 * i * size, 4 * size) });
    });
    this.names = names;
    return true;
  }

  get steps() {
    return this.losses.length;
  }

  // The latest value of each metric at a step.
  metrics(step) {
    const found = {};
    for (const row of this.rows.filter(([at]) => at <= step)) {
      this.names.forEach((name, i) => {
        if (!Number.isNaN(row[i + 1] ?? NaN)) found[name] = row[i + 1];
      });
    }
    return found;
  }

  // The frame that is seen at a step: the latest one up to it.
  frameAt(step) {
    return this.frames[
      Math.max(
        0,
        this.frameSteps.findLastIndex((at) => at <= step),
      )
    ];
  }

  // Where a handle can stand: at the frames, else at every hundredth of all steps, and at the end.
  stops(steps) {
    const every = Math.max(1, Math.round(steps / 100));
    const hundredths = Array.from({ length: Math.floor(this.steps / every) + 1 }, (_, i) => i * every);
    const inner = this.frames.length > 1 ? this.frameSteps : hundredths;
    return inner.at(-1) === this.steps ? inner : [...inner, this.steps];
  }
}
