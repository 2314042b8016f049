// `node templates.test.mjs`, with SVC_BIN_DIR as the folder of the programs: every template of `svc plugin new` is a plugin whose types
// and tests pass, that builds and runs, and two of one template run side by side.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { plainEnvironment, root } from "./guide_examples.mjs";
import { installNpm } from "./npm.mjs";

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "svc-templates-"));
const home = join(directory, "home");
const work = join(directory, "work");
const kTemplates = ["minimal", "page", "service", "webhook", "host", "agent"];
const folderOf = (name) => join(work, `svc-plugin-${name}`);
let env;

/** What a command prints; a failure carries all of it. */
async function svc(cwd, ...words) {
  try {
    return (await run("svc", words, { cwd, env, maxBuffer: 1e8 })).stdout;
  } catch (failure) {
    throw new Error(`${cwd}: svc ${words.join(" ")}\n${failure.stdout}\n${failure.stderr}`, { cause: failure });
  }
}

/** A program of this repository over the plugins. */
async function program(path, ...words) {
  try {
    return (await run(process.execPath, [join(root, path), ...words], { cwd: work, env: { ...env, NO_COLOR: "1" }, maxBuffer: 1e8 }))
      .stdout;
  } catch (failure) {
    throw new Error(`${path} ${words.join(" ")}\n${failure.stdout}\n${failure.stderr}`, { cause: failure });
  }
}

before(async () => {
  const tools = join(directory, "tools");
  mkdirSync(work);
  mkdirSync(join(home, ".config/svc"), { recursive: true });
  writeFileSync(join(home, ".config/svc/config.json"), JSON.stringify({ listen: { port: 0 } }));
  const binaries = process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin");
  env = { ...plainEnvironment(), HOME: home, PATH: [tools, binaries, process.env.PATH].join(delimiter), ...installNpm(tools) };
  for (const template of kTemplates) {
    for (const name of [`first-${template}`, `second-${template}`]) {
      await svc(work, "plugin", "new", name, "--template", template);
    }
  }
});

after(async () => {
  await svc(work, "server", "stop").catch(() => undefined);
  rmSync(directory, { recursive: true, force: true });
});

// One with a page, one with a host entry: whatever the command builds. It makes a compiler, a Vitest, a builder and a server each time.
for (const template of ["page", "host"]) {
  test(`a plugin of the template ${template} passes what an author checks`, async () => {
    const { ok, steps } = JSON.parse(await svc(folderOf(`first-${template}`), "--json", "plugin", "test"));
    assert.ok(ok);
    assert.deepEqual(
      steps.map(({ name, outcome }) => `${name} ${outcome}`),
      ["types ok", "tests ok", "build ok", "install ok"],
    );
  });
}

test("the types and tests of the others pass", async () => {
  const others = kTemplates.filter((template) => !["page", "host"].includes(template)).map((template) => folderOf(`first-${template}`));
  await program("node_modules/typescript/bin/tsc", "--build", ...others);
  const stdout = await program(
    "node_modules/vitest/vitest.mjs",
    "run",
    "--exclude",
    "**/node_modules/**",
    ...others.map((each) => `${each}/`),
  );
  assert.match(stdout, new RegExp(`Test Files\\s+${others.length} passed`));
});

test("two plugins of one template run side by side", async () => {
  await svc(work, "server", "start");
  for (const template of kTemplates) {
    for (const name of [`first-${template}`, `second-${template}`]) {
      await svc(work, "plugin", "install", folderOf(name), "--yes");
    }
  }
  const { plugins } = JSON.parse(await svc(work, "--json", "plugin", "list"));
  assert.equal(plugins.length, 2 * kTemplates.length);
  for (const { id, status, problems, statusDetail } of plugins) {
    assert.equal(status, "running", `${id}: ${statusDetail}`);
    assert.deepEqual(problems, [], id);
  }
  const skills = JSON.parse(await svc(work, "--json", "skill", "list")).skills.map(({ name }) => name);
  assert.equal(new Set(skills).size, skills.length, skills.join(", "));
  assert.ok(skills.includes("first-page") && skills.includes("second-agent"));
  assert.equal(await svc(work, "second-minimal", "hello", "Ada"), "Hello, Ada!\n");
});
