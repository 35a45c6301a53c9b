// A page of the site, beside its views: light and dark, search, and what a page says that was opened as a file.
// A plain script, for a file may load no other.

const THEME = "attnlab-theme";
const MOST = 12; // places that a search shows, each with so many letters before what was asked, and in all
const [BEFORE, LONGEST] = [40, 140];

const system = matchMedia("(prefers-color-scheme: dark)");
function chosenTheme() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null; // a browser that keeps nothing
  }
}
function wearTheme() {
  document.documentElement.dataset.theme = chosenTheme() ?? (system.matches ? "dark" : "light");
}
wearTheme();
system.addEventListener("change", wearTheme);

function turnTheme() {
  const turned = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(THEME, turned);
  } catch {
    // it lasts for this page
  }
  document.documentElement.dataset.theme = turned;
}

const part = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector)); // of the frame of every page

// A browser lets no file read another one: the views cannot come alive, so their pictures are shown.
function showStills() {
  const banner = part(".as-file");
  banner.hidden = false;
  banner.textContent =
    "You opened this page as a file, and a browser lets no file read the files beside it: the pictures stand still.\n" +
    "Serve the folder instead: python -m http.server, in this folder, and open http://localhost:8000";
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-view]"))) {
    const words = place.querySelector("noscript");
    place.innerHTML = words ? words.textContent : "";
    place.style.minHeight = "0";
  }
}

/** @type {Promise<any[]> | null} */
let index = null; // promise of [page, anchor, lesson, heading, text] for each section

async function loadIndex() {
  const answer = await fetch("search.bin");
  if (!answer.ok || !answer.body) throw new Error(`search.bin is not there (${answer.status})`);
  const stream = answer.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

// Sections that hold every word, those first that hold them in their headings.
function search(sections, asked) {
  const words = plain(asked).split(/\s+/).filter(Boolean);
  const found = [];
  for (const [page, anchor, lesson, heading, text] of sections) {
    const [head, body] = [plain(`${lesson} ${heading}`), plain(text)];
    if (!words.every((word) => head.includes(word) || body.includes(word))) continue;
    const rank = words.filter((word) => head.includes(word)).length;
    const at = body.indexOf(words.find((word) => body.includes(word)) ?? "");
    found.push({ page, anchor, lesson, heading, rank, snippet: around(text, at) });
  }
  return found.sort((a, b) => b.rank - a.rank).slice(0, MOST);
}

// What a text says around a place, in whole words.
function around(text, at) {
  const start = at > BEFORE ? text.indexOf(" ", at - BEFORE) + 1 : 0;
  const end = text.length > start + LONGEST ? text.lastIndexOf(" ", start + LONGEST) : text.length;
  return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
}

function showFound(list, found, asked) {
  const rows = found.map(({ page, anchor, lesson, heading, snippet }) => {
    const link = document.createElement("a");
    link.href = anchor ? `${page}#${anchor}` : page;
    const words = document.createElement("small");
    words.textContent = snippet;
    link.append(heading ? `${lesson} · ${heading}` : lesson, words);
    const row = document.createElement("li");
    row.append(link);
    return row;
  });
  if (!rows.length) {
    const none = document.createElement("li");
    const words = document.createElement("p");
    words.textContent = `No lesson has all of “${asked}”.`;
    none.append(words);
    rows.push(none);
  }
  list.replaceChildren(...rows);
}

function listenToSearch() {
  const form = part(".search");
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
  const list = part("#found");
  input.addEventListener("input", async () => {
    const asked = input.value.trim();
    list.hidden = !asked;
    if (!asked) return;
    try {
      index ??= loadIndex();
      const sections = await index;
      if (input.value.trim() === asked) showFound(list, search(sections, asked), asked);
    } catch (error) {
      index = null;
      list.textContent = `The index could not be loaded: ${/** @type {Error} */ (error).message}`;
    }
  });
  for (const event of ["focus", "click"])
    input.addEventListener(event, () => {
      list.hidden = !input.value.trim() || !list.childElementCount;
    });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    const links = [...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || list.hidden || !form.contains(document.activeElement)) return;
    event.preventDefault();
    links[links.findIndex((link) => link === document.activeElement) + step]?.focus();
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(/** @type {Node} */ (event.target))) list.hidden = true;
  });
}

// What is wider than its place scrolls, and the keyboard reaches it to do so; what is not is no stop on its way.
const wide = new ResizeObserver((places) => {
  for (const { target } of places) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll("pre, .text table, math[display=block]")) wide.observe(place);
  part(".theme").addEventListener("click", turnTheme);
  if (location.protocol === "file:") showStills();
  else listenToSearch();
});
