import { queryOptions, useInfiniteQuery, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import type { JsonValue } from "#sdk/json.js";
import type {
  InputBlock,
  Interaction,
  InteractionResolution,
  QueuedMessage,
  Thread,
  Timeline,
  TimelineCursor,
  TimelineRow,
} from "#sdk/records.js";
import type { PromptHistoryEntry, ThreadExecutionOptions, ThreadTab } from "#sdk/sdk_threads.js";
import type { ThreadEventOf } from "#sdk/thread_events.js";

import { randomId } from "@/lib/random_id";

import { createFollower } from "./follow";
import { api, type Query } from "./http";
import { queryClient } from "./queries";

const at = (threadId: string, rest = "") => `/threads/${encodeURIComponent(threadId)}${rest}`;
const interactionAt = (threadId: string, id: string, rest: string) => at(threadId, `/interactions/${encodeURIComponent(id)}/${rest}`);
const queuedAt = (threadId: string, id: string, rest = "") => at(threadId, `/queued-messages/${encodeURIComponent(id)}${rest}`);

const keys = {
  thread: (id: string) => ["thread", id, "record"],
  interactions: (id: string) => ["thread", id, "interactions"],
  queue: (id: string) => ["thread", id, "queue"],
  history: (id: string) => ["thread", id, "history"],
  options: (id: string) => ["thread", id, "options"],
} as const;

const threadQuery = (id: string) =>
  queryOptions({
    queryKey: keys.thread(id),
    queryFn: async ({ signal }) => (await api<{ thread: Thread }>("GET", at(id), { signal })).thread,
    retry: false,
  });

/** One thread, archived and hidden ones too. `enabled: false` shows what was fetched already. */
export function useThread(id: string, { enabled = true } = {}): UseQueryResult<Thread> {
  return useQuery({ ...threadQuery(id), enabled }, queryClient);
}

interface ThreadTabs {
  revision: number;
  tabs: ThreadTab[];
}

/** The tabs beside a thread. */
export const fetchThreadTabs = (id: string, signal: AbortSignal): Promise<ThreadTabs> => api("GET", at(id, "/tabs"), { signal });

/** `conflict` when they are at another revision. */
export const saveThreadTabs = (id: string, expectedRevision: number, tabs: readonly ThreadTab[]): Promise<ThreadTabs> =>
  api("PUT", at(id, "/tabs"), { body: { expectedRevision, tabs } });

/** What waits for an answer in a thread, oldest first. */
export function useInteractions(id: string): UseQueryResult<Interaction[]> {
  return useQuery(interactionsQuery(id), queryClient);
}

export const interactionsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.interactions(id),
    queryFn: async ({ signal }) => (await api<{ interactions: Interaction[] }>("GET", at(id, "/interactions"), { signal })).interactions,
  });

export interface AskedChange {
  path: string;
  kind: "add" | "delete" | "update";
  movePath: string | null;
  /** A patch; null where the agent does not say what changes, or the log does not keep it. */
  diff: string | null;
}

/** Of the newest items of a thread, how many are looked at: what somebody is asked about has just begun. */
const kNewestItems = 100;

function changesOf({ data: { item } }: ThreadEventOf<"item/started">): AskedChange[] {
  return item.type !== "fileChange"
    ? []
    : item.changes.map(({ path, kind, movePath = null, diff = null }) => ({ path, kind, movePath, diff: diff === "" ? null : diff }));
}

/** The files that an item which waits for an answer would change, as the log has it. */
export function useAskedChanges(threadId: string, itemId: string, interactionId: string): UseQueryResult<AskedChange[]> {
  return useQuery(
    {
      // Not below the thread's key: what is asked stays what it is.
      queryKey: ["thread-asked", threadId, interactionId],
      queryFn: async ({ signal }) => {
        const query = { types: "item/started", order: "desc", limit: kNewestItems };
        const { events } = await api<{ events: ThreadEventOf<"item/started">[] }>("GET", at(threadId, "/events"), { query, signal });
        const found = events.find(({ data }) => data.item.id === itemId);
        return found === undefined ? [] : changesOf(found);
      },
      staleTime: Number.POSITIVE_INFINITY,
    },
    queryClient,
  );
}

/** Messages that wait to be sent, in their order. */
export function useQueue(id: string): UseQueryResult<QueuedMessage[]> {
  return useQuery(
    {
      queryKey: keys.queue(id),
      queryFn: async ({ signal }) =>
        (await api<{ queuedMessages: QueuedMessage[] }>("GET", at(id, "/queued-messages"), { signal })).queuedMessages,
    },
    queryClient,
  );
}

/** What the next turn uses. */
export function useThreadOptions(id: string): UseQueryResult<ThreadExecutionOptions | null> {
  return useQuery(
    {
      queryKey: keys.options(id),
      queryFn: async ({ signal }) =>
        (await api<{ options: ThreadExecutionOptions | null }>("GET", at(id, "/default-execution-options"), { signal })).options,
    },
    queryClient,
  );
}

