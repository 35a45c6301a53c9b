// Between which numbers the metrics of a training are drawn.

function niceAbove(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([1, 2, 5].find((n) => n * power >= x * 0.999) ?? 10);
}

// The ends of an axis for metrics: 0 and 1 for shares; for what goes beyond them, such as losses, round numbers that leave
// little room unused, for a curve far from 0 would look flat.
export function metricsAxis(values) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  if (!values.length || (lowest >= 0 && highest <= 1)) return [0, 1];
  const step = niceAbove(Math.max(highest - lowest, Math.abs(highest) / 4, Math.abs(lowest) / 4) / 2);
  const ends = [Math.floor(lowest / step + 0.001), Math.ceil(highest / step - 0.001)];
  if (ends[0] === ends[1]) ends.splice(0, 2, ends[0] - 1, ends[1] + 1); // all values are one round number
  return ends.map((end) => Number((end * step).toPrecision(6)));
}
