// Arrays whose numbers `halved` of fewer_bytes.py has made two bytes each of: { shape, halves, power }.

import { bytesOf } from "./numbers.js";

// Those from one place up to another.
export function ofHalves({ halves, power }, from = 0, to = halves.byteLength / 2) {
  const high = halves.byteLength / 2; // all low bytes, then all high ones
  const bytes = bytesOf(halves);
  const [known, scale] = [allHalves(), 2 ** power];
  const numbers = new Float32Array(to - from);
  for (let i = from; i < to; i++) numbers[i - from] = known[bytes[i] | (bytes[high + i] << 8)] * scale;
  return numbers;
}

// The number that 16 bits stand for, of all that there are: a sign, 5 bits of a power of 2, 10 of a fraction.
/** @type {Float32Array | null} */
let halves = null;
function allHalves() {
  return (halves ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const [power, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = power ? 2 ** (power - 15) * (1 + fraction / 1024) : fraction * 2 ** -24;
    return (bits & 0x8000 ? -1 : 1) * (power < 31 ? size : fraction ? Number.NaN : Number.POSITIVE_INFINITY);
  }));
}
