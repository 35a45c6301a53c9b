// The script of a machine that is drawn as tables and their products.

import { machine } from "./view.js";
import { lay } from "./product/product.js";

export const render = machine(lay);
