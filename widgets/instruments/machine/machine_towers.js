// The script of a machine that is drawn as two towers.

import { machine } from "./view.js";
import { lay } from "./towers/towers.js";

export const render = machine(lay);
