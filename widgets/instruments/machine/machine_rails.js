// The script of a machine that is drawn as two rails.

import { machine } from "./view.js";
import { lay } from "./rails/rails.js";

export const render = machine(lay);
