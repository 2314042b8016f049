import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { load } from "../lib/load.mjs";
import { residentMiB } from "../lib/meter.mjs";
import { benchPlugin, nodeModules, todoPlugin } from "../lib/paths.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { line, median } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";
import { sample } from "../plugin/task.mjs";

export const name = "plugin_reload";
export const summary = "1,000 reloads of the todo example in a row against a Node host that bundles and imports anew; calls beside reloads";

const peerName = "esbuild + import() in Node";
const kEveryMs = 200;
const kForms = {
  full: { row: { total: 1000, rounds: 10 }, load: { rounds: 5, seconds: 4 } },
  quick: { row: { total: 60, rounds: 3 }, load: { rounds: 2, seconds: 2 } },
  guard: { row: { total: 30, rounds: 3 } },
};

async function post(url) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  const answer = await response.json();
  if (answer.ok !== true) {
    throw new Error(`${url}: ${response.status} ${JSON.stringify(answer)}`);
  }
}

/** A copy of the todo example whose server entry differs each time. */
function changingTodo(dir, side) {
  const folder = join(dir, side, "svc-plugin-todo");
  mkdirSync(folder, { recursive: true });
  for (const file of ["server.ts", "package.json"]) {
    cpSync(join(todoPlugin, file), join(folder, file));
  }
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  delete manifest.svc.app;
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  symlinkSync(nodeModules, join(folder, "node_modules"));
  const entry = join(folder, "server.ts");
  const text = readFileSync(entry, "utf8");
  let changes = 0;
  return { folder, entry, change: () => writeFileSync(entry, `${text}\n// ${++changes}\n`) };
}

/** Some reloads in a row: milliseconds of one, and the memory after the last. */
function reloads(plugin, { url, pid }, count) {
  return async () => {
    const times = [];
    for (let done = 0; done < count; ++done) {
      plugin.change();
      const begin = performance.now();
      await post(url);
      times.push(performance.now() - begin);
    }
    return { operations: count, ms: median(times), endMiB: residentMiB(pid) };
  };
}

/** The rounds after the first third: how many times as long they took, and what they have added to the memory so far. */
function afterFirst(runs, first) {
  const ms = median(runs.slice(0, first).map((run) => run.ms));
  const { endMiB } = runs[first];
  return { runs: runs.slice(first + 1).map((run) => ({ times: run.ms / ms, growthMiB: Math.max(0, run.endMiB - endMiB) })) };
}

async function inARow(dir, { total, rounds, log }) {
  const plugins = { ours: changingTodo(dir, "ours"), peer: changingTodo(dir, "peer") };
  return withSvcd([plugins.ours.folder], (server) =>
    withPeer(
      "reload.mjs",
      async (peer) => {
        const ours = { url: `${server.url}/api/v1/plugins/reload?id=todo`, pid: server.pid };
        const sides = {
          ours: { ...ours, measure: reloads(plugins.ours, ours, total / rounds) },
          peer: { ...peer, measure: reloads(plugins.peer, peer, total / rounds) },
        };
        await inTurns(sides, { rounds, log, tell: ({ ms, endMiB }) => `${ms.toFixed(1)} ms (${endMiB.toFixed(0)} MiB)` });
        const first = Math.floor(rounds / 3);
        const later = Object.fromEntries(Object.entries(sides).map(([side, { runs }]) => [side, afterFirst(runs, first)]));
        const row = (from, suffix, rest) => line(from, { scenario: `${name}${suffix}`, better: "lower", peerName, ...rest });
        const unit = `MiB in the last ${Math.round(total - (total / rounds) * (first + 1))}`;
        return [
          row(sides, "", { member: "ms", unit: "ms" }),
          row(sides, ".cpu", { member: "cpuUs", unit: "µs of the processor" }),
          row(later, ".later", { member: "times", unit: "times the ms of the first third" }),
          row(later, ".growth", { member: "growthMiB", unit, take: (all) => all.at(-1) }),
        ];
      },
      { BENCH_ENTRY: plugins.peer.entry },
    ),
  );
}

/** Calls of a plugin at full speed, on its own and while it is loaded anew five times a second. */
async function underLoad({ rounds, seconds, log }) {
  return withSvcd([benchPlugin], async ({ url, pid }) => {
    const calls = () => load({ url: `${url}/api/v1/plugins/bench/rpc/create`, body: JSON.stringify(sample), connections: 64, seconds });
    const beside = async () => {
      let isOver = false;
      const again = (async () => {
        while (!isOver) {
          await Promise.all([post(`${url}/api/v1/plugins/reload?id=bench`), sleep(kEveryMs)]);
        }
      })();
      const measured = await calls();
      isOver = true;
      await again;
      return measured;
    };
    await calls();
    // Ours are the calls beside reloads, the peer are those of the calm server.
    const sides = { ours: { pid, measure: beside }, peer: { pid, measure: calls } };
    await inTurns(sides, { rounds, log, tell: ({ perSecond, p99Ms }) => `${Math.round(perSecond)} requests/s, p99 ${p99Ms} ms` });
    const row = (suffix, rest) => line(sides, { scenario: `${name}_beside${suffix}`, peerName: "without reloads", ...rest });
    return [
      row("", { member: "perSecond", unit: "requests/s", better: "higher" }),
      row(".p99", { member: "p99Ms", unit: "ms", better: "lower" }),
    ];
  });
}

export async function run({ form, log }) {
  const { row, load: beside } = kForms[form];
  const dir = mkdtempSync(join(tmpdir(), "svc-reload-"));
  try {
    return [...(await inARow(dir, { ...row, log })), ...(beside === undefined ? [] : await underLoad({ ...beside, log }))];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
