// Values that are kept until one of their causes changes.

export const same = (a, b) => a.length === b.length && a.every((x, i) => Object.is(x, b[i]));

// once(name, causes, build): what `build` made, made again only when one of its causes is another. forget() keeps nothing.
export function memo() {
  let known = {};
  return {
    once(name, causes, build) {
      if (!known[name] || !same(known[name].causes, causes)) known[name] = { causes, value: build() };
      return known[name].value;
    },
    forget: () => (known = {}),
  };
}
