// What is wanted of each line of the report: bench/bars.json, by scenario.
import { readFileSync } from "node:fs";

/**
 * Of each scenario, its lines with `{ ratio }`, how many times better than the peer ours is at least, or `{ value }`, which is
 * the most of what is better when lower and the least of what is better when higher.
 */
export const kBars = JSON.parse(readFileSync(new URL("../bars.json", import.meta.url), "utf8"));

const kByLine = Object.assign({}, ...Object.values(kBars));

export const barOf = (line) => kByLine[line] ?? null;

/** The lines of a scenario that have a bar and are not among its results. */
export function unmeasured(scenario, rows) {
  return Object.keys(kBars[scenario] ?? {}).filter((line) => !rows.some((row) => row.scenario === line));
}
