// What flows into a part and what it flows into, and which part lies next to another.

// The ids of all parts on the way to `id` and from it on, itself with them; null where nothing flows. The way goes no
// further than a part that `ends` it.
export function followed(parts, id) {
  const start = parts.find((part) => part.id === id);
  if (!start?.from?.length && !start?.into?.length) return null;
  const byId = new Map(parts.map((part) => [part.id, part]));
  const lit = new Set([id]);
  for (const way of ["from", "into"]) {
    const open = [...(start[way] ?? [])];
    const seen = new Set();
    while (open.length) {
      const part = byId.get(open.pop());
      if (!part || seen.has(part.id)) continue;
      seen.add(part.id);
      lit.add(part.id);
      if (!part.ends) open.push(...(part[way] ?? []));
    }
  }
  return lit;
}

const ALL = (lit, of) => of.every((id) => lit.has(id));
const ANY = (lit, of) => of.some((id) => lit.has(id));

// Whether a mark belongs to what is followed: `part`: one id or several, any of which lights it; `between`: both must.
/** @param {{ part?: string | string[], between?: string[] }} mark @param {Set<string>} lit */
export function isLit({ part, between }, lit) {
  if (between) return ALL(lit, between);
  return part === undefined || (Array.isArray(part) ? ANY(lit, part) : lit.has(part));
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The part that an arrow key leads to: the nearest on that side, what lies straight ahead first. `key` may be Home or End.
export function beside(parts, id, key) {
  if (key === "Home") return parts[0]?.id;
  if (key === "End") return parts.at(-1)?.id;
  const from = parts.find((part) => part.id === id);
  if (!from) return parts[0]?.id;
  const [u, v] = STEPS[key];
  const [x, y] = middle(from.box);
  let [best, nearest] = [id, Infinity];
  for (const { id: other, box } of parts) {
    const dx = box[0] + box[2] / 2 - x;
    const dy = box[1] + box[3] / 2 - y;
    const ahead = dx * u + dy * v;
    const far = ahead + 3 * Math.abs(dx * v + dy * u);
    if (ahead > 1 && far < nearest) [best, nearest] = [other, far];
  }
  return best;
}

const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];
