import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import { peer, svc, todoPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";

export const name = "cli_latency";
export const summary = "wall time of `svc todo list`, against the same command as a Node program";

/** Runs a command to its end; milliseconds from spawning it to its exit, and what it printed. */
function time(command, args, env) {
  const start = process.hrtime.bigint();
  const child = spawnSync(command, args, { env, encoding: "utf8" });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  assert.equal(child.status, 0, `${command} ${args.join(" ")}: ${child.error ?? child.stderr}`);
  return { ms, stdout: child.stdout };
}

export async function run({ quick }) {
  const rounds = quick ? 10 : 40;
  return withSvcd([todoPlugin], (server) => {
    for (const title of ["buy milk", "write the report", "call the bank"]) {
      time(svc, ["todo", "add", title], server.clientEnv);
    }
    const ours = () => time(svc, ["todo", "list"], server.clientEnv);
    const theirs = () => time(process.execPath, [peer("node_cli.mjs"), "todo", "list"], server.clientEnv);
    assert.equal(ours().stdout, theirs().stdout, "both commands print the same");

    const times = { ours: [], theirs: [] };
    for (let round = 0; round < rounds; ++round) {
      times.ours.push(ours().ms);
      times.theirs.push(theirs().ms);
    }
    return [
      result({
        scenario: name,
        unit: "ms",
        better: "lower",
        ours: median(times.ours),
        peer: median(times.theirs),
        peerName: `Node ${process.versions.node.split(".")[0]} CLI`,
      }),
    ];
  });
}
