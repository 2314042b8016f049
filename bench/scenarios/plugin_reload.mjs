import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { load } from "../lib/load.mjs";
import { residentMiB } from "../lib/meter.mjs";
import { benchPlugin, nodeModules, todoPlugin } from "../lib/paths.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { line, median, result } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";
import { sample } from "../plugin/task.mjs";

export const name = "plugin_reload";
export const summary = "1,000 reloads of the todo example in a row against a Node host that bundles and imports anew; calls beside reloads";

const peerName = "esbuild + import() in Node";
/** Of all reloads after the first third; what the soak `reloads` allows 1,000 of them. */
const kGrowthBar = { value: 16 };
const kEveryMs = 200;

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
        const growth = ({ runs }) => Math.max(0.01, runs.at(-1).endMiB - runs[Math.floor(rounds / 3)].endMiB);
        return [
          line(sides, { scenario: name, member: "ms", unit: "ms", better: "lower", peerName, bar: { value: 30 } }),
          result({
            scenario: `${name}.growth`,
            unit: `MiB in the last ${Math.round(total - total / rounds - (total * Math.floor(rounds / 3)) / rounds)}`,
            better: "lower",
            ours: growth(sides.ours),
            peer: growth(sides.peer),
            peerName,
            bar: kGrowthBar,
          }),
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
      row("", { member: "perSecond", unit: "requests/s", better: "higher", bar: { ratio: 0.75 } }),
      row(".p99", { member: "p99Ms", unit: "ms", better: "lower", bar: { ratio: 0.5 } }),
    ];
  });
}

export async function run({ quick, log }) {
  const dir = mkdtempSync(join(tmpdir(), "svc-reload-"));
  try {
    const [row, load] = quick
      ? [
          { total: 60, rounds: 3 },
          { rounds: 2, seconds: 2 },
        ]
      : [
          { total: 1000, rounds: 10 },
          { rounds: 5, seconds: 4 },
        ];
    return [...(await inARow(dir, { ...row, log })), ...(await underLoad({ ...load, log }))];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
