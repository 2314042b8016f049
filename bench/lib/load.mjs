import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { wrkScript } from "./paths.mjs";

const run = promisify(execFile);

/** POSTs `body` to `url` over keep-alive connections for some seconds; throws when any answer is not a 2xx. */
export async function load({ url, body, connections, seconds }) {
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", wrkScript, url, "--", body];
  const { stdout } = await run("wrk", args);
  const summary = JSON.parse(stdout.trim().split("\n").at(-1));
  if (summary.failed > 0 || summary.requests === 0) {
    throw new Error(`${url}: ${summary.failed} of ${summary.requests} requests failed`);
  }
  return {
    operations: summary.requests,
    perSecond: (summary.requests * 1e6) / summary.durationUs,
    p50Ms: summary.p50Us / 1000,
    p99Ms: summary.p99Us / 1000,
  };
}
