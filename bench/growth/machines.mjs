import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { api } from "../lib/api.mjs";
import { residentMiB, usageOf } from "../lib/meter.mjs";
import { svcHostd } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { withFolder } from "./plugin_folder.mjs";
import { medianMs } from "./timing.mjs";

export const summary = "more and more machines with a daemon each, all idle";
export const steps = [1, 10, 50, 200];
export const quick = [1, 5];
export const metrics = {
  joinMs: { unit: "ms from the start of the daemons until all are connected, for each", most: 1.5 },
  listUs: { unit: "us of GET /hosts for each", most: 1.5 },
  kib: { unit: "KiB of the server for each", most: 1.5 },
  idleMs: { unit: "ms of the server's processor in 10 idle seconds for each", most: 1.5 },
};

const kMostMs = 120_000;

async function enroll(server, dir, index) {
  const { joinCode } = await api(server, "/hosts/join-codes", { name: `machine-${index}` });
  const args = ["join", "--server", server.url, "--code", joinCode, "--data-dir", join(dir, `machine-${index}`)];
  return spawn(svcHostd, args, { stdio: "ignore" });
}

async function connected(server, count) {
  for (const end = Date.now() + kMostMs; Date.now() < end; await sleep(50)) {
    const { hosts } = await api(server, "/hosts");
    if (hosts.filter(({ status }) => status === "connected").length >= count) {
      return;
    }
  }
  throw new Error(`${count} machines were not connected within ${kMostMs} ms`);
}

export async function run(counts, log) {
  return withFolder((dir) =>
    withSvcd([], async (server) => {
      const daemons = [];
      try {
        await connected(server, 1); // the server's own
        const before = residentMiB(server.pid);
        const points = [];
        for (const count of counts) {
          const more = count - daemons.length;
          const started = performance.now();
          while (daemons.length < count) {
            daemons.push(await enroll(server, dir, daemons.length));
          }
          await connected(server, count + 1);
          const joinMs = (performance.now() - started) / more;
          const list = 1000 * (await medianMs(() => api(server, "/hosts"), 30));
          await sleep(1000);
          // That of the daemons is theirs: they are no children of the server.
          const rested = usageOf(server.pid);
          await sleep(10_000);
          const idleMs = usageOf(server.pid).cpuMs - rested.cpuMs;
          points.push({ at: count, joinMs, listUs: list / count, kib: ((rested.rssMiB - before) * 1024) / count, idleMs: idleMs / count });
          log(`${count} machines: ${rested.rssMiB.toFixed(0)} MiB, GET /hosts ${(list / 1000).toFixed(1)} ms`);
        }
        return points;
      } finally {
        await Promise.all(daemons.map((daemon) => (daemon.kill("SIGTERM"), once(daemon, "exit"))));
      }
    }),
  );
}
