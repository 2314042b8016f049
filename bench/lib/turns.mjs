// Both sides are measured in turns, so that what else the machine does meanwhile slows both.
import { metered } from "./meter.mjs";

/**
 * Adds `rounds` runs to each of `sides`: `{ ours: { pid, measure }, peer: { pid, measure } }`. A run is what `measure()`
 * resolves with, and what the server took meanwhile. `tell(run)` is its text for the log.
 */
export async function inTurns(sides, { rounds, log, tell }) {
  for (const side of Object.values(sides)) {
    side.runs = [];
  }
  for (let round = 1; round <= rounds; ++round) {
    for (const { pid, measure, runs } of Object.values(sides)) {
      runs.push(await metered(pid, measure));
    }
    log(
      `round ${round}: ${Object.values(sides)
        .map(({ runs }) => tell(runs.at(-1)))
        .join(" and ")}`,
    );
  }
  return sides;
}
