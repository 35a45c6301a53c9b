// The image that a stream's tokens are patches of: each patch can be chosen, and its token is followed.
//
// The spec's `image`: { grid: [down, across], first }, `first` the row of the first patch; its pixels are the tensor `image`.

import { FRAME } from "./frame.js";
import { rowChosen } from "./signs.js";
import { imageOf } from "../tensors.js";

const [BOTTOM, MOST] = [FRAME.top - 42, 132]; // of the image, and its side

// `middle`: that of the station that the patches become, null where there is no room for a wire; `room`: where the stream begins.
export function drawImage(view, middle, room) {
  const { sheet, machine, tokens } = view;
  const { grid, first } = machine.spec.image;
  const side = Math.min(MOST, room - 4);
  const [down, across] = grid.map((count) => side / count);
  const top = BOTTOM - side;
  sheet.text("image name", 1, Math.max(16, top - 10), "the picture", { size: 12, colour: "ink2" });
  sheet.station("image", 1, top, side, side, imageOf(machine.tensor("image")), { scale: "image" });
  const lines = Array.from({ length: grid[0] - 1 }, (_, i) => `M1 ${top + (i + 1) * down}h${side}`);
  const uprights = Array.from({ length: grid[1] - 1 }, (_, i) => `M${1 + (i + 1) * across} ${top}v${side}`);
  sheet.path("image cuts", [...lines, ...uprights].join(""), { stroke: "grid2", thick: 1 });

  if (middle !== null)
    sheet.wire("image on", [
      [middle, BOTTOM + 4],
      [middle, FRAME.top - 5],
    ]);
  const chosen = rowChosen(view);
  for (let i = 0; i < grid[0] * grid[1]; i++) {
    const box = [1 + (i % grid[1]) * across, top + Math.floor(i / grid[1]) * down, across, down];
    if (chosen === first + i) sheet.outline("patch chosen", box[0], box[1], across, down, "query", 2.5);
    choice(view, first + i, box);
  }
  const [low, tall] = [FRAME.top, FRAME.tall / tokens.length];
  for (let row = 0; row < first; row++) choice(view, row, [0, low + row * tall, view.size.labels, tall]);
}

function choice({ sheet, look, tokens }, row, box) {
  const id = `row ${row}`;
  const checked = look.chosen[0] === id;
  sheet.part({ id, role: "radio", name: `“${tokens[row]}”`, box, choose: [id, "query"], checked });
}
