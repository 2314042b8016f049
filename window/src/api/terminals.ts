import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";

import type { Terminal } from "#sdk/records.js";

import { createFollower, useFollow } from "./follow";
import { api } from "./http";
import { queryClient, queryKeys } from "./queries";

export type { Terminal };

/** How often terminals on screen are read, in milliseconds, for what nobody has announced. */
const kPollMs = 5000;
/** Milliseconds that the service may hold an answer back until there is output. */
const kOutputWaitMs = 25_000;
/** Milliseconds until a stroke of a key counts as not delivered. */
const kInputTimeoutMs = 15_000;

const at = (id: string, rest = "") => `/terminals/${encodeURIComponent(id)}${rest}`;

const terminalsQuery = queryOptions({
  queryKey: queryKeys.terminals,
  queryFn: async ({ signal }) => (await api<{ sessions: Terminal[] }>("GET", "/terminals", { signal })).sessions,
});

const follower = createFollower({ kind: "host-list" }, queryKeys.terminals, {
  isMine: (changes) => changes.includes("terminals-changed"),
});

/** Keeps terminals on screen true while the component is mounted. */
export function useFollowTerminals(): void {
  useFollow(follower);
}

/** All terminals of all machines. `enabled: false` shows what was fetched already. */
export function useTerminals({ enabled = true }: { enabled?: boolean } = {}): UseQueryResult<Terminal[]> {
  return useQuery({ ...terminalsQuery, enabled, refetchInterval: enabled ? kPollMs : false });
}

/** What a change answered, in the list at once; the list itself follows. */
function keep(terminal: Terminal): Terminal {
  queryClient.setQueryData<Terminal[]>(queryKeys.terminals, (known) => [...(known ?? []).filter(({ id }) => id !== terminal.id), terminal]);
  void queryClient.invalidateQueries({ queryKey: queryKeys.terminals });
  return terminal;
}

async function changing(path: string, body?: unknown): Promise<Terminal> {
  return keep((await api<{ terminal: Terminal }>("POST", path, body === undefined ? {} : { body })).terminal);
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Until it is drawn for the first time nobody knows how much room a terminal has. */
const kFirstSize = { cols: 80, rows: 24 };

/** A shell in a folder of a machine; `cwd` null is the home of its user. */
export const openTerminal = (hostId: string, cwd: string | null) =>
  changing("/terminals", { scope: { kind: "host_path", hostId, cwd }, ...kFirstSize });
/** A shell where a thread works. */
export const openThreadTerminal = (threadId: string) => changing("/terminals", { scope: { kind: "thread", threadId }, ...kFirstSize });

export const renameTerminal = (id: string, title: string) => changing(at(id, "/rename"), { title });
/** A new shell in the place of the old one, which ends; the answer has another id. */
export const restartTerminal = (id: string) => changing(at(id, "/restart"));
/** Without `isForced` a shell that runs something is left alone: `conflict`. */
export const closeTerminal = (id: string, isForced: boolean) => changing(at(id, "/close"), { mode: isForced ? "force" : "if-clean" });
export const resizeTerminal = (id: string, { cols, rows }: Size) => changing(at(id, "/resize"), { cols, rows });

export async function sendInput(id: string, dataBase64: string): Promise<void> {
  await api("POST", at(id, "/input"), { body: { dataBase64 }, timeoutMs: kInputTimeoutMs });
}

export interface TerminalOutput {
  chunks: { seq: number; dataBase64: string }[];
  /** What to ask for next. */
  nextSeq: number;
  /** Bytes before the first chunk are gone. */
  truncated: boolean;
}

/** What the terminal wrote from `since` on, as soon as there is something; null asks for all that is kept, at once. */
export function readOutput(id: string, since: number | null, signal: AbortSignal): Promise<TerminalOutput> {
  return api<TerminalOutput>("GET", at(id, "/output"), {
    query: since === null ? {} : { sinceSeq: since, waitMs: kOutputWaitMs },
    signal,
  });
}
