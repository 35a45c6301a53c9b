// Towers: the three kinds of places where words meet, each with a switch for all blocks.

import { KINDS } from "./joint.js";

const LINE = 15;

export function panel(view) {
  const { sheet, at, look, size, lit } = view;
  const room = at.target.labels - size.labels - 30;
  let y = at.target.top + 4;
  for (const [kind, { name, who }] of Object.entries(KINDS)) {
    const bold = lit.includes(kind);
    const lines = [...wrapped(look, name, room, bold), ...wrapped(look, who, room, false)];
    const names = wrapped(look, name, room, bold).length;
    sheet.knob(kind, 2, y, look.off.has(kind), `${name} in all blocks`);
    lines.forEach((line, i) => {
      const how = i < names ? { bold, colour: bold ? "ink" : "ink2" } : { colour: "ink2" };
      sheet.text(`${kind} line ${i}`, 28, y + 10 + i * LINE, line, { size: 12, ...how });
    });
    y += lines.length * LINE + 5;
  }
}

// The words of a text, as many in a line as fit.
function wrapped({ measure }, text, room, bold) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length && measure(longer, 12, bold) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
