// Runs the soaks that are named, all without a name. Called by scripts/soak.
import { parseArgs } from "node:util";

import * as faults from "./soak/faults.mjs";
import * as hostile from "./soak/hostile.mjs";
import * as load from "./soak/load.mjs";
import * as partition from "./soak/partition.mjs";
import * as reloads from "./soak/reloads.mjs";
import * as slow from "./soak/slow.mjs";
import * as threads from "./soak/threads.mjs";

const kSoaks = { reloads, hostile, load, slow, partition, faults, threads };

const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: "boolean" } } });
const unknown = positionals.filter((name) => !(name in kSoaks));
if (unknown.length > 0) {
  console.error(`error: no soak ${unknown.join(", ")}; there are ${Object.keys(kSoaks).join(", ")}`);
  process.exit(2);
}

let failed = false;
for (const [name, soak] of Object.entries(kSoaks)) {
  if (positionals.length === 0 || positionals.includes(name)) {
    console.log(`-- ${name}: ${soak.summary}`);
    const problems = await soak.run({ quick: values.quick === true, log: (text) => console.log(`   ${text}`) });
    problems.forEach((problem) => console.log(`   FAILED: ${problem}`));
    console.log(problems.length === 0 ? "   passed" : "");
    failed ||= problems.length > 0;
  }
}
process.exitCode = failed ? 1 : 0;
