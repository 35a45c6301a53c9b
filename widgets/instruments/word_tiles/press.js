// What a press on a word makes of the hidden places; the one that was chosen last stands at the end.
export function pressed(hidden, place) {
  const others = hidden.filter((other) => other !== place);
  return hidden.at(-1) === place ? others : [...others, place];
}
