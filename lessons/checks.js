// What the lesson tests ask of a page. Each gives a list of complaints or of what is seen.
// What is to be seen now in all views.
const seen = (wanted) =>
  [...document.querySelectorAll(".attnlab")]
    .flatMap((view) => [...view.querySelectorAll(wanted)])
    .filter((el) => el.checkVisibility());

globalThis.checks = {
  // What of the output areas is not drawn, or not in full, of what is to be seen now.
  notDrawn() {
    const failure = /Error (displaying|creating) widget|Failed to (load|initialize) model|Loading widget/;
    const outputs = [...document.querySelectorAll(".jp-OutputArea-output")].map((output) => output.textContent);
    const found = outputs.filter((text) => failure.test(text));
    // A box has an empty child for each view that is on its way; one without children may be meant so.
    for (const el of document.querySelectorAll(
      ".jp-OutputArea-output.lm-Panel, .jp-OutputArea-output .lm-Widget:not(.widget-box)",
    )) {
      if (!el.childNodes.length && el.checkVisibility()) found.push(`${el.className}: its script has not begun`);
    }
    for (const el of document.querySelectorAll(".attnlab")) {
      if (!el.checkVisibility()) continue; // behind a question
      found.push(...globalThis.checks.missing(el).map((what) => `${el.className}: ${what}`));
    }
    return found;
  },

  // What a view lacks.
  missing(el) {
    const some = (selector, test = (_el) => true) => [...el.querySelectorAll(selector)].some(test);
    const blank = (canvas) => {
      if (!canvas.width || !canvas.height) return true;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const words = new Uint32Array(data.buffer);
      return words.every((word) => word === words[0]);
    };
    const without = (node) => !(node.value ?? node.textContent).trim();
    const faults = {
      "it is empty": !el.children.length && !el.textContent.trim(),
      "it waits for a picture or an answer": el.hasAttribute("data-waiting"),
      "a slider without a value": some(".control.slider .number", without),
      "a stepper without a position": some(".control.stepper .at", without),
      "a text field without its text": some(".control.text input:not([data-optional])", without),
      "a choice without a chosen name": some(".control.select select", ({ selectedIndex }) => selectedIndex < 0),
      "no sentence": el.matches(".caption") && some(".say", without) && some(".banner[hidden]"),
      "a canvas of one colour": some("canvas", (canvas) => canvas.checkVisibility() && blank(canvas)),
      "no numbers": el.matches(".attnlab-explorer *") && some(".figure.empty"),
      "no plot": el.matches(".attnlab-chart") && !some(".main-svg"),
      "no standing": el.matches(".training") && some(".standing", without),
      "no question": el.matches(".predict") && some(".question", without),
    };
    return Object.keys(faults).filter((fault) => faults[fault]);
  },

  // What a screen reader could not name, in all our views. Plotly's own buttons carry their name in data-title.
  nameless() {
    const roles = [
      "application",
      "button",
      "checkbox",
      "combobox",
      "dialog",
      "grid",
      "group",
      "img",
      "link",
      "listbox",
      "meter",
      "menuitem",
      "option",
      "progressbar",
      "radio",
      "slider",
      "spinbutton",
      "switch",
      "tab",
      "textbox",
      "tree",
      "treeitem",
    ];
    const wanted = [
      "input:not([type=hidden])",
      "button",
      "select",
      "textarea",
      "canvas",
      "a[href]",
      "summary",
      ...roles.map((role) => `[role=${role}]`),
    ].join(", ");
    const byId = (id) => document.getElementById(id)?.textContent ?? "";
    const name = (el) =>
      [
        el.getAttribute("aria-label"),
        el.title,
        el.alt,
        el.dataset.title,
        ...(el.getAttribute("aria-labelledby") ?? "").split(" ").map(byId),
        ...[...(el.labels ?? [])].map((label) => label.textContent),
        el.matches("input, select, textarea, canvas, svg, [role=group]") ? "" : el.textContent,
      ]
        .join("")
        .trim();
    return seen(wanted)
      .filter((el) => !el.closest("[aria-hidden=true]") && !name(el))
      .map((el) => el.outerHTML.slice(0, 160));
  },

  // Controls that the Tab key does not reach. In these groups the arrow keys move on from one that it does reach.
  unreachable() {
    const groups = "[role=radiogroup], [role=tablist], [role=grid], [role=tree], [aria-hidden=true], .js-plotly-plot";
    const alone = seen("input, button, select, textarea, canvas[role], [role=slider]").filter(
      (el) => !el.disabled && el.tabIndex < 0 && !el.closest(groups),
    );
    const shut = seen("[role=radiogroup]").filter((el) => !el.querySelector("[tabindex='0'], input"));
    return [...alone, ...shut].map((el) => el.outerHTML.slice(0, 160));
  },

  // Words that are cut off with no way to read the rest: no box around them scrolls, and no title says all of it. Plotly
  // sets the words of its charts as it does.
  clipped() {
    const hides = (style) => ["hidden", "clip"].includes(style.overflowX) && style.clipPath === "none";
    const scrolls = (style) => ["auto", "scroll"].includes(style.overflowX);
    const told = (el) => el.closest("[title], [aria-hidden=true]") || el.querySelector("title");
    const cut = (el, view) => {
      const range = document.createRange();
      range.selectNodeContents(el);
      let box = range.getBoundingClientRect();
      if (!box.width || !box.height) return false;
      for (let at = el; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.clipPath !== "none") return false; // words for a screen reader alone
        const frame = at.getBoundingClientRect();
        if (
          hides(style) &&
          at.tagName !== "svg" &&
          (at.scrollWidth > at.clientWidth + 1 || box.right > frame.right + 1)
        )
          return !told(el);
        if (scrolls(style)) box = frame;
        if (at === view) return box.right > at.parentElement.getBoundingClientRect().right + 1;
      }
      return false;
    };
    const words = (el) => [...el.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    return [...document.querySelectorAll(".attnlab")].flatMap((view) =>
      [...view.querySelectorAll("*")]
        .filter(
          (el) =>
            words(el) && !el.closest(".plot") && el.checkVisibility({ visibilityProperty: true }) && cut(el, view),
        )
        .map(
          (el) => `${view.className}: ${el.tagName}.${el.getAttribute("class") ?? ""} ${el.textContent.slice(0, 60)}`,
        ),
    );
  },

  // The numbers that each matrix shows.
  matrices() {
    return [...document.querySelectorAll(".attnlab.matrix")].map((el) => el.attnlab.values()?.data ?? null);
  },

  // "Light" or "Dark", as each view has understood it.
  themes() {
    return [...document.querySelectorAll(".attnlab[data-dark]")].map((el) =>
      el.dataset.dark === "true" ? "Dark" : "Light",
    );
  },
};
