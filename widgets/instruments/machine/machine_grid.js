// The script of a machine that is drawn as a grid to look at, and what is written of it.

import { machine } from "./view.js";
import { lay } from "./rails/grid.js";

export const render = machine(lay);
