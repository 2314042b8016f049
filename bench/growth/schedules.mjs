import { setTimeout as sleep } from "node:timers/promises";

import { api } from "../lib/api.mjs";
import { usageOf } from "../lib/meter.mjs";
import { withSvcdAt } from "../lib/processes.mjs";
import { pluginFolder, withFolder } from "./plugin_folder.mjs";

export const summary = "a plugin with more and more schedules, none of which is due";
export const steps = [10, 100, 1000, 10_000, 100_000];
export const quick = [10, 1000];
export const metrics = {
  loadUs: { unit: "us of the load for each", most: 1.5 },
  listUs: { unit: "us of GET /plugins for each", most: 1.5 },
  kib: { unit: "KiB for each", most: 1.5 },
  idleMs: { unit: "ms of the processor in 10 idle seconds for each", most: 1.5 },
};

const source = (count) => `export default (svc) => {
  for (let index = 0; index < ${count}; ++index) {
    svc.background.schedule("at-" + index, (index % 60) + " " + (Math.floor(index / 60) % 24) + " 29 2 *", () => {});
  }
};
`;

async function running(server) {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(50)) {
    const { plugins } = await api(server, "/plugins");
    if (plugins[0]?.status === "running") {
      return plugins[0].loadedAt;
    }
    if (plugins[0]?.status === "failed") {
      return null;
    }
  }
  throw new Error("the plugin does not run");
}

export async function run(counts, log) {
  const points = [];
  let empty = null;
  for (const count of [0, ...counts]) {
    const found = await withFolder(async (dir) => {
      await withSvcdAt(dir, [await pluginFolder(dir, "growth", { text: source(count) })], running);
      return withSvcdAt(dir, [], async (server) => {
        const loadedAt = await running(server);
        if (loadedAt === null) {
          const { plugins } = await api(server, "/plugins");
          log(`${count} schedules are refused: ${plugins[0].statusDetail}`);
          return null;
        }
        const started = performance.now();
        await api(server, "/plugins");
        const listMs = performance.now() - started;
        await sleep(2000);
        const rested = usageOf(server.pid);
        await sleep(10_000);
        return { loadMs: loadedAt - server.startedAt, listMs, rssMiB: rested.rssMiB, idleMs: usageOf(server.pid).cpuMs - rested.cpuMs };
      });
    });
    if (found === null) {
      break;
    }
    if (count === 0) {
      empty = found;
      continue;
    }
    points.push({
      at: count,
      loadUs: (Math.max(0, found.loadMs - empty.loadMs) * 1000) / count,
      listUs: (found.listMs * 1000) / count,
      kib: ((found.rssMiB - empty.rssMiB) * 1024) / count,
      idleMs: found.idleMs / count,
    });
    log(`${count} schedules: loaded in ${found.loadMs} ms, ${found.rssMiB.toFixed(0)} MiB`);
  }
  return points;
}
