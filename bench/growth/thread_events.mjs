import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { agentIsThere, api } from "../lib/api.mjs";
import { usageOf } from "../lib/meter.mjs";
import { pacingAgent } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { withFolder } from "./plugin_folder.mjs";
import { medianMs } from "./timing.mjs";

export const summary = "a thread whose log grows: what writes an event, opens the thread and reads its ends";
export const steps = [1000, 10_000, 100_000, 1_000_000];
export const quick = [1000, 10_000];
export const metrics = {
  cpuUs: { unit: "us of the processor for each event that is written", most: 1.5 },
  openMs: { unit: "ms to the last page of its timeline", most: 2 },
  firstMs: { unit: "ms to the first events of its log", most: 2 },
  lastMs: { unit: "ms to the last events of its log", most: 2 },
  mib: { unit: "MiB of the server", most: 2 },
};

const kMostMs = 1_800_000;
/** A turn as agents make them: most of its steps are calls of tools. */
const kPrompt = "Do 100 steps and end";

const lastSeq = async (server, id) => (await api(server, `/threads/${id}/events?order=desc&limit=1`)).events[0]?.seq ?? 0;

async function turnEnded(server, id, afterSeq) {
  for (;;) {
    const { events } = await api(server, `/threads/${id}/events?types=turn/completed&order=desc&limit=1`);
    if ((events[0]?.seq ?? 0) > afterSeq) {
      return events[0].seq;
    }
    await sleep(2);
  }
}

export async function run(counts, log) {
  return withFolder(async (dir) => {
    const config = join(dir, "config.json");
    const pacing = { command: process.execPath, args: [pacingAgent, "1"], displayName: "Pacing" };
    await writeFile(config, JSON.stringify({ agents: { pacing } }));
    return withSvcd(
      [],
      async (server) => {
        await agentIsThere(server, "pacing");
        const { projects } = await api(server, "/projects?includePersonal=true");
        const projectId = projects.find(({ isPersonal, kind }) => isPersonal === true || kind === "personal").id;
        const environment = { type: "host", workspace: { type: "personal" } };
        const { thread } = await api(server, "/threads", { projectId, prompt: kPrompt, environment, providerId: "pacing" });
        const points = [];
        let seq = 0;
        let before = { ...usageOf(server.pid), seq: await lastSeq(server, thread.id) };
        for (const count of counts) {
          for (const end = Date.now() + kMostMs; seq < count && Date.now() < end;) {
            seq = await turnEnded(server, thread.id, seq);
            await api(server, `/threads/${thread.id}/send`, { input: [{ type: "text", text: kPrompt }], mode: "auto" });
          }
          const now = { ...usageOf(server.pid), seq };
          points.push({
            at: seq,
            cpuUs: ((now.cpuMs - before.cpuMs) * 1000) / (now.seq - before.seq),
            openMs: await medianMs(() => api(server, `/threads/${thread.id}/timeline`)),
            firstMs: await medianMs(() => api(server, `/threads/${thread.id}/events?limit=100`)),
            lastMs: await medianMs(() => api(server, `/threads/${thread.id}/events?order=desc&limit=100`)),
            mib: now.rssMiB,
          });
          before = { ...usageOf(server.pid), seq: await lastSeq(server, thread.id) };
          log(`${seq} events: ${now.rssMiB.toFixed(0)} MiB`);
        }
        return points;
      },
      ["--config", config],
    );
  });
}
