// Rows and columns in the order in which they stand on the screen, and what holds them together.

// Places of a group's members; null where its rows no longer stand together.
export function placedGroups(groups, order) {
  return groups.flatMap(([first, stop, name]) => {
    const places = order.flatMap((item, place) => (item >= first && item < stop ? [place] : []));
    const [low, high] = [Math.min(...places), Math.max(...places)];
    return places.length && high - low + 1 === places.length ? [[low, high + 1, String(name)]] : [];
  });
}

// Places of stronger lines: the ends of groups, else around blanks.
export function borders(groups, labels, order) {
  if (groups.length) return new Set(groups.flatMap(([first, stop]) => [first, stop]));
  return new Set(order.flatMap((item, place) => (labels[item] === " " ? [place, place + 1] : [])));
}

// The same items, the one at place `from` now at place `to`.
export function moved(order, from, to) {
  const next = [...order];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
