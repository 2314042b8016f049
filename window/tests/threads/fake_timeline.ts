import type { Timeline, TimelineRow } from "#sdk/records.js";

import type { StreamDelta, StreamFrame } from "@/threads/stream_frame";

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function rowBase(id: string, seq: number) {
  return { id, threadId: "t1", turnId: null, sourceSeqStart: seq, sourceSeqEnd: seq, startedAt: 1, createdAt: 1 };
}

export function assistantRow(id: string, seq: number, text: string, more: object = {}): TimelineRow {
  return {
    ...rowBase(id, seq),
    kind: "conversation",
    role: "assistant",
    text,
    attachments: null,
    turnRequest: null,
    itemId: `i-${id}`,
    ...more,
  };
}

export function userRow(id: string, seq: number, text: string, more: object = {}): TimelineRow {
  return {
    ...rowBase(id, seq),
    kind: "conversation",
    role: "user",
    text,
    initiator: "user",
    senderThreadId: null,
    mentions: [],
    attachments: null,
    turnRequest: { kind: "message", status: "accepted", isGrouped: false },
    systemMessageKind: "unlabeled",
    systemMessageSubject: null,
    ...more,
  };
}

export function commandRow(id: string, seq: number, output: string, more: object = {}): TimelineRow {
  return {
    ...rowBase(id, seq),
    itemId: `i-${id}`,
    kind: "work",
    workKind: "command",
    status: "pending",
    callId: id,
    command: "make",
    cwd: null,
    output,
    exitCode: null,
    source: null,
    approvalStatus: null,
    activityIntents: [],
    completedAt: null,
    ...more,
  };
}

export function timelineOf(rows: TimelineRow[], more: Partial<Timeline> = {}): Timeline {
  return {
    rows,
    maxSeq: Math.max(0, ...rows.map(({ sourceSeqEnd }) => sourceSeqEnd)),
    goal: null,
    pendingTodos: null,
    activeThinking: null,
    activePromptMode: null,
    activeWorkflows: [],
    activeBackgroundCommands: [],
    modelFallback: null,
    timelinePage: { kind: "latest", segmentLimit: 20, returnedSegmentCount: 1, hasOlderRows: false, olderCursor: null },
    hasOlderRows: false,
    ...more,
  };
}

interface Segment {
  rows: TimelineRow[];
}

/** A thread of the service by the contract: a log, the rows it projects, open items that stream, pages of segments. */
export class FakeTimeline {
  #segments: Segment[] = [];
  #seq = 0;
  #lastFrameSeq = 0;
  #deltas: StreamDelta[] = [];
  readonly #changedAt = new Map<string, number>();
  #number = 0;

  constructor(readonly segmentLimit = 3) {}

  get rows(): TimelineRow[] {
    return this.#segments.flatMap(({ rows }) => rows);
  }

  get openRows(): TimelineRow[] {
    return this.rows.filter((row) =>
      row.kind === "work"
        ? row.status === "pending"
        : row.kind === "conversation" && row.role === "assistant" && row.sourceSeqEnd === row.sourceSeqStart,
    );
  }

  #append(row: TimelineRow): void {
    this.#segments.at(-1)!.rows.push(row);
    this.#changedAt.set(row.id, this.#seq);
  }

  #replace(row: TimelineRow): void {
    const { rows } = this.#segments.find((segment) => segment.rows.some(({ id }) => id === row.id))!;
    rows[rows.findIndex(({ id }) => id === row.id)] = row;
  }

  ask(text = "a question"): void {
    this.openRows.forEach((row) => this.complete(row));
    this.#fold();
    this.#segments.push({ rows: [] });
    this.#append(userRow(`u${++this.#number}`, ++this.#seq, text));
  }

  /** What a finished segment becomes: its user row, a `turn` row, the last assistant text. */
  #fold(): void {
    const last = this.#segments.at(-1);
    if (last === undefined || last.rows.length < 3) {
      return;
    }
    const [first, ...others] = last.rows;
    const answer = others.findLast(({ kind }) => kind === "conversation");
    const folded = others.filter((row) => row !== answer);
    const turn: TimelineRow = {
      ...rowBase(`turn-${first!.id}`, folded[0]?.sourceSeqStart ?? this.#seq),
      sourceSeqEnd: ++this.#seq,
      kind: "turn",
      status: "completed",
      summaryCount: folded.length,
      completedAt: 2,
      children: null,
    };
    last.rows = [first!, turn, ...(answer === undefined ? [] : [answer])];
    this.#changedAt.set(turn.id, this.#seq);
  }

  start(kind: "text" | "output"): void {
    this.#seq += 1;
    const id = `r${++this.#number}`;
    this.#append(kind === "text" ? assistantRow(id, this.#seq, "") : commandRow(id, this.#seq, ""));
  }

  write(row: TimelineRow, text: string): void {
    const field = row.kind === "work" ? "output" : "text";
    const before = (row as unknown as Record<string, string>)[field]!;
    this.#deltas.push({ itemId: row.itemId!, field, offset: before.length, text });
    this.#replace({ ...row, [field]: before + text } as TimelineRow);
  }

  complete(row: TimelineRow, final?: string): void {
    this.#seq += 1;
    const field = row.kind === "work" ? "output" : "text";
    this.#replace({
      ...row,
      sourceSeqEnd: this.#seq,
      ...(final === undefined ? {} : { [field]: final }),
      ...(row.kind === "work" ? { status: "completed" } : {}),
    } as TimelineRow);
    this.#changedAt.set(row.id, this.#seq);
  }

  /** The next frame for subscribers; its deltas are joined or cut as `cut` says. */
  frame(cut: (delta: StreamDelta) => StreamDelta[] = (delta) => [delta]): StreamFrame {
    const hasEvents = this.#seq > this.#lastFrameSeq;
    const frame = {
      fromSeq: hasEvents ? this.#lastFrameSeq + 1 : this.#seq,
      throughSeq: this.#seq,
      deltas: this.#deltas.flatMap(cut),
    };
    this.#lastFrameSeq = this.#seq;
    this.#deltas = [];
    return frame;
  }

  answer(query: Record<string, unknown>): Timeline {
    const { afterSequence, beforeAnchorSeq, segmentLimit = this.segmentLimit } = query;
    const end =
      beforeAnchorSeq === undefined
        ? this.#segments.length
        : this.#segments.findIndex(({ rows }) => rows[0]!.sourceSeqStart === beforeAnchorSeq);
    const begin = Math.max(0, end - Number(segmentLimit));
    const rows = this.#segments.slice(begin, end).flatMap((segment) => segment.rows);
    const first = rows[0];
    const olderCursor = begin > 0 && first !== undefined ? { anchorSeq: first.sourceSeqStart, anchorId: first.id } : null;
    const page = timelineOf(structuredClone(rows), {
      maxSeq: this.#seq,
      hasOlderRows: begin > 0,
      timelinePage: {
        kind: beforeAnchorSeq === undefined ? "latest" : "older",
        segmentLimit: Number(segmentLimit),
        returnedSegmentCount: end - begin,
        hasOlderRows: begin > 0,
        olderCursor,
      },
    });
    if (afterSequence === undefined) {
      return page;
    }
    const open = new Set(this.openRows.map(({ id }) => id));
    const upsertRows = page.rows.filter(({ id }) => open.has(id) || this.#changedAt.get(id)! > Number(afterSequence));
    return { ...page, rows: [], delta: { upsertRows, rowOrder: page.rows.map(({ id }) => id) } };
  }
}
