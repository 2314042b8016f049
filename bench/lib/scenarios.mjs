// What is measured, in the order of the report.
import * as cliLatency from "../scenarios/cli_latency.mjs";
import * as devReload from "../scenarios/dev_reload.mjs";
import * as fanout from "../scenarios/fanout.mjs";
import * as hostRpc from "../scenarios/host_rpc.mjs";
import * as idleMemory from "../scenarios/idle_memory.mjs";
import * as idleWindows from "../scenarios/idle_windows.mjs";
import * as manyPlugins from "../scenarios/many_plugins.mjs";
import * as mcp from "../scenarios/mcp.mjs";
import * as pluginReload from "../scenarios/plugin_reload.mjs";
import * as pluginStart from "../scenarios/plugin_start.mjs";
import * as rpcSizes from "../scenarios/rpc_sizes.mjs";
import * as rpcThroughput from "../scenarios/rpc_throughput.mjs";
import * as storage from "../scenarios/storage.mjs";
import * as windowReload from "../scenarios/window_reload.mjs";
import * as windowStart from "../scenarios/window_start.mjs";
import * as windowThreads from "../scenarios/window_threads.mjs";

/** Each has `name`, `summary` and `run({ form, log })`, which resolves with lines; a form is "full", "quick" or, for some, "guard". */
export const kScenarios = [
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
  manyPlugins,
];
