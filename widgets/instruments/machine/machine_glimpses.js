// The script of a machine that is drawn as glimpses, one column each.

import { machine } from "./view.js";
import { lay } from "./rails/glimpses.js";

export const render = machine(lay);
