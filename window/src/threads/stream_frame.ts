import type { JsonValue } from "#sdk/json.js";

/** Text that an open item has got. `offset` counts UTF-16 units of the field since the item's start. */
export interface StreamDelta {
  readonly itemId: string;
  readonly field: string;
  readonly offset: number;
  readonly text: string;
}

/** What `events-appended` says of the log, and of the items that are open. */
export interface StreamFrame {
  /** The durable events since the last frame; both the last known one when there are none. */
  readonly fromSeq: number;
  readonly throughSeq: number;
  readonly deltas: readonly StreamDelta[];
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function deltaOf(value: JsonValue): StreamDelta | undefined {
  const { itemId, field, offset, text } = (value ?? {}) as Partial<Record<keyof StreamDelta, unknown>>;
  return typeof itemId === "string" && typeof field === "string" && isCount(offset) && typeof text === "string"
    ? { itemId, field, offset, text }
    : undefined;
}

/** The frame in the metadata of a message; undefined when there is none that can be read. */
export function frameOf(metadata: JsonValue | undefined): StreamFrame | undefined {
  const { fromSeq, throughSeq, deltas } = (metadata ?? {}) as { fromSeq?: unknown; throughSeq?: unknown; deltas?: unknown };
  if (!isCount(fromSeq) || !isCount(throughSeq)) {
    return undefined;
  }
  const given = Array.isArray(deltas) ? (deltas as JsonValue[]) : [];
  return { fromSeq, throughSeq, deltas: given.flatMap((delta) => deltaOf(delta) ?? []) };
}
