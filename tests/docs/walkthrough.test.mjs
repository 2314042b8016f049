// `node walkthrough.test.mjs`, with SVC_BIN_DIR as the folder of the programs: the tutorial and the README, step by step.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";

import { plainEnvironment, root } from "./guide_examples.mjs";
import { installNpm } from "./npm.mjs";
import { stepsOf, Walkthrough } from "./walkthrough.mjs";

const binaries = process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin");
const directory = mkdtempSync(join(tmpdir(), "svc-walkthrough-"));
const home = join(directory, "home");
let reader;

before(() => {
  const tools = join(directory, "tools");
  mkdirSync(join(home, ".config/svc"), { recursive: true });
  // The only thing that is not as on the reader's machine: the port is a free one.
  writeFileSync(join(home, ".config/svc/config.json"), JSON.stringify({ listen: { port: 0 } }));
  reader = new Walkthrough(home, {
    ...plainEnvironment(),
    npm_config_update_notifier: "false",
    PATH: [tools, binaries, process.env.PATH].join(delimiter),
    ...installNpm(tools),
  });
});

after(async () => {
  await reader.run("svc server stop");
  rmSync(directory, { recursive: true, force: true });
});

test("the tutorial ends as it says", async (context) => {
  context.after(() => reader.close());
  const steps = stepsOf(join(root, "docs/tutorial.md"));
  assert.deepEqual([...new Set(steps.map(({ kind }) => kind))].sort(), ["edit", "output", "sh"]);
  await reader.perform(steps);
});

test("the commands of the README do what it says", async () => {
  const [build, ...steps] = stepsOf(join(root, "README.md"));
  assert.match(build.text, /^scripts\/run /, "the first commands are those that have made what runs here");
  await reader.run(`svc server start && svc plugin install ${root}/examples/todo --yes`);
  await reader.perform(steps);
});
