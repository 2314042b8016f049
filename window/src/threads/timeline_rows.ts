import type { Timeline, TimelineCursor, TimelineRow } from "#sdk/records.js";

import { GrowingText } from "@/lib/growing_text";
import type { StreamDelta, StreamFrame } from "./stream_frame";

/** UTF-16 units of deltas that wait for their row; with more they are dropped, and the next answer has their text. */
const kMaxHeld = 1_000_000;

/** What changed, for whoever shows it. */
export interface RowChanges {
  /** Rows with other content than before, the streamed ones too. */
  readonly rows: ReadonlySet<string>;
  readonly isOrderChanged: boolean;
  /** Something was missed that only the service knows. */
  readonly needsFetch: boolean;
}

interface HeldDelta extends StreamDelta {
  readonly throughSeq: number;
}

/** The field of deltas that a row's text comes from; null for rows that do not stream. */
function streamFieldOf(row: TimelineRow): "text" | "output" | "reasoning" | null {
  if (row.kind === "conversation") {
    return row.role === "assistant" ? "text" : null;
  }
  if (row.kind !== "work") {
    return null;
  }
  switch (row.workKind) {
    case "command":
    case "tool":
    case "delegation":
      return "output";
    case "plan":
      return "text";
    case "reasoning":
      return "reasoning";
    default:
      return null;
  }
}

/** What the row holds of the text that streams into it. */
export function streamedMember(row: TimelineRow): string {
  const { text, output } = row as { text?: unknown; output?: unknown };
  return typeof output === "string" ? output : typeof text === "string" ? text : "";
}

/** Whether its item can still get text. A message says so by having no event after that of its start. */
function isOpen(row: TimelineRow): boolean {
  return row.kind === "work" ? row.status === "pending" : row.sourceSeqEnd === row.sourceSeqStart;
}

/** Whether a turn begins with it; what is sent into a running one does not begin another. */
const isRequest = (row: TimelineRow): boolean => row.kind === "conversation" && row.role === "user" && row.turnRequest.kind === "message";

/**
 * The rows of one thread's timeline by id, and what streams into them. The service projects the log; here its answers and the frames
 * of the socket meet, in whatever order and however often they come. Knows neither React nor the network.
 */
export class TimelineRows {
  readonly #rows = new Map<string, TimelineRow>();
  /** Of rows that are drawn, or that stream: of the thousands that are neither, none is made. */
  readonly #texts = new Map<string, GrowingText>();
  /** Of rows that stream, by their items. */
  readonly #rowOfItem = new Map<string, string>();
  #order: readonly string[] = [];
  #held: HeldDelta[] = [];
  #heldLength = 0;
  #maxSeq = 0;
  #older: TimelineCursor | null = null;

  /** Ids, oldest first; another list after each change. */
  get order(): readonly string[] {
    return this.#order;
  }

  /** The last event of the log that the rows know of. */
  get maxSeq(): number {
    return this.#maxSeq;
  }

  /** Where the page before the first row ends; null when there is none. */
  get olderCursor(): TimelineCursor | null {
    return this.#older;
  }

  row(id: string): TimelineRow | undefined {
    return this.#rows.get(id);
  }

  /** The text of a row that streams; another object when it was replaced. */
  text(id: string): GrowingText | undefined {
    const known = this.#texts.get(id);
    const row = this.#rows.get(id);
    if (known !== undefined || row === undefined || streamFieldOf(row) === null) {
      return known;
    }
    const text = new GrowingText(streamedMember(row));
    this.#texts.set(id, text);
    return text;
  }

  /** Whether text can still come in. */
  isStreaming(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && streamFieldOf(row) !== null && isOpen(row);
  }

  /** The row of a message by an event of it, or the row that folds that message; null where neither is there. */
  rowAt(seq: number): TimelineRow | null {
    const around = this.#order.map((id) => this.#rows.get(id)!).filter((row) => row.sourceSeqStart <= seq && seq <= row.sourceSeqEnd);
    // Messages that were written at the same time lie around each other's events, and a turn around those of all.
    const message = around.find((row) => row.kind === "conversation" && (row.sourceSeqStart === seq || row.sourceSeqEnd === seq));
    return message ?? around.findLast(({ kind }) => kind === "turn") ?? around.at(-1) ?? null;
  }

