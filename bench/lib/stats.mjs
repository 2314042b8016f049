export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Three significant digits: more would be noise. */
export const round = (value) => Number(value.toPrecision(3));

/**
 * One line of the report. `ratio` says how many times better ours is: above 1 we win, whether more or less of the unit
 * is better (`better`: "higher" or "lower"). Without a peer, `peer`, `peerName` and `ratio` are null.
 */
export function result({ scenario, unit, better, ours, peer = null, peerName = null }) {
  const ratio = peer === null ? null : round(better === "higher" ? ours / peer : peer / ours);
  return { scenario, ours: round(ours), peer: peer === null ? null : round(peer), peerName, ratio, unit, better };
}
