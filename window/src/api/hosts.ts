import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Host as SdkHost } from "#sdk/records.js";

import { api } from "./http";
import { createFollower, useFollow } from "./follow";
import { queryClient, queryKeys } from "./queries";
import { realtime as windowRealtime, type Realtime } from "./realtime";

/** A machine, as `GET /hosts` lists it. */
export type Host = SdkHost & {
  /** Operating system and architecture as the daemon says it, such as `linux-x64`; absent when the service does not tell. */
  platform?: string | null;
};

/** `POST /hosts/join-codes`: what lets one machine join, once. */
export interface JoinCode {
  joinCode: string;
  /** The id that the machine will have. */
  hostId: string;
  /** Epoch milliseconds, of the server's clock. */
  expiresAt: number;
  /** Where other machines reach the server; null when its configuration names no such address. */
  serverUrl: string | null;
}

const at = (id: string) => `/hosts/${encodeURIComponent(id)}`;

export const hostsQuery = queryOptions({
  queryKey: queryKeys.hosts,
  queryFn: async ({ signal }) => (await api<{ hosts: Host[] }>("GET", "/hosts", { signal })).hosts,
});

export interface HostsOptions {
  /** False shows what was fetched already and asks for nothing. Default true. */
  enabled?: boolean;
  /** Milliseconds after which it asks again and again, for those who wait for a machine. */
  pollMs?: number | false;
}

/** All machines, the server's own first. */
export function useHosts({ enabled = true, pollMs = false }: HostsOptions = {}): UseQueryResult<Host[]> {
  return useQuery({ ...hostsQuery, enabled, refetchInterval: pollMs });
}

/** Terminals have their own collection, and change far more often. */
const isOfHosts = (changes: readonly string[]) => changes.some((change) => change !== "terminals-changed");

/** Keeps machines on screen true while the component is mounted. */
export function useFollowHosts(realtime: Realtime = windowRealtime): void {
  useFollow(useMemo(() => createFollower({ kind: "host-list" }, queryKeys.hosts, { realtime, isMine: isOfHosts }), [realtime]));
}

export function invalidateHosts(): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.hosts });
}

async function changing<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    // The service announces changes too; what is on screen does not wait for that.
    invalidateHosts();
  }
}

export async function renameHost(id: string, name: string): Promise<Host> {
  return (await changing(api<{ host: Host }>("PATCH", at(id), { body: { name } }))).host;
}

/** The machine's key stops working, and its daemon ends. */
export async function removeHost(id: string): Promise<void> {
  await changing(api("DELETE", at(id)));
}

/** Without `hostId` for a new machine. A newer code of a machine makes the older ones useless. */
export async function createJoinCode({ hostId, name }: { hostId?: string; name?: string }): Promise<JoinCode> {
  return api<JoinCode>("POST", "/hosts/join-codes", {
    body: { ...(hostId === undefined ? {} : { hostId }), ...(name === undefined ? {} : { name }) },
  });
}
