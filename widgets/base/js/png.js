// A picture as PNG: into the clipboard, or as a file where the page may not write there.

import { context2d, make } from "./dom.js";

const SHOWN = 1500; // ms that a button says what became of the picture

// An empty canvas of the same size, in the page's colour.
export function sheetLike(canvas, colour) {
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: canvas.width, height: canvas.height });
  const ctx = context2d(sheet);
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, sheet.width, sheet.height);
  return sheet;
}

export function copyButton(attributes = {}) {
  const told = "copy the picture as PNG";
  return make("button", { class: "quiet", type: "button", title: told, "aria-label": told, ...attributes }, "copy");
}

// Hands a canvas over; `button` and the promise say how: "copied" or "saved".
export async function handOver(canvas, name, button) {
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  let how = "copied";
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
  } catch {
    // no permission, or a page without https
    how = "saved";
    const link = make("a", { href: URL.createObjectURL(blob), download: `${name}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  button.textContent = how;
  setTimeout(() => {
    button.textContent = "copy";
  }, SHOWN);
  return how;
}