/** The user's messages, newest first. */
export async function fetchHistory(id: string): Promise<PromptHistoryEntry[]> {
  return queryClient.fetchQuery({
    queryKey: keys.history(id),
    queryFn: async ({ signal }) => (await api<{ entries: PromptHistoryEntry[] }>("GET", at(id, "/prompt-history"), { signal })).entries,
  });
}

const kRecordChanges = new Set([
  "status-changed",
  "title-changed",
  "archived-changed",
  "pin-state-changed",
  "parent-changed",
  "environment-changed",
  "read-state-changed",
  "thread-deleted",
  "interactions-changed",
]);

/** Keeps a thread's record, questions and queue true while the component is mounted; its timeline follows itself. */
export function useFollowThread(id: string): void {
  const followers = useMemo(() => {
    const target = { kind: "thread-detail", threadId: id } as const;
    const of = (queryKey: readonly string[], isMine: (change: string) => boolean) =>
      createFollower(target, queryKey, { isMine: (changes) => changes.some(isMine) });
    return [
      of(keys.thread(id), (change) => kRecordChanges.has(change)),
      of(keys.interactions(id), (change) => change === "interactions-changed"),
      of(keys.queue(id), (change) => change === "queue-changed"),
    ];
  }, [id]);
  useEffect(() => {
    const stops = followers.map((follower) => follower.follow());
    return () => stops.forEach((stop) => stop());
  }, [followers]);
}

export async function fetchTimeline(threadId: string, query: Query, signal: AbortSignal): Promise<Timeline> {
  return api<Timeline>("GET", at(threadId, "/timeline"), { query, signal });
}

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

/** Events that end a turn; those of agents within one are among them. */
const kTurnEnds = "client/turn/rejected,turn/completed";
/** Of agents within one turn, how many may end before it. */
const kMaxEnds = 100;

/** How a turn ended that did not end well. */
export interface TurnEnd {
  /** `thread-stopped`, `unauthorized`, …; null when nothing says. */
  readonly code: string | null;
  readonly message: string;
}

type TurnEndEvent = ThreadEventOf<"turn/completed" | "client/turn/rejected">;

function turnEndOf({ type, data }: TurnEndEvent): TurnEnd | null {
  const { code = null, message = "" } = type === "client/turn/rejected" ? { code: data.reason, message: data.message } : (data.error ?? {});
  return message === "" && code === null ? null : { code, message };
}

/** Turns of subagents end within the one that they belong to. */
const isOwnEnd = ({ type, data }: TurnEndEvent): boolean => type === "client/turn/rejected" || (data.parentToolCallId ?? null) === null;

/** What the log says of the end of a turn; null when it says nothing but that it ended. */
export function useTurnEnd({ id, threadId, sourceSeqStart }: TurnRow, { enabled }: { enabled: boolean }): UseQueryResult<TurnEnd | null> {
  return useQuery(
    {
      queryKey: ["thread-turn", threadId, id, "end"],
      queryFn: async ({ signal }) => {
        const query = { afterSeq: sourceSeqStart - 1, types: kTurnEnds, limit: kMaxEnds };
        const { events } = await api<{ events: TurnEndEvent[] }>("GET", at(threadId, "/events"), { query, signal });
        const end = events.find(isOwnEnd);
        return end === undefined ? null : turnEndOf(end);
      },
      enabled,
      // A turn that has ended stays what it is.
      staleTime: Number.POSITIVE_INFINITY,
    },
    queryClient,
  );
}

/** The newest rows of a turn, and where older ones end; null without any. */
interface TurnRows {
  readonly rows: readonly TimelineRow[];
  readonly olderSeqEnd: number | null;
}

/** Of pages that come newest first. What was begun on one and ended on a newer one is as that says. */
function rowsOf(pages: readonly TurnRows[]): readonly TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  for (const row of [...pages].reverse().flatMap((page) => page.rows)) {
    rows.set(row.id, row);
  }
  return [...rows.values()];
}

/**
 * What the row of a turn folds. One that never began has no id to ask for: the page of the timeline that ends where the next request
 * begins is it.
 */
export function useTurnRows({ id, threadId, turnId, sourceSeqStart, sourceSeqEnd, children }: TurnRow, next: TimelineCursor | null) {
  return useInfiniteQuery(
    {
      queryKey: ["thread-turn", threadId, id, sourceSeqStart, sourceSeqEnd],
      initialPageParam: sourceSeqEnd,
      queryFn: async ({ signal, pageParam }): Promise<TurnRows> => {
        if (turnId !== null) {
          const query = { sourceSeqStart, sourceSeqEnd: pageParam };
          return api<TurnRows>("GET", at(threadId, `/timeline/turns/${encodeURIComponent(turnId)}`), { query, signal });
        }
        const cursor = next === null ? {} : { beforeAnchorSeq: next.anchorSeq, beforeAnchorId: next.anchorId };
        const { rows } = await fetchTimeline(threadId, { includeNestedRows: true, segmentLimit: 1, ...cursor }, signal);
        const turn = rows.find((row): row is TurnRow => row.kind === "turn" && row.id === id);
        if (!turn?.children) {
          throw new Error("The thread has gone on in the meantime. Try again.");
        }
        return { rows: turn.children, olderSeqEnd: null };
      },
      getNextPageParam: ({ olderSeqEnd }) => olderSeqEnd,
      select: ({ pages }) => rowsOf(pages),
      enabled: children === null,
      staleTime: Number.POSITIVE_INFINITY,
    },
    queryClient,
  );
}

