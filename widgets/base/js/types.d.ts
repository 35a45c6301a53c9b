// What the scripts know of their surroundings, for the type checker only.

declare module "*.css" {
  const text: string;
  export default text;
}

// What tests and other views may ask of an element of ours.
interface Element {
  readonly dataset: DOMStringMap;
  attnlab?: any;
}
