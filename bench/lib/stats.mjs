export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Three significant digits: more would be noise. */
export const round = (value) => Number(value.toPrecision(3));

/** How far apart the middle half of the values is, in per cent of the median. */
function spread(values) {
  return round((100 * (percentile(values, 0.75) - percentile(values, 0.25))) / (median(values) || 1));
}

/** Whether the bar is met; null without one. A number that is not there meets nothing. */
function meets({ ratio, value }, { better, ours, times }) {
  if (ratio !== undefined) {
    return times !== null && times >= ratio;
  }
  return better === "higher" ? ours >= value : ours <= value;
}

/**
 * One line of the report. `ratio` says how many times better ours is: above 1 we win, whether more or less of the unit
 * is better (`better`: "higher" or "lower"). Without a peer, `peer`, `peerName` and `ratio` are null. `bar` is what is
 * wanted: `{ ratio }` or `{ value }` at least, which is at most for a value that is better when lower. `use` is what both
 * sides took of the machine meanwhile.
 */
export function result({ scenario, unit, better, ours, peer = null, peerName = null, bar = null, spreadPercent = null, use = null }) {
  const times = peer === null ? null : better === "higher" ? ours / peer : peer / ours;
  return {
    scenario,
    ours: round(ours),
    peer: peer === null ? null : round(peer),
    peerName,
    ratio: times === null ? null : round(times),
    unit,
    better,
    bar,
    met: bar === null ? null : meets(bar, { better, ours, times }),
    spreadPercent,
    use,
  };
}

/** What a side took: resident memory, and the processor's time of an operation when its runs count `operations`. */
function useOf(runs) {
  if (runs[0]?.rssMiB === undefined) {
    return null;
  }
  const cpuUs = runs[0].operations === undefined ? null : round(median(runs.map((run) => (run.cpuMs * 1000) / run.operations)));
  return { cpuUs, rssMiB: round(median(runs.map((run) => run.rssMiB))) };
}

/** The line of one `member` of the runs that `inTurns` has collected: medians, their spread, and what both sides took. */
export function line(sides, { member, peerName = null, ...rest }) {
  const of = (side) => side.runs.map((run) => run[member]);
  const peer = sides.peer ?? null;
  return result({
    ...rest,
    ours: median(of(sides.ours)),
    peer: peer && median(of(peer)),
    peerName: peer && peerName,
    spreadPercent: { ours: spread(of(sides.ours)), peer: peer && spread(of(peer)) },
    use: { ours: useOf(sides.ours.runs), peer: peer && useOf(peer.runs) },
  });
}
