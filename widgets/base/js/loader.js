// The script of every view: small, so that a busy page has it soon. It fetches the view's own script, which comes to a
// page once, whatever the number of views. That one exports `render({ model, el, signal, shared })` and, where views of one
// model have something in common, `share(model, signal)`, which makes it.

import { pause, scriptOf, tell } from "./kernel.js";

const LONG = 8000; // ms after which a view that is not there yet says so

async function run(source) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

// anywidget gives a model up whose script was not bound within two seconds, as happens on a busy page: what the kernel
// says to it is dropped without a word. Such a model hears the kernel itself from now on, and asks for what it missed.
async function mend(model, signal) {
  const own = model.set({}); // Backbone's `set` returns the model itself
  try {
    await own._handle_comm_msg({ content: { data: {} } });
  } catch {
    const plain = Object.getPrototypeOf(Object.getPrototypeOf(own)); // a widget model without anywidget's door
    let heard = false;
    own.comm.on_msg((message) => {
      heard = true;
      return plain._handle_comm_msg.call(own, message);
    });
    for (let ms = 1000; !heard && !signal.aborted; ms *= 2) {
      tell(model, { kind: "state" });
      await pause(ms);
    }
  }
}

/** @type {Promise<any> | null} */
let loaded = null;

export default {
  initialize({ model, signal }) {
    mend(model, signal);
    const [name] = Object.keys(model.get("libraries"));
    loaded = scriptOf(model, name, run, signal).then(
      (script) => script && { ...script, shared: script.share?.(model, signal) },
    );
  },

  async render({ model, el, signal }) {
    el.classList.add("attnlab");
    const timer = setTimeout(() => {
      el.textContent = "This view is not here yet: the kernel is busy, or it was restarted; then run all cells again.";
    }, LONG);
    const script = await loaded;
    clearTimeout(timer);
    if (!script || signal.aborted) return;
    el.replaceChildren();
    script.render({ model, el, signal, shared: script.shared });
  },
};
