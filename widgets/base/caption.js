// Caption: one sentence, the banner of an error, the code folded. All of it text nodes.

import style from "./caption.css";
import { copyText } from "./js/copy.js";
import { make } from "./js/dom.js";
import { momentRow } from "./js/moment.js";
import { showing } from "./js/showing.js";
import { joinPage } from "./js/page.js";
import { theme, wear } from "./js/theme.js";
import { writeRuns } from "./js/words.js";

wear(style);

const SPOKEN_AFTER = 700; // ms of quiet: a screen reader would otherwise read every position of a drag

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "caption");
  const banner = make("p", { class: "banner", role: "alert", hidden: true });
  const say = make("p", { class: "say" });
  const spoken = make("div", { class: "sr-only", "aria-live": "polite" });
  const pre = make("pre", { tabindex: 0, role: "region", "aria-label": "the code of this picture" });
  const copy = make("button", { class: "quiet", type: "button" }, "copy");
  const details = make(
    "details",
    {},
    make("summary", {}, "the code of this picture"),
    make("div", { class: "code" }, pre, copy),
  );
  const moment = momentRow(model, signal);
  const foot = make("div", { class: "foot", hidden: true }, details, moment.button);
  el.replaceChildren(banner, say, spoken, foot, moment.row);

  let first = true;
  let quiet = 0;
  const speak = (text) => {
    clearTimeout(quiet);
    if (first) {
      first = false;
      return;
    } // what stands there from the start is read where it stands
    quiet = setTimeout(() => {
      spoken.textContent = [get("whose"), text].filter(Boolean).join(": ");
    }, SPOKEN_AFTER);
  };

  const shown = { sentence: null, code: null, error: null };
  const draw = () => {
    theme(el);
    const sentence = get("sentence") ?? [];
    const error = get("error") ?? "";
    const code = get("code") ?? "";
    if (error !== shown.error) {
      banner.textContent = error;
      banner.hidden = !error;
      say.classList.toggle("old", Boolean(error)); // it still tells of the last good picture
    }
    const text = sentence.map(([part]) => part).join("");
    if (sentence !== shown.sentence && JSON.stringify(sentence) !== JSON.stringify(shown.sentence)) {
      writeRuns(say, sentence);
      speak(text);
    }
    moment.button.hidden = !get("shares");
    if (code !== shown.code) {
      pre.textContent = code;
      details.hidden = !code;
    }
    foot.hidden = details.hidden && moment.button.hidden;
    Object.assign(shown, { sentence, code, error });
  };
  const { get, schedule } = showing(model, draw, signal);
  copy.addEventListener(
    "click",
    async () => {
      copy.textContent = (await copyText(pre.textContent)) ? "copied" : "select and copy by hand";
      setTimeout(() => {
        copy.textContent = "copy";
      }, 1500);
    },
    { signal },
  );
  joinPage(el, schedule, signal);
  signal.addEventListener("abort", () => clearTimeout(quiet));
  draw();
}
