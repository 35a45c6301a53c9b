// What an instrument shows: the kernel's traits, or, while a slider's frames play, the frame's.

import { hear } from "./kernel.js";

// The message is { kind: "frame", sequence, state }; the kernel has the last word as soon as its own `sequence` has
// caught up, which { kind: "answer" } says where nothing else has changed.
// `patience()`: how many ms a change may wait for the next one, so that both are drawn together.
export function showing(model, draw, signal, patience = () => 0) {
  /** @type {{ sequence: number, state: object } | null} */
  let frame = null;
  let scheduled = false;
  let timer = 0;
  const schedule = () => {
    clearTimeout(timer);
    timer = 0;
    if (scheduled || signal.aborted) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      if (!signal.aborted) draw();
    });
  };
  const isOver = () => frame && model.get("sequence") >= frame.sequence;
  const onChange = () => {
    if (isOver()) frame = null;
    const ms = patience();
    if (ms) timer ||= setTimeout(schedule, ms);
    else schedule();
  };
  const onMessage = (message) => {
    if (message?.kind === "answer" && isOver()) onChange();
    if (message?.kind !== "frame") return;
    frame = message;
    schedule();
  };
  hear(model, "change", onChange, signal);
  hear(model, "msg:custom", onMessage, signal);
  const get = (name) => (frame && name in frame.state ? frame.state[name] : model.get(name));
  return { get, schedule };
}
