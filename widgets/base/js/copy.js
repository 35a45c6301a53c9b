// A text into the clipboard.

import { make } from "./dom.js";

// Whether it worked: there is a second way where the page has no permission, or no https.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = /** @type {HTMLElement | null} */ (document.activeElement); // where the keyboard is, and stays
    const area = make("textarea", { style: "position: fixed; opacity: 0", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    before?.focus({ preventScroll: true });
    return copied;
  }
}
