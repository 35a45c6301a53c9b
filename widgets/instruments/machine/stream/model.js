// A model as a stream: its blocks, and in each what reads the stream and adds to it, out of the spec's nodes.
//
// Nodes stand in the order of the data; each makes a tensor (`tensorOf`). What stands before the first block makes the
// stream. Those of a block name it by `in`; a node of kind attention or feed_forward is a sublayer. A norm before it and
// a sum behind it: pre-norm; a norm behind the sum: post-norm; no sum: bare, without a residual connection. Nodes of
// kind head are held (`in`) by their attention, in order. An attention with `memory`, the name of a tensor, looks at that
// one. The stream behind a sublayer is what the sum or the norm makes.
// A box, of which nothing but its class is known, is a sublayer in a block; outside of blocks it stands on the line, like a
// block with this one part, or makes the stream, where it comes first.

import { tensorOf } from "../tensors.js";

const HEAD = "context, weights, scores = attend(q, k, v)"; // the line of code of each head

export const readStream = ({ spec, node }) => readStack(spec.nodes.slice(lastStack(spec.nodes)), node);

// The nodes of one stack, in their order; `node` finds the one of an id.
export function readStack(nodes, node) {
  const heads = (id) =>
    nodes.filter((one) => one.kind === "head" && one.in === id).map((one) => ({ line: HEAD, ...one }));
  const blocks = [];
  const first = nodes.findIndex(({ id }) => id);
  const isOnLine = (one) => one.kind === "box" && !one.in && one !== nodes[first];
  for (const one of nodes) {
    if (isOnLine(one)) blocks.push(alone(one));
    if (!one.in || !["attention", "feed_forward", "box", "norm", "sum"].includes(one.kind)) continue;
    let block = blocks.find(({ id }) => id === one.in);
    if (!block) blocks.push((block = { id: one.in, label: node(one.in)?.label ?? one.in, sublayers: [], norm: null }));
    place(block, one, heads);
  }
  for (const block of blocks) for (const sublayer of block.sublayers) settle(sublayer);
  const begin = nodes.slice(
    0,
    nodes.findIndex((one) => one.in || one.kind === "block" || isOnLine(one)),
  );
  const parts = begin.filter(({ kind }) => kind === "embed");
  const stream = begin.findLast(({ id }) => id);
  if (blocks[0]) blocks[0].before = stream ? tensorOf(stream) : `${blocks[0].id}/in`;
  blocks.slice(1).forEach((block, i) => (block.before = blocks[i].sublayers.at(-1).after));
  for (const { sublayers, before } of blocks)
    sublayers.forEach((one, i) => (one.before = i ? sublayers[i - 1].after : before));
  const last = (kind) => nodes.findLast((one) => one.kind === kind);
  return {
    parts: parts.filter((one) => one !== stream),
    made: begin.filter((one) => one.id && !["embed", "sum", "stream"].includes(one.kind)), // on the way to the stream
    stream,
    blocks,
    unembed: last("unembed"),
    word: last("word"),
  };
}

// Where the last stack begins, with its embeddings: what stands before it, such as an encoder, is a line from outside.
export function lastStack(nodes) {
  let at = nodes.findLastIndex(({ kind }) => kind === "embed");
  while (nodes[at - 1]?.kind === "embed") at--;
  return Math.max(0, at);
}

const alone = (box) => ({
  id: box.id,
  label: box.label,
  isBox: true,
  sublayers: [{ ...box, heads: [], norm: null, sum: null }],
});

function place(block, one, heads) {
  const last = block.sublayers.at(-1);
  if (one.kind === "sum") last.sum = one;
  else if (one.kind !== "norm") {
    block.sublayers.push({ ...one, heads: heads(one.id), norm: block.norm, sum: null });
    block.norm = null;
  } else if (last?.sum && !last.norm) last.norm = { ...one, isAfter: true };
  else block.norm = one;
}

// Where the norm stands, and which tensor is the stream behind it.
function settle(sublayer) {
  const { sum, norm } = sublayer;
  sublayer.place = !sum ? "bare" : norm?.isAfter ? "post" : "pre";
  const end = sublayer.place === "post" ? norm : (sum ?? sublayer);
  sublayer.after = tensorOf(end);
  sublayer.afterLine = end.line;
}
