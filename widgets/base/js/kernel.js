// The kernel's side of a view: what it says, what it is told, and the scripts it holds.

export const pause = (ms) =>
  new Promise((over) => {
    setTimeout(over, ms);
  });

// What is heard of a model until the view is gone.
export function hear(model, names, heard, signal) {
  model.on(names, heard);
  signal.addEventListener("abort", () => model.off(names, heard), { once: true });
}

// Whether there never was a kernel behind the page: nbconvert and other programs write such ones.
export const alone = (model) => !model.set({}).comm; // Backbone's `set` returns the model itself

// Notes in `view.gone` what became of the kernel that knew it: "restarted", "alone" where there never was one, or "".
// Jupyter marks the views that a restarted one does not know.
export function hearOfRestart(view, signal) {
  const look = () => {
    view.gone = view.el.closest(".jupyter-widgets-disconnected") ? "restarted" : "";
    view.schedule();
  };
  view.gone = alone(view.model) ? "alone" : "";
  hear(view.model, "comm_live_update", () => setTimeout(look), signal);
}

// A message to the kernel. One that was restarted knows nothing of this view, and Jupyter throws; what the learner is
// told then does not hang on it.
/** @param {object} [callbacks] what ipywidgets calls with what the kernel says meanwhile */
export function tell(model, message, callbacks) {
  try {
    model.send(message, callbacks);
  } catch (error) {
    console.warn("the kernel cannot be told", message.kind, error);
  }
}

export async function unzipped(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

const OFTEN = 250; // ms before a script is looked for again, twice as long each time
const SELDOM = 8000; // ms, at most
const LATE = 2000; // a pause as long as that: the kernel is asked as well, and the learner is told
const ON_ITS_WAY = 5000; // ms that a hidden widget which is being made is waited for before what else there is is tried

// What `run(source)` promises for the script `name`, which is run once a page and version. The kernel has sent it ahead in
// a hidden widget. Where that one is not there (a page that is loaded again gets the widgets in any order; somebody may
// have closed it; it may never be finished), it is looked for again and again, and the kernel is asked to send the script
// to this view; `late(error)` hears of it. Null once `signal` has aborted.
/** @param {(error: unknown) => void} late */
export async function scriptOf(model, name, run, signal, late = () => {}) {
  /** @type {{ version: string, source: DataView } | null} */
  let sent = null;
  const note = (message, buffers) => {
    if (message?.kind === "script" && message.name === name) sent = { version: message.version, source: buffers[0] };
  };
  hear(model, "msg:custom", note, signal);
  for (let ms = OFTEN; !signal.aborted; ms = Math.min(2 * ms, SELDOM)) {
    try {
      const made = await once(name, sent ?? (await held(model, name)), run);
      model.off("msg:custom", note);
      return made;
    } catch (error) {
      if (ms >= LATE) {
        tell(model, { kind: "script", name });
        late(error);
      }
      await pause(ms);
    }
  }
  return null;
}

async function held(model, name) {
  const made = model.widget_manager.get_model(model.get("libraries")[name]);
  const library = await Promise.race([made, pause(ON_ITS_WAY)]); // undefined where it is late: it throws below
  return { version: library.get("version"), source: library.get("source") };
}

function once(name, { version, source }, run) {
  const scripts = (globalThis.attnlabScripts ??= new Map()); // "name version" -> promise of what it gave
  const key = `${name} ${version}`;
  if (!scripts.has(key)) {
    scripts.set(key, unzipped(source).then(run));
    scripts.get(key).catch((error) => {
      scripts.delete(key);
      console.warn(`the script ${key} does not run`, error);
    });
  }
  return scripts.get(key);
}
