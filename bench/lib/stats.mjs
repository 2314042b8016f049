import { barOf } from "./bars.mjs";

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

/** The values between which the middle half lies. */
export const middleHalf = (values) => [percentile(values, 0.25), percentile(values, 0.75)];

/** How far apart the middle half of the values is, in per cent of the median; null when there is only one. */
export function spread(values) {
  if (values.length < 2) {
    return null;
  }
  const [from, to] = middleHalf(values);
  return round((100 * (to - from)) / (Math.abs(median(values)) || 1));
}

/** Whether the bar is met; null without one. A number that is not there meets nothing. */
function meets({ ratio, value }, { better, ours, times }) {
  if (ratio !== undefined) {
    return times !== null && times >= ratio;
  }
  return better === "higher" ? ours >= value : ours <= value;
}

/** What a side took: resident memory, and the processor's time of an operation where its runs tell it. */
function useOf(runs) {
  const of = (member) => {
    const told = runs.map((run) => run[member]).filter((value) => value != null);
    return told.length === 0 ? null : round(median(told));
  };
  const use = { cpuUs: of("cpuUs"), rssMiB: of("rssMiB") };
  return use.cpuUs === null && use.rssMiB === null ? null : use;
}

/**
 * One line of the report: of one `member` of the runs of each side, as `inTurns` collects them, what `take` makes of them (the
 * median), how far apart they are, and what both sides took meanwhile. `ratio` says how many times better ours is: above 1 we win,
 * whether more or less of the unit is better (`better`: "higher" or "lower"). Without a peer, `peer`, `peerName` and `ratio` are
 * null. What is wanted of it is in bench/bars.json. `useOf` names whose processor and memory the runs tell.
 */
export function line(sides, { scenario, member, unit, better, peerName = null, take = median, useOf: whose = "server" }) {
  const valuesOf = (side) => side.runs.map((run) => run[member]);
  const values = { ours: valuesOf(sides.ours), peer: sides.peer ? valuesOf(sides.peer) : null };
  const [ours, peer] = [take(values.ours), values.peer && take(values.peer)];
  // None of something is no number to compare with.
  const times = !peer || !ours ? null : better === "higher" ? ours / peer : peer / ours;
  const bar = barOf(scenario);
  return {
    scenario,
    ours: round(ours),
    peer: peer === null ? null : round(peer),
    peerName: values.peer && peerName,
    ratio: times === null ? null : round(times),
    unit,
    better,
    bar,
    met: bar === null ? null : meets(bar, { better, ours, times }),
    spreadPercent: { ours: spread(values.ours), peer: values.peer && spread(values.peer) },
    runs: { ours: values.ours.map(round), peer: values.peer && values.peer.map(round) },
    use: { of: whose, ours: useOf(sides.ours.runs), peer: sides.peer ? useOf(sides.peer.runs) : null },
  };
}
