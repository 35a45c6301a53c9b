// The script of a machine that is drawn as a stream.

import { machine } from "./view.js";
import { lay } from "./stream/stream.js";

export const render = machine(lay);
