// Patches of an image in another order: place i of the grid shows patch order[i].

// The same order, the patches at two places exchanged.
export function exchanged(order, a, b) {
  const next = [...order];
  [next[a], next[b]] = [next[b], next[a]];
  return next;
}

// place -> patch turned round: patch -> place.
export function placesOf(order) {
  const places = new Array(order.length);
  order.forEach((patch, place) => {
    places[patch] = place;
  });
  return places;
}

export const isHome = (order) => order.every((patch, place) => patch === place);
