// Whether ratios to peers have fallen: a short run compared with bench/baseline.json. Ratios, because times are those of a machine.
import { median, round } from "./stats.mjs";

/** The lines that are guarded, by scenario: quick to measure. Those of wall time count only while nobody else uses the machine. */
export const kGuarded = {
  rpc_throughput: ["rpc_throughput", "rpc_throughput.cpu"],
  host_rpc: ["host_rpc", "host_rpc.cpu"],
  fanout: ["fanout_1000", "fanout_1000.cpu"],
  cli_latency: ["cli_latency", "cli_latency.cpu"],
  plugin_reload: ["plugin_reload", "plugin_reload.cpu"],
};

/** What a ratio keeps at least of the baseline's. */
const kLeastShare = 2 / 3;
const kRenew = "scripts/bench --guard --update-baseline";

/** Who shares the processor waits for it, but takes no more of it. */
const isOfProcessor = (line) => line.endsWith(".cpu");

/** The lines that say something now. */
const telling = (lines, isBusy) => lines.filter((line) => !isBusy || isOfProcessor(line));

/** How many times better ours is: the median over rounds, each compared with the one beside it, so that a slow minute counts for both. */
export function pairedRatio({ better, runs }) {
  return median(runs.ours.map((ours, index) => (better === "higher" ? ours / runs.peer[index] : runs.peer[index] / ours)));
}

/** The ratios of the guarded lines among the rows, by line. */
export function ratiosOf(rows) {
  const guarded = Object.values(kGuarded).flat();
  return Object.fromEntries(rows.filter((row) => guarded.includes(row.scenario)).map((row) => [row.scenario, pairedRatio(row)]));
}

/** Of these lines, those whose ratio fell by more than a third, or that were not measured. */
const fallenOf = (lines, ratios, baseline) =>
  lines.filter((line) => baseline[line] !== undefined && !(ratios[line] >= kLeastShare * baseline[line]));

/** The scenarios that have any of these lines. */
const scenariosOf = (lines) => Object.keys(kGuarded).filter((scenario) => kGuarded[scenario].some((line) => lines.includes(line)));

/**
 * Measures and compares: `measure(scenario)` resolves with the rows of a scenario, `isBusy()` with whether others use the machine. A
 * scenario that seems to have fallen is measured once more, and the better ratio counts: one side may have had a bad second.
 */
export async function guard({ measure, isBusy, baseline, scenarios = Object.keys(kGuarded), log }) {
  const lines = scenarios.flatMap((scenario) => kGuarded[scenario]);
  const ratios = {};
  const measureAll = async (names) => {
    for (const name of names) {
      for (const [line, ratio] of Object.entries(ratiosOf(await measure(name)))) {
        ratios[line] = Math.max(ratio, ratios[line] ?? ratio);
      }
    }
  };
  const wasBusy = await isBusy();
  await measureAll(scenarios);
  const suspects = fallenOf(telling(lines, wasBusy), ratios, baseline);
  if (suspects.length > 0) {
    log(`once more, because less than two thirds are left of ${suspects.join(", ")}`);
    await measureAll(scenariosOf(suspects));
  }
  const busy = wasBusy || (await isBusy());
  return {
    ratios,
    busy,
    fallen: fallenOf(telling(lines, busy), ratios, baseline),
    unknown: lines.filter((line) => baseline[line] === undefined),
  };
}

/** Some runs in a row make a baseline: the median ratio of each line; on a busy machine those of the processor's time only. */
export function baselineOf(all, isBusy) {
  const of = (line) => all.map((ratios) => ratios[line]).filter((ratio) => ratio !== undefined);
  const lines = telling(Object.values(kGuarded).flat(), isBusy).filter((line) => of(line).length > 0);
  return Object.fromEntries(lines.map((line) => [line, round(median(of(line)))]));
}

/** What is said at the end of a guard, and whether it fails. */
export function verdict({ ratios, busy, fallen, unknown }, baseline) {
  const lines = Object.entries(ratios).map(([line, ratio]) => {
    const before = baseline[line] === undefined ? "not in the baseline" : `${baseline[line]} times in the baseline`;
    const mark = fallen.includes(line) ? "  FALLEN" : busy && !isOfProcessor(line) ? "  told only" : "";
    return `  ${line.padEnd(20)} ${`${round(ratio)} times`.padEnd(12)} (${before})${mark}`;
  });
  const text = ["How many times better than its peer svc is:", ...lines];
  if (busy) {
    text.push("Others use this machine: only lines of the processor's time count.");
  }
  if (unknown.length > 0) {
    text.push(`Without a baseline: ${unknown.join(", ")}. On a machine at rest, ${kRenew} adds them to bench/baseline.json.`);
  }
  if (fallen.length > 0) {
    text.push(
      `error: fallen by more than a third, also when measured again: ${fallen.join(", ")}.`,
      `Where the time goes: scripts/bench ${scenariosOf(fallen).join(" ")} --profile`,
      `When the change is worth it, or the peer has become faster: ${kRenew}, and commit bench/baseline.json with the reason.`,
    );
  }
  return { text: text.join("\n"), failed: fallen.length > 0 };
}
