import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";

import type { JsonValue } from "#sdk/json.js";

import { createJoiner } from "@/lib/join";
import { kReconcileMaxMs, kReconcileMs, queryClient } from "./queries";
import { type ChangeTarget, realtime as windowRealtime, type Realtime } from "./realtime";

/** Keeps one collection in the cache true while somebody follows it. */
export interface Follower {
  /** Returns what ends it. However many follow, the service is asked once for a change. */
  follow(): () => void;
}

interface FollowerOptions {
  realtime?: Realtime;
  client?: QueryClient;
  /** Which kinds of changes of the target are changes of the collection; default all. */
  isMine?(changes: readonly string[], metadata: JsonValue | undefined): boolean;
}

/**
 * Fetches a collection again when the service says that it changed. An answer on its way is waited for and asked for once more, never
 * given up: changes that come faster than answers would otherwise keep every answer from arriving.
 */
export function createFollower(
  target: ChangeTarget,
  queryKey: QueryKey,
  { realtime = windowRealtime, client = queryClient, isMine = () => true }: FollowerOptions = {},
): Follower {
  let followers = 0;
  let isRunning = false;
  let isWanted = false;
  const refetch = createJoiner(() => void run(), { waitMs: kReconcileMs, maxMs: kReconcileMaxMs });
  let stopWatching: () => void;

  async function run(): Promise<void> {
    isWanted = true;
    if (isRunning) {
      return;
    }
    isRunning = true;
    while (isWanted) {
      // One that is on its way may have been answered before the change.
      isWanted = client.isFetching({ queryKey }) > 0;
      await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
    }
    isRunning = false;
  }

  return {
    follow() {
      followers += 1;
      if (followers === 1) {
        stopWatching = realtime.watch(target, ({ changes, metadata }) => {
          if (isMine(changes, metadata)) {
            refetch();
          }
        });
      }
      let isFollowing = true;
      return () => {
        if (isFollowing) {
          isFollowing = false;
          followers -= 1;
          if (followers === 0) {
            stopWatching();
            refetch.cancel();
          }
        }
      };
    },
  };
}

/** Follows while the component is mounted. */
export function useFollow(follower: Follower): void {
  useEffect(() => follower.follow(), [follower]);
}
