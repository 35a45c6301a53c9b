// What the lesson tests ask of a page. Each gives a list of complaints or of what is seen.
globalThis.checks = {
  // What of the output areas is not drawn. A canvas must hold more than one colour.
  notDrawn() {
    const blank = (canvas) => {
      if (!canvas.width || !canvas.height) return true;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const words = new Uint32Array(data.buffer);
      return words.every((word) => word === words[0]);
    };
    const failure = /Error (displaying|creating) widget|Failed to (load|initialize) model|Loading widget/;
    const outputs = [...document.querySelectorAll(".jp-OutputArea-output")].map((output) => output.textContent);
    const found = outputs.filter((text) => failure.test(text));
    for (const el of document.querySelectorAll(".attnlab")) {
      if (!el.children.length) found.push(`${el.className} is empty`);
      const canvases = [...el.querySelectorAll("canvas")].filter((canvas) => canvas.checkVisibility());
      if (canvases.some(blank)) found.push(`a canvas of ${el.className} is blank`);
      if (el.matches(".attnlab-chart") && !el.querySelector(".main-svg")) found.push("a chart is not drawn");
    }
    return found;
  },

  // What a screen reader could not name, in all our views. Plotly's own buttons carry their name in data-title.
  nameless() {
    const roles = ["application", "button", "checkbox", "combobox", "dialog", "grid", "group", "img", "link", "listbox",
      "meter", "menuitem", "option", "progressbar", "radio", "slider", "spinbutton", "switch", "tab", "textbox", "tree",
      "treeitem"];
    const wanted = ["input:not([type=hidden])", "button", "select", "textarea", "canvas", "a[href]", "summary",
      ...roles.map((role) => `[role=${role}]`)].join(", ");
    const byId = (id) => document.getElementById(id)?.textContent ?? "";
    const name = (el) => [
      el.getAttribute("aria-label"), el.title, el.alt, el.dataset.title,
      ...(el.getAttribute("aria-labelledby") ?? "").split(" ").map(byId),
      ...[...(el.labels ?? [])].map((label) => label.textContent),
      el.matches("input, select, textarea, canvas, svg, [role=group]") ? "" : el.textContent,
    ].join("").trim();
    return [...document.querySelectorAll(".attnlab")].flatMap((view) => [...view.querySelectorAll(wanted)])
      .filter((el) => el.checkVisibility() && !el.closest("[aria-hidden=true]") && !name(el))
      .map((el) => el.outerHTML.slice(0, 160));
  },

  // Controls that the Tab key does not reach. In these groups the arrow keys move on from one that it does reach.
  unreachable() {
    const groups = "[role=radiogroup], [role=tablist], [role=grid], [role=tree], [aria-hidden=true], .js-plotly-plot";
    return [...document.querySelectorAll(".attnlab")]
      .flatMap((view) => [...view.querySelectorAll("input, button, select, textarea, canvas[role], [role=slider]")])
      .filter((el) => !el.disabled && el.tabIndex < 0 && el.checkVisibility() && !el.closest(groups))
      .map((el) => el.outerHTML.slice(0, 160));
  },

  // The numbers that each matrix shows.
  matrices() {
    return [...document.querySelectorAll(".attnlab.matrix")].map((el) => el.attnlab.values()?.data ?? null);
  },

  // "Light" or "Dark", as each view has understood it.
  themes() {
    return [...document.querySelectorAll(".attnlab[data-dark]")].map((el) => (el.dataset.dark === "true" ? "Dark" : "Light"));
  },
};
