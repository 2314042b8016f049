import type { QueuedMessage } from "#sdk/records.js";

import type { QueuePlace } from "@/api/threads";

type Row = Pick<QueuedMessage, "id" | "groupWithNext">;

/** How many of the first messages are sent as one; 0 when each is sent on its own. */
export function groupLength(rows: readonly Row[]): number {
  const end = rows.findIndex(({ groupWithNext }) => !groupWithNext);
  return end <= 0 ? 0 : end + 1;
}

/** Where a message goes that moves by one. What leaves the group that is sent as one is out of it, what comes into it is in. */
export function placeAfter(rows: readonly Row[], index: number, by: -1 | 1): QueuePlace {
  const moved = rows[index]!;
  const others = rows.filter(({ id }) => id !== moved.id);
  const to = index + by;
  const order = [...others.slice(0, to), moved, ...others.slice(to)];
  const place = { previousQueuedMessageId: order[to - 1]?.id ?? null, nextQueuedMessageId: order[to + 1]?.id ?? null };
  const length = groupLength(rows);
  if (length === 0) {
    return place;
  }
  const after = length + Number(to < length) - Number(index < length);
  return { ...place, groupBoundaryQueuedMessageId: after < 2 ? null : order[after - 1]!.id };
}
