import { fileURLToPath } from "node:url";

import { post } from "../lib/api.mjs";
import { residentMiB } from "../lib/meter.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { pluginFolder, withFolder } from "./plugin_folder.mjs";

export const summary = "more and more rows in storage.kv of one plugin";
export const steps = [1000, 10_000, 100_000, 1_000_000, 10_000_000];
export const quick = [1000, 10_000];
export const metrics = {
  setUs: { unit: "us for a durable set, 64 in flight", most: 2 },
  getUs: { unit: "us for a get, 64 in flight", most: 2 },
  listUs: { unit: "us for a list of 100 keys, 64 in flight", most: 2 },
  mib: { unit: "MiB of the server", most: 2 },
};

const kPlugin = fileURLToPath(new URL("kv_plugin.ts", import.meta.url));
/** What one call fills: it stays below the time that a call may take. */
const kPart = 100_000;
const kTimes = 10_000;

export async function run(counts, log) {
  return withFolder(async (dir) =>
    withSvcd([await pluginFolder(dir, "growth", { file: kPlugin })], async (server) => {
      const ask = (method, input) => post(`${server.url}/api/v1/plugins/growth/rpc/${method}`, input);
      const points = [];
      let filled = 0;
      for (const rows of counts) {
        for (; filled < rows; filled = Math.min(rows, filled + kPart)) {
          await ask("fill", { from: filled, to: Math.min(rows, filled + kPart) });
        }
        await ask("touch", { rows, times: 1000 });
        points.push({ at: rows, ...(await ask("touch", { rows, times: kTimes })), mib: residentMiB(server.pid) });
        log(`${rows} rows`);
      }
      return points;
    }),
  );
}
