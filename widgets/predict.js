// Predict: a question, a guess, the answer and why. It replies by itself; only a measured number waits for the kernel.

function render({ model, el, signal }) {
  el.classList.add("attnlab", "predict");
  const { get, schedule } = picture(model, draw, signal);
  const plain = (runs) => runs.map(([text]) => text).join("");
  const kind = get("kind");
  let matrix = null, wrote = null;

  const question = make("span", { class: "question" });
  writeRuns(question, get("question"));
  const answers = make("div", { class: "answers" });
  const why = make("div", { class: "why", "aria-live": "polite" });
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", `Guess first: ${plain(get("question"))}`);
  el.append(make("div", {}, make("span", { class: "pre" }, "Guess first"), " ", question), answers, why);

  const answered = () => get("skipped") || (get("guess") !== null && get("guess") !== undefined);

  function set(guess, skipped = false) {
    model.set("guess", guess);
    model.set("skipped", skipped);
    model.save_changes();
    schedule();
  }

  const skip = make("button", { type: "button", class: "quiet", onclick: () => (answered() ? again() : set(null, true)) }, "skip");
  function again() {
    set(null);
    if (kind === "number") { input.value = ""; input.focus(); }
  }

  // Each kind of answer: what one presses, and how it looks afterwards.
  const buttons = get("choices").map((choice, i) => {
    const button = make("button", { type: "button", onclick: () => { if (!answered()) set(i); } });
    writeRuns(button, choice);
    return button;
  });
  const input = make("input", { type: "text", inputmode: "decimal", size: 8, "aria-label": `your guess${get("unit") && " in "}${get("unit")}` });
  const chosen = make("span", { class: "chosen" });
  const go = make("button", { type: "button", class: "go", onclick: submit }, kind === "number" ? "guess" : "this cell");
  if (kind === "choice") answers.append(...buttons);
  if (kind === "number") answers.append(input, ...(get("unit") ? [make("span", { class: "unit" }, get("unit"))] : []), go);
  if (kind === "cell") answers.append(chosen, go);
  answers.append(skip);

  function submit() {
    if (answered()) return;
    if (kind === "cell") { const cell = selected(); if (cell) set(cell); return; }
    const text = input.value.trim().replace("−", "-").replace(",", ".");
    if (text && Number.isFinite(Number(text))) set(Number(text));
    else { say([[["a number is expected here, not “" + input.value + "”", ""]]]); input.focus(); }
  }
  ownKeys(input, (event) => { if (event.key !== "Enter") return false; submit(); return true; }, signal);

  const selected = () => { const [, query, key] = matrix?.get("selected") ?? []; return query >= 0 && key >= 0 ? [query, key] : null; };
  const named = ([query, key]) => [
    [labelOf("query_labels", query), "query"], [" reads ", ""], [labelOf("key_labels", key), "key"],
  ];
  const labelOf = (names, i) => visible(matrix?.get(names)?.[i] ?? String(i + 1));

  const sentence = (...parts) => parts.flat().filter(([text]) => text);
  const withUnit = (x) => number(x, Number.isInteger(x) ? 0 : 2) + (get("unit") && " ") + get("unit");

  // The paragraphs after the guess.
  function replies() {
    const guess = get("guess"), answer = get("answer"), skipped = get("skipped");
    const lead = (right) => [[skipped ? "" : right ? "Yes. " : "Not so. ", "strong"]];
    if (kind === "choice") {
      const right = sentence([["It is: ", ""]], get("choices")[answer], [[". ", ""]], get("replies")[answer]);
      if (skipped) return [right];
      const own = sentence(lead(guess === answer), get("replies")[guess]);
      return guess === answer ? [own] : [own, right];
    }
    if (kind === "number") {
      if (get("error")) return [[[`The answer could not be measured: ${get("error")}`, ""]]];
      if (answer === null) return [[["measuring ...", ""]]];
      if (skipped) return [sentence([[`It is ${withUnit(answer)}. `, ""]], get("replies")[0])];
      const off = guess - answer;
      const far = off === 0 ? "exactly so" : `${withUnit(Math.abs(off))} too ${off > 0 ? "high" : "low"}`;
      const right = Math.abs(off) <= get("tolerance");
      return [sentence(lead(right), [[`You said ${withUnit(guess)}, it is ${withUnit(answer)}: ${far}. `, ""]], get("replies")[0])];
    }
    const right = !skipped && answer.some(([q, k]) => q === guess[0] && k === guess[1]);
    const cells = answer.flatMap((cell, i) => [
      ...(i ? [[i === answer.length - 1 ? " or " : ", ", ""]] : []),
      ...named(cell).slice(cell[0] === answer[i - 1]?.[0] ? 2 : 0), // a query that reads several keys is named once
    ]);
    return [sentence(lead(right), right ? [] : [...cells, [". ", ""]], get("replies")[0])];
  }

  function say(paragraphs) {
    const text = JSON.stringify(paragraphs);
    if (text === wrote) return;
    wrote = text;
    why.replaceChildren(...paragraphs.map((runs) => { const p = make("p"); writeRuns(p, runs); return p; }));
  }

  function draw() {
    theme(el);
    const done = answered(), guess = get("guess");
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", done && guess === i);
      button.setAttribute("aria-disabled", done && guess !== i);
    });
    input.readOnly = done;
    if (done && typeof guess === "number" && kind === "number") input.value = number(guess, Number.isInteger(guess) ? 0 : 2);
    const cell = kind === "cell" && (guess ?? selected());
    if (cell) writeRuns(chosen, named(cell)); else chosen.textContent = "click a cell, or move to it with the arrow keys";
    hide(go, done, skip);
    go.setAttribute("aria-disabled", kind === "cell" && !cell);
    skip.textContent = done ? "again" : "skip";
    if (done) { say(replies()); reveal(); } else say([]);
  }

  async function reveal() {
    const layout = await model.widget_manager.get_model(get("after").replace("IPY_MODEL_", ""));
    if (layout.get("display") !== "none") return;
    layout.set("display", null);
    layout.save_changes();
  }

  watchLook(el, schedule, signal);
  if (get("matrix")) {
    model.widget_manager.get_model(get("matrix")).then((found) => {
      if (signal.aborted) return;
      matrix = found;
      matrix.on("change:selected", schedule);
      signal.addEventListener("abort", () => matrix.off("change:selected", schedule));
      schedule();
    });
  }
  draw();
}

export default { render };
