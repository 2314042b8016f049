import { setTimeout as sleep } from "node:timers/promises";

import { api } from "./api.mjs";

const kPollMs = 50;
const kMostMs = 60_000;

/** When the last of the plugins was loaded: the server's own time, because asking for it often would be measured, too. */
export async function runningAt(server, count) {
  for (const end = Date.now() + kMostMs; Date.now() < end; await sleep(kPollMs)) {
    const { plugins } = await api(server, "/plugins");
    if (plugins.length === count && plugins.every(({ status }) => status === "running")) {
      return Math.max(...plugins.map(({ loadedAt }) => loadedAt));
    }
  }
  throw new Error(`${count} plugins did not run within ${kMostMs} ms`);
}
