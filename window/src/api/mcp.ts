import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import { api } from "./http";
import { queryClient, queryKeys } from "./queries";

/** `GET /mcp/tokens`. Times are epoch milliseconds. */
export interface McpToken {
  id: string;
  name: string;
  /** Whether it is for `plugins` and `tools` only. */
  restricted: boolean;
  plugins: string[];
  tools: string[];
  createdAt: number;
  lastUsedAt: number | null;
}

/** A program that the endpoint has heard of lately. */
export interface McpClient {
  id: number;
  name: string | null;
  version: string | null;
  /** Of the protocol. */
  revision: string | null;
  transport: "http" | "stdio";
  token: string | null;
  threadId: string | null;
  since: number;
  lastSeenAt: number;
  lastCallAt: number | null;
  calls: number;
  streams: number;
}

export type McpOutcome = "running" | "ok" | "failed" | "refused" | "cancelled" | "asked" | "late" | "detached" | "revoked";

/** One call of a tool; arguments are never kept. */
export interface McpCall {
  id: number;
  tool: string;
  pluginId: string | null;
  client: string | null;
  token: string | null;
  startedAt: number;
  durationMs: number | null;
  outcome: McpOutcome;
}

export interface McpClients {
  /** Whether clients are served at all. */
  enabled: boolean;
  clients: McpClient[];
}

/** What changes without anybody telling the window, in milliseconds. It is asked for while the window is visible. */
const kPollMs = 2000;

export function useMcpTokens(): UseQueryResult<McpToken[]> {
  return useQuery({
    queryKey: queryKeys.mcpTokens,
    queryFn: async ({ signal }) => (await api<{ tokens: McpToken[] }>("GET", "/mcp/tokens", { signal })).tokens,
    refetchInterval: kPollMs,
  });
}

export function useMcpClients(): UseQueryResult<McpClients> {
  return useQuery({
    queryKey: queryKeys.mcpClients,
    queryFn: ({ signal }) => api<McpClients>("GET", "/mcp/clients", { signal }),
    refetchInterval: kPollMs,
  });
}

/** The newest first. */
export function useMcpCalls(): UseQueryResult<McpCall[]> {
  return useQuery({
    queryKey: queryKeys.mcpCalls,
    queryFn: async ({ signal }) => (await api<{ calls: McpCall[] }>("GET", "/mcp/calls", { signal })).calls,
    refetchInterval: kPollMs,
  });
}

async function changing<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    void queryClient.invalidateQueries({ queryKey: queryKeys.mcpTokens });
  }
}

export interface NewMcpToken {
  name: string;
  plugins: string[];
  tools: string[];
}

/** Resolves with the secret, which nobody can ask for again. */
export async function createMcpToken(wanted: NewMcpToken): Promise<string> {
  return (await changing(api<{ secret: string }>("POST", "/mcp/tokens", { body: wanted }))).secret;
}

export async function revokeMcpToken(id: string): Promise<void> {
  await changing(api("DELETE", `/mcp/tokens/${encodeURIComponent(id)}`));
}
