import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { residentMiB, usageOf } from "../lib/meter.mjs";
import { withPeer, withSvcdAt } from "../lib/processes.mjs";
import { runningAt } from "../lib/running.mjs";
import { line } from "../lib/stats.mjs";

export const name = "plugin_start";
export const summary =
  "from the start of the server until 20 and 100 trivial plugins run, and the memory of one more; against Node workers";

const [kFew, kMany] = [20, 100];
const kSettleMs = 3000;
const peerName = "a Node worker each";

function trivialPlugins(dir, count) {
  return Array.from({ length: count }, (_, index) => {
    const folder = join(dir, `trivial-${index}`);
    mkdirSync(folder);
    const manifest = { name: `svc-plugin-trivial-${index}`, version: "1.0.0", type: "module", svc: { server: "server.ts" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "server.ts"), `export default (svc) => svc.log.debug("plugin ${index} runs");\n`);
    return folder;
  });
}

async function measure(server, readyAt) {
  const { cpuMs } = usageOf(server.pid);
  await sleep(kSettleMs);
  return { seconds: (readyAt - server.startedAt) / 1000, cpuUs: cpuMs * 1000, rssMiB: residentMiB(server.pid) };
}

async function runCase(dir, count, { rounds, log }) {
  const sides = { ours: { runs: [] }, peer: { runs: [] } };
  await withSvcdAt(dir, trivialPlugins(dir, count), (server) => runningAt(server, count));
  for (let round = 1; round <= rounds; ++round) {
    sides.ours.runs.push(await withSvcdAt(dir, [], async (server) => measure(server, await runningAt(server, count))));
    const workers = { BENCH_WORKERS: String(count) };
    sides.peer.runs.push(await withPeer("workers.mjs", (server) => measure(server, Date.now()), workers));
    const [a, b] = Object.values(sides).map(({ runs }) => runs.at(-1));
    log(`round ${round}: ${a.seconds} and ${b.seconds} s, ${a.rssMiB.toFixed(0)} and ${b.rssMiB.toFixed(0)} MiB`);
  }
  return sides;
}

/** What one more takes, by the rounds with few and those with many. */
function oneMore(few, many) {
  return { runs: few.runs.map(({ rssMiB }, round) => ({ mib: (many.runs[round].rssMiB - rssMiB) / (kMany - kFew) })) };
}

export async function run({ form, log }) {
  const rounds = form === "full" ? 5 : 2;
  const cases = {};
  for (const count of [kFew, kMany]) {
    log(`${count} plugins`);
    const dir = mkdtempSync(join(tmpdir(), "svc-start-"));
    try {
      cases[count] = await runCase(dir, count, { rounds, log });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  const memory = Object.fromEntries(["ours", "peer"].map((side) => [side, oneMore(cases[kFew][side], cases[kMany][side])]));
  return [
    ...Object.entries(cases).map(([count, sides]) =>
      line(sides, { scenario: `${name}_${count}`, member: "seconds", unit: "s", better: "lower", peerName }),
    ),
    line(memory, { scenario: `${name}.memory`, member: "mib", unit: "MiB one more", better: "lower", peerName }),
  ];
}