/** Where the thread's own files are. */
export async function fetchStorageLocation(threadId: string, signal: AbortSignal): Promise<{ storageRootPath: string; hostId: string }> {
  return api("GET", at(threadId, "/storage-location"), { signal });
}

// --- Changes. The service announces them too; what is on screen does not wait for that.

async function changing<T>(threadId: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    void queryClient.invalidateQueries({ queryKey: ["thread", threadId] });
    void queryClient.invalidateQueries({ queryKey: ["threads"] });
  }
}

export interface SendMessage {
  input: InputBlock[];
  mode: "auto" | "steer-if-active";
  model?: string;
  reasoningLevel?: string;
  permissionMode?: string;
}

export async function sendMessage(threadId: string, message: SendMessage): Promise<void> {
  await changing(threadId, api("POST", at(threadId, "/send"), { body: message }));
}

export async function stopThread(threadId: string): Promise<void> {
  await changing(threadId, api("POST", at(threadId, "/stop"), { body: {} }));
}

/** Asks the latest failed or stopped turn again. */
export async function retryThread(threadId: string): Promise<void> {
  await changing(threadId, api("POST", at(threadId, "/retry"), { body: { turnRequestId: null } }));
}

export async function forkThread(sourceThreadId: string, sourceSeqEnd: number): Promise<Thread> {
  return (await changing(sourceThreadId, api<{ thread: Thread }>("POST", "/threads/fork", { body: { sourceThreadId, sourceSeqEnd } })))
    .thread;
}

/** Replaces the last message; refused where the agent cannot go back. */
export async function editMessage(threadId: string, input: InputBlock[]): Promise<void> {
  await changing(threadId, api("POST", at(threadId, "/edit-message"), { body: { operationId: randomId(), input } }));
}

/** Everything up to now has been seen. Nothing is lost when it does not arrive. */
export async function markRead(threadId: string): Promise<void> {
  await changing(threadId, api("POST", at(threadId, "/mark-read"), { body: {} })).catch(() => undefined);
}

export async function unarchiveThread(threadId: string): Promise<void> {
  await changing(threadId, api("POST", at(threadId, "/unarchive"), { body: {} }));
}

export async function resolveInteraction({ threadId, id }: Interaction, resolution: InteractionResolution): Promise<void> {
  await changing(threadId, api("POST", interactionAt(threadId, id, "resolve"), { body: { resolution } }));
}

export async function respondInteraction(threadId: string, id: string, value: JsonValue): Promise<void> {
  await changing(threadId, api("POST", interactionAt(threadId, id, "respond"), { body: { value } }));
}

export async function cancelInteraction(threadId: string, id: string): Promise<void> {
  await changing(threadId, api("POST", interactionAt(threadId, id, "cancel"), { body: {} }));
}

/** How one was answered that is not waited for any more. */
export async function fetchInteraction({ threadId, id }: Interaction): Promise<Interaction> {
  return (await api<{ interaction: Interaction }>("GET", at(threadId, `/interactions/${encodeURIComponent(id)}`))).interaction;
}

export async function removeQueued({ threadId, id }: QueuedMessage): Promise<void> {
  await changing(threadId, api("DELETE", queuedAt(threadId, id)));
}

/** Refused when somebody else changed it in between. */
export async function changeQueued({ threadId, id, updatedAt }: QueuedMessage, input: InputBlock[]): Promise<void> {
  await changing(threadId, api("PATCH", queuedAt(threadId, id), { body: { input, expectedUpdatedAt: updatedAt } }));
}

export interface QueuePlace {
  /** Neighbours of each other by now; null is the beginning or the end. */
  previousQueuedMessageId: string | null;
  nextQueuedMessageId: string | null;
  /** The last of those that are sent as one afterwards, null for none; absent when no group is there. */
  groupBoundaryQueuedMessageId?: string | null;
}

export async function reorderQueued({ threadId, id }: QueuedMessage, place: QueuePlace): Promise<void> {
  await changing(threadId, api("POST", queuedAt(threadId, id, "/reorder"), { body: place }));
}

/** Sends the first ones as one message; refused when others are the first by now. With none, each is sent on its own. */
export async function groupQueued(threadId: string, first: readonly QueuedMessage[]): Promise<void> {
  const ids = first.map(({ id }) => id);
  const body = { groupBoundaryQueuedMessageId: ids.at(-1) ?? null, expectedGroupedPrefixQueuedMessageIds: ids };
  await changing(threadId, api("POST", at(threadId, "/queued-messages/group-boundary"), { body }));
}

export async function sendQueued({ threadId, id }: QueuedMessage, mode: "auto" | "steer"): Promise<void> {
  await changing(threadId, api("POST", queuedAt(threadId, id, "/send"), { body: { mode } }));
}