  /** The rows of the same turn request that come after one; empty for one that is not there. */
  restOfSegment(id: string): TimelineRow[] {
    const begin = this.#order.indexOf(id) + 1;
    const end = this.#requestFrom(begin);
    return begin === 0 ? [] : this.#order.slice(begin, end).map((other) => this.#rows.get(other)!);
  }

  /** Where the next turn request after a row begins; null when there is none. */
  nextRequest(id: string): TimelineCursor | null {
    const begin = this.#order.indexOf(id) + 1;
    const next = begin === 0 ? undefined : this.#rows.get(this.#order[this.#requestFrom(begin)] ?? "");
    return next === undefined ? null : { anchorSeq: next.sourceSeqStart, anchorId: next.id };
  }

  /** The row of the finished turn that ends with this row; null where none does. */
  turnEndedBy(id: string): (TimelineRow & { kind: "turn" }) | null {
    const end = this.#order.indexOf(id);
    if (end === -1 || this.#requestFrom(end + 1) !== end + 1) {
      return null;
    }
    for (let at = end; at >= 0; at -= 1) {
      const row = this.#rows.get(this.#order[at]!)!;
      if (row.kind === "turn") {
        return row;
      }
      if (isRequest(row)) {
        break;
      }
    }
    return null;
  }

  /** The row of the turn that the last request led to; null while that is not over. */
  lastTurn(): (TimelineRow & { kind: "turn" }) | null {
    const last = this.#order.at(-1);
    return last === undefined ? null : this.turnEndedBy(last);
  }

  /** What is done now before the agent begins; null when nothing is. */
  stepUnderWay(): string | null {
    const last = this.#order.length === 0 ? undefined : this.#rows.get(this.#order.at(-1)!);
    const isUnderWay = last?.kind === "system" && last.operationKind === "thread-provisioning" && last.status === "pending";
    return isUnderWay ? (last.detail?.split("\n").at(-1) ?? null) : null;
  }

