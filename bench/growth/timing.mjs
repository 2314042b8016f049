import { median } from "../lib/stats.mjs";

/** Milliseconds that `act` takes, the median of `times` runs. */
export async function medianMs(act, times = 9) {
  const took = [];
  for (let index = 0; index < times; ++index) {
    const started = performance.now();
    await act();
    took.push(performance.now() - started);
  }
  return median(took);
}
