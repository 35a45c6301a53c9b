// Numbers: limits, orders, arrays as they come from the kernel, places of labels.

export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
export const identity = (n) => Array.from({ length: n }, (_, i) => i);
export const isOrder = (order, n) =>
  order?.length === n && new Set(order).size === n && order.every((i) => i >= 0 && i < n);

// The cells [row, column] on the way from one to another, so that a fast hand leaves no gaps.
export function cellsBetween(from, to) {
  const steps = Math.max(1, Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
  return identity(steps + 1).map((i) =>
    from.map((start, axis) => Math.round(start + ((to[axis] - start) * i) / steps)),
  );
}

// The bytes of what comes from the kernel, a DataView or an array.
export const bytesOf = (data) => new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);

// An array trait arrives as { shape, data }; the bytes may start at an odd address, hence the copy.
export function floats(packed) {
  const view = packed.data instanceof DataView ? packed.data : new DataView(packed.data.buffer ?? packed.data);
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// Values as labels beside a picture, in their order, at least `gap` apart and inside [low, high].
export function spread(labels, low, high, gap = 16) {
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((l, i) => {
    l.y = Math.max(l.y, i ? labels[i - 1].y + gap : low);
  });
  for (let i = labels.length - 1, limit = high; i >= 0; i--, limit -= gap) labels[i].y = Math.min(labels[i].y, limit);
  return labels;
}