  /** The place of the next turn request, from one on; the end when there is none. */
  #requestFrom(begin: number): number {
    let at = begin;
    while (at < this.#order.length && !isRequest(this.#rows.get(this.#order[at]!)!)) {
      at += 1;
    }
    return at;
  }

  /** The latest page in place of all there is. */
  reset(page: Timeline): RowChanges {
    const before = new Set(this.#order);
    const ids = new Set(page.rows.map(({ id }) => id));
    for (const id of before) {
      if (!ids.has(id)) {
        this.#forget(id);
      }
    }
    const changed = new Set<string>(before);
    for (const row of page.rows) {
      this.#put(row);
      changed.add(row.id);
    }
    this.#order = page.rows.map(({ id }) => id);
    this.#maxSeq = page.maxSeq;
    this.#older = page.timelinePage.olderCursor;
    return { rows: changed, isOrderChanged: true, needsFetch: this.#applyHeld(changed) };
  }

  /** A page of older rows. One for another cursor than the present one was asked for before something changed, and is left. */
  prepend(page: Timeline, cursor: TimelineCursor): RowChanges {
    const rows = new Set<string>();
    if (this.#older?.anchorId !== cursor.anchorId || this.#older.anchorSeq !== cursor.anchorSeq) {
      return { rows, isOrderChanged: false, needsFetch: false };
    }
    const added = page.rows.filter(({ id }) => !this.#rows.has(id));
    for (const row of added) {
      this.#put(row);
      rows.add(row.id);
    }
    this.#order = [...added.map(({ id }) => id), ...this.#order];
    this.#older = page.timelinePage.olderCursor;
    return { rows, isOrderChanged: added.length > 0, needsFetch: false };
  }

  /** The answer to `afterSequence`. Null when it does not reach back to what is known: then only a whole page helps. */
  update(page: Timeline): RowChanges | null {
    const { upsertRows, rowOrder } = page.delta ?? { upsertRows: page.rows };
    if (page.maxSeq < this.#maxSeq) {
      return null;
    }
    const incoming = new Map(upsertRows.map((row) => [row.id, row]));
    const order = rowOrder === undefined ? this.#order : this.#mergeOrder(rowOrder, incoming);
    if (order === null || upsertRows.some(({ id }) => rowOrder === undefined && !this.#rows.has(id))) {
      return null;
    }
    const rows = new Set<string>();
    const kept = new Set(order);
    for (const id of rowOrder === undefined ? [] : this.#order) {
      if (!kept.has(id)) {
        this.#forget(id);
        rows.add(id);
      }
    }
    for (const row of upsertRows) {
      this.#put(row);
      rows.add(row.id);
    }
    const isOrderChanged = order !== this.#order;
    this.#order = order;
    this.#maxSeq = page.maxSeq;
    return { rows, isOrderChanged, needsFetch: this.#applyHeld(rows) };
  }

  /** The order of the latest page behind the rows that are older than it. */
  #mergeOrder(latest: readonly string[], incoming: ReadonlyMap<string, TimelineRow>): readonly string[] | null {
    const first = latest[0];
    if (first === undefined) {
      return [];
    }
    const known = (id: string) => incoming.get(id) ?? this.#rows.get(id);
    const start = known(first)?.sourceSeqStart;
    if (start === undefined || latest.some((id) => known(id) === undefined)) {
      return null;
    }
    const ids = new Set(latest);
    const older = this.#order.filter((id) => !ids.has(id) && this.#rows.get(id)!.sourceSeqStart < start);
    const touches = older.length === this.#order.length && this.#order.length > 0 ? latest.some((id) => this.#rows.has(id)) : true;
    return touches ? [...older, ...latest] : null;
  }

  /** What the socket says. Frames that come late, twice or not at all change nothing that an answer does not put right. */
  frame({ fromSeq, throughSeq, deltas }: StreamFrame): RowChanges {
    const rows = new Set<string>();
    let needsFetch = throughSeq > this.#maxSeq || fromSeq > this.#maxSeq + 1;
    for (const delta of deltas) {
      if (!this.#apply({ ...delta, throughSeq }, rows)) {
        this.#hold({ ...delta, throughSeq });
        needsFetch = true;
      }
    }
    return { rows, isOrderChanged: false, needsFetch };
  }

  /** False when it must wait for an answer. */
  #apply({ itemId, field, offset, text, throughSeq }: HeldDelta, changed: Set<string>): boolean {
    const id = this.#rowOfItem.get(itemId);
    const row = id === undefined ? undefined : this.#rows.get(id);
    if (id === undefined || row === undefined || streamFieldOf(row) !== field) {
      // The item began at an event up to `throughSeq`: when that is known and there is no row, the item has none.
      return throughSeq <= this.#maxSeq;
    }
    if (!isOpen(row)) {
      // A row that has ended is what its last event says, whatever comes late.
      return true;
    }
    const known = this.text(id)!;
    if (offset > known.length) {
      return false;
    }
    const added = text.slice(known.length - offset);
    if (added !== "") {
      known.append(added);
      changed.add(id);
    }
    return true;
  }

  #hold(delta: HeldDelta): void {
    this.#heldLength += delta.text.length;
    if (this.#heldLength > kMaxHeld) {
      this.#held = [];
      this.#heldLength = 0;
      return;
    }
    this.#held.push(delta);
  }

  /** Whether one of them still waits. */
  #applyHeld(changed: Set<string>): boolean {
    const waiting = this.#held.sort((a, b) => a.offset - b.offset);
    this.#held = [];
    this.#heldLength = 0;
    for (const delta of waiting) {
      if (!this.#apply(delta, changed)) {
        this.#hold(delta);
      }
    }
    return this.#held.length > 0;
  }

  #put(row: TimelineRow): void {
    this.#rows.set(row.id, row);
    if (streamFieldOf(row) === null) {
      return;
    }
    if (row.itemId !== undefined) {
      this.#rowOfItem.set(row.itemId, row.id);
    }
    const known = this.#texts.get(row.id);
    if (known === undefined) {
      return;
    }
    const fetched = streamedMember(row);
    // The answer may be older than what has streamed since; both are beginnings of the same text.
    const isBehind = isOpen(row) && known.length >= fetched.length && known.toString().startsWith(fetched);
    if (!isBehind) {
      this.#replaceText(row.id, known, fetched);
    }
  }

  /** Keeps the object when the text only grew, so that what is drawn of it stays. */
  #replaceText(id: string, known: GrowingText, fetched: string): void {
    if (fetched.length >= known.length && fetched.startsWith(known.toString())) {
      known.append(fetched.slice(known.length));
    } else {
      this.#texts.set(id, new GrowingText(fetched));
    }
  }

  #forget(id: string): void {
    const itemId = this.#rows.get(id)?.itemId;
    if (itemId !== undefined && this.#rowOfItem.get(itemId) === id) {
      this.#rowOfItem.delete(itemId);
    }
    this.#rows.delete(id);
    this.#texts.delete(id);
  }
}
