import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import { peer, svc, todoPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { withPrograms } from "../lib/programs.mjs";
import { line } from "../lib/stats.mjs";

export const name = "cli_latency";
export const summary = "wall time of `svc todo list`, against the same command as a Node program";

const kRounds = { full: 40, quick: 10, guard: 9 };

/** Runs a command to its end; what it printed. */
function output(command, args, env) {
  const child = spawnSync(command, args, { env, encoding: "utf8" });
  assert.equal(child.status, 0, `${command} ${args.join(" ")}: ${child.error ?? child.stderr}`);
  return child.stdout;
}

export async function run({ form, log }) {
  return withPrograms({ command: "lib/command.c" }, ({ command }) =>
    withSvcd([todoPlugin], ({ clientEnv }) => {
      for (const title of ["buy milk", "write the report", "call the bank"]) {
        output(svc, ["todo", "add", title], clientEnv);
      }
      const commands = { ours: [svc, "todo", "list"], peer: [process.execPath, peer("node_cli.mjs"), "todo", "list"] };
      const [ours, theirs] = Object.values(commands).map(([program, ...args]) => output(program, args, clientEnv));
      assert.equal(ours, theirs, "both commands print the same");

      const sides = { ours: { runs: [] }, peer: { runs: [] } };
      for (let round = 0; round < kRounds[form]; ++round) {
        for (const [side, words] of Object.entries(commands)) {
          sides[side].runs.push(JSON.parse(output(command, words, clientEnv)));
        }
      }
      log(`${kRounds[form]} rounds of each`);
      const peerName = `Node ${process.versions.node.split(".")[0]} CLI`;
      const row = (suffix, member, unit) =>
        line(sides, { scenario: `${name}${suffix}`, member, unit, better: "lower", peerName, useOf: "command" });
      return [row("", "ms", "ms"), row(".cpu", "cpuUs", "µs of the processor")];
    }),
  );
}
