// This moment, to take along: a button that unfolds a row, where the explorer's state is copied as a text, and where such a
// text is put in and opened.

import { copyText } from "./copy.js";
import { make, ownKeys } from "./dom.js";
import { hear, tell } from "./kernel.js";

// { button, row }. The kernel answers { kind: "moment", moment } or { kind: "moment", error }, and { kind: "opened", said }.
export function momentRow(model, signal) {
  const button = make(
    "button",
    { class: "quiet", type: "button", "aria-expanded": "false", title: "take this moment along, or open another" },
    "share",
  );
  const copy = make("button", { type: "button" }, "copy this moment");
  const input = make("input", {
    type: "text",
    size: 24,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": "open a moment",
    placeholder: "or paste one here",
  });
  const open = make("button", { type: "button" }, "open");
  const said = make("span", { class: "said hint", role: "status" });
  const row = make("div", { class: "moment", hidden: true }, copy, input, open, said);
  const say = (text, wrong = false) => {
    said.textContent = text;
    said.classList.toggle("wrong", wrong);
  };
  const send = () => {
    say(input.value.trim() ? "" : "First paste a moment: the text that “copy this moment” gives.", true);
    if (input.value.trim()) tell(model, { kind: "open", moment: input.value });
  };
  const unfold = () => {
    row.hidden = !row.hidden;
    button.setAttribute("aria-expanded", String(!row.hidden));
    say("");
  };
  button.addEventListener("click", unfold, { signal });
  copy.addEventListener("click", () => tell(model, { kind: "moment" }), { signal });
  open.addEventListener("click", send, { signal });
  const answer = async (message) => {
    if (row.hidden) return; // another display of the same view has asked
    if (message?.kind === "moment") await handOver(message, input, say);
    if (message?.kind === "opened") {
      if (!message.said) input.value = "";
      say(message.said || "Opened.", Boolean(message.said));
    }
  };
  hear(model, "msg:custom", answer, signal);
  listenToKeys(row, input, send, signal);
  return { button, row };
}

async function handOver({ moment, error }, input, say) {
  if (error) {
    say(error, true);
  } else if (await copyText(moment)) {
    say(`Copied, ${moment.length} letters: whoever pastes it into this view sees what you see.`);
  } else {
    input.value = moment;
    input.select();
    say("Copy it from here by hand.");
  }
}

function listenToKeys(row, input, send, signal) {
  const enter = (event) => {
    if (event.key !== "Enter" || event.target !== input || event.isComposing) return false;
    send();
    return true;
  };
  ownKeys(row, enter, signal);
}
