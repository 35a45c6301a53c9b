// Bertviz: a page of its own in a frame that may run scripts and reach nothing else. It tells its height.

import style from "./style.css";
import { make } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { unzipped } from "../../base/js/kernel.js";
import { bytesOf, clamp } from "../../base/js/numbers.js";
import { joinPage } from "../../base/js/page.js";
import { css, theme, wear } from "../../base/js/theme.js";

wear(style);

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-bertviz");
  const frame = make("iframe", { sandbox: "allow-scripts", title: "" });
  el.append(frame);
  const { get, schedule } = showing(model, draw, signal);
  let shown = "";

  async function unpack() {
    return unzipped(bytesOf(get("page")));
  }

  async function draw() {
    const look = theme(el);
    const colours = {
      ink: look.ink,
      page: css(look.page),
      soft: look.line,
      scheme: look.dark ? "dark" : "light",
      filter: look.dark ? "brightness(1.4)" : "none",
    };
    const start = `<!doctype html><script>const MODE = "${colours.scheme}", COLOURS = ${JSON.stringify(colours)};</script>`;
    const html = start + (await unpack());
    if (signal.aborted || html === shown) return;
    frame.title = get("name");
    frame.style.height = `${get("height")}px`;
    frame.srcdoc = shown = html;
  }

  window.addEventListener(
    "message",
    (event) => {
      if (event.source !== frame.contentWindow || !Number.isFinite(event.data?.bertviz)) return;
      frame.style.height = `${clamp(Math.ceil(event.data.bertviz) + 8, 60, 4000)}px`;
    },
    { signal },
  );
  joinPage(el, schedule, signal);
  draw();
}
