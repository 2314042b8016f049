import type { TimelineRow } from "#sdk/records.js";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

/** How many of the rows that a turn folds are steps: the conversation says why one did not end well. */
export function stepCountOf(row: TurnRow): number {
  return row.stepCount ?? row.summaryCount;
}
