import { setTimeout as sleep } from "node:timers/promises";

import { api } from "../lib/api.mjs";
import { usageOf } from "../lib/meter.mjs";
import { withSvcdAt } from "../lib/processes.mjs";
import { pluginFolder, withFolder } from "./plugin_folder.mjs";
import { medianMs } from "./timing.mjs";

export const summary = "more and more trivial plugins in one server: its start, its memory, and the list of them";
export const steps = [1, 10, 50, 100, 300];
export const quick = [1, 10];
export const metrics = {
  startCpuMs: { unit: "ms of the processor for the start of each", most: 1.5 },
  startMs: { unit: "ms of the start for each", most: 1.5 },
  mib: { unit: "MiB for each", most: 1.5 },
  listUs: { unit: "us of GET /plugins for each", most: 1.5 },
  idleMs: { unit: "ms of the processor in 10 idle seconds for each", most: 1.5 },
};

const kMostMs = 180_000;

async function allRunning(server, count) {
  for (const end = Date.now() + kMostMs; Date.now() < end; await sleep(100)) {
    const { plugins } = await api(server, "/plugins");
    if (plugins.length === count && plugins.every(({ status }) => status === "running")) {
      return Math.max(...plugins.map(({ loadedAt }) => loadedAt));
    }
  }
  throw new Error(`${count} plugins did not run within ${kMostMs} ms`);
}

async function point(count, empty) {
  return withFolder(async (dir) => {
    const folders = [];
    for (let index = 0; index < count; ++index) {
      folders.push(
        await pluginFolder(dir, `trivial-${index}`, { text: `export default (svc) => svc.log.debug("plugin ${index} runs");\n` }),
      );
    }
    await withSvcdAt(dir, folders, (server) => allRunning(server, count));
    return withSvcdAt(dir, [], async (server) => {
      const readyAt = await allRunning(server, count);
      const started = usageOf(server.pid);
      const list = 1000 * (await medianMs(() => api(server, "/plugins"), 30));
      await sleep(2000);
      const rested = usageOf(server.pid);
      await sleep(10_000);
      return {
        at: count,
        startCpuMs: Math.max(0, started.cpuMs - empty.cpuMs) / count,
        startMs: (readyAt - server.startedAt) / count,
        mib: (rested.rssMiB - empty.rssMiB) / count,
        listUs: list / count,
        idleMs: (usageOf(server.pid).cpuMs - rested.cpuMs) / count,
      };
    });
  });
}

export async function run(counts, log) {
  const empty = await withFolder((dir) => withSvcdAt(dir, [], async (server) => (await sleep(1000), usageOf(server.pid))));
  const points = [];
  for (const count of counts) {
    points.push(await point(count, empty));
    log(`${count} plugins: ${Math.round(points.at(-1).startMs * count)} ms to the last`);
  }
  return points;
}
