// Runs scenarios one after another, prints a table and writes bench/results/latest.json. Called by scripts/bench.
import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { resultsFile } from "./lib/paths.mjs";
import { formatTable } from "./lib/table.mjs";
import * as cliLatency from "./scenarios/cli_latency.mjs";
import * as devReload from "./scenarios/dev_reload.mjs";
import * as fanout from "./scenarios/fanout.mjs";
import * as hostRpc from "./scenarios/host_rpc.mjs";
import * as idleMemory from "./scenarios/idle_memory.mjs";
import * as idleWindows from "./scenarios/idle_windows.mjs";
import * as mcp from "./scenarios/mcp.mjs";
import * as pluginReload from "./scenarios/plugin_reload.mjs";
import * as pluginStart from "./scenarios/plugin_start.mjs";
import * as rpcSizes from "./scenarios/rpc_sizes.mjs";
import * as rpcThroughput from "./scenarios/rpc_throughput.mjs";
import * as storage from "./scenarios/storage.mjs";
import * as windowReload from "./scenarios/window_reload.mjs";
import * as windowStart from "./scenarios/window_start.mjs";
import * as windowThreads from "./scenarios/window_threads.mjs";

const kScenarios = [
  rpcThroughput,
  rpcSizes,
  mcp,
  hostRpc,
  fanout,
  idleWindows,
  storage,
  cliLatency,
  idleMemory,
  pluginStart,
  pluginReload,
  devReload,
  windowStart,
  windowReload,
  windowThreads,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean" }, list: { type: "boolean" }, help: { type: "boolean" } },
});

if (values.list || values.help) {
  console.log("Usage: scripts/bench [scenario...] [--quick]\n");
  for (const scenario of kScenarios) {
    console.log(`  ${scenario.name.padEnd(16)} ${scenario.summary}`);
  }
  process.exit(0);
}

const unknown = positionals.filter((name) => !kScenarios.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  console.error(`error: no scenario ${unknown.join(", ")}; there are ${kScenarios.map((s) => s.name).join(", ")}`);
  process.exit(2);
}

const results = [];
for (const scenario of kScenarios) {
  if (positionals.length === 0 || positionals.includes(scenario.name)) {
    console.error(`-- ${scenario.name}: ${scenario.summary}`);
    results.push(...(await scenario.run({ quick: values.quick === true, log: (text) => console.error(`   ${text}`) })));
  }
}
await mkdir(new URL(".", resultsFile), { recursive: true });
await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
console.log(formatTable(results));
