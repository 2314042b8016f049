// `node example_copies.test.mjs`, with SVC_BIN_DIR as the folder of the programs: every example becomes a plugin of one's own, which
// passes its tests and runs beside the example.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { plainEnvironment, root } from "./guide_examples.mjs";
import { installNpm } from "./npm.mjs";

const run = promisify(execFile);
const binaries = process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin");
const directory = mkdtempSync(join(tmpdir(), "svc-copies-"));
const home = join(directory, "home");
const work = join(directory, "work");
const examples = join(root, "examples");
const names = readdirSync(examples).filter((name) => !name.includes("."));
const folderOf = (name) => join(work, `svc-plugin-my-${name}`);
let env;

/** What a command prints; a failure carries all of it. */
async function type(cwd, program, ...words) {
  try {
    return (await run(program, words, { cwd, env, maxBuffer: 1e8 })).stdout;
  } catch (failure) {
    throw new Error(`${cwd}: ${program} ${words.join(" ")}\n${failure.stdout}\n${failure.stderr}`, { cause: failure });
  }
}

async function forEach(list, work) {
  const left = [...list];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

before(async () => {
  const tools = join(directory, "tools");
  mkdirSync(work);
  mkdirSync(join(home, ".config/svc"), { recursive: true });
  writeFileSync(join(home, ".config/svc/config.json"), JSON.stringify({ listen: { port: 0 } }));
  env = { ...plainEnvironment(), HOME: home, PATH: [tools, binaries, process.env.PATH].join(delimiter), ...installNpm(tools) };
  await forEach(names, (name) => type(work, "svc", "plugin", "new", `my-${name}`, "--from", name));
});

after(async () => {
  await type(work, "svc", "server", "stop").catch(() => undefined);
  rmSync(directory, { recursive: true, force: true });
});

test("the copies pass their tests", async () => {
  // The one example with a runner of its own; the others have Vitest's, which takes them all at once.
  await type(folderOf("todo"), "npm", "test");
  // What is renamed within types is renamed alike in all: one with a host entry, one with a theme, one with tools and a database.
  // The examples themselves are checked with the compiler of authors; the quick one sees what renaming broke.
  await type(work, join(root, "scripts/tsc"), "--build", ...["disk-usage", "night-desk", "notes"].map(folderOf));
  // The tests of the examples themselves have a process each; these share one, which takes a quarter.
  const tests = ["--no-isolate", "--exclude", "**/node_modules/**", "--exclude", "svc-plugin-my-todo/**"];
  await type(work, join(root, "node_modules/.bin/vitest"), "run", ...tests);
});

test("nothing in a copy calls it by the name of the example", () => {
  for (const name of names) {
    const old = new RegExp(
      `svc-plugin-${name}|examples/${name}|${name}@examples|plugins/${name}/|"${name}"|\\bsvc (plugin [a-z ]+ )?${name}\\b(?!-)`,
    );
    const files = readdirSync(folderOf(name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .filter((file) => !/node_modules|\/dist\//.test(file));
    for (const file of files) {
      assert.doesNotMatch(readFileSync(file, "utf8"), old, file);
    }
  }
});

test("a copy and its example run side by side", async () => {
  await type(work, "svc", "server", "start");
  for (const name of names) {
    for (const folder of [join(examples, name), folderOf(name)]) {
      // One of them waits for its settings, which is no success of the command.
      await type(work, "svc", "plugin", "install", folder, "--yes").catch((failure) =>
        assert.match(failure.message, /needs-configuration/),
      );
    }
  }
  const { plugins } = JSON.parse(await type(work, "svc", "--json", "plugin", "list"));
  assert.equal(plugins.length, 2 * names.length);
  for (const { id, status, problems, statusDetail } of plugins) {
    assert.match(status, id.endsWith("poller") ? /^needs-configuration$/ : /^running$/, `${id}: ${statusDetail}`);
    assert.deepEqual(problems, [], id);
  }
  const { skills } = JSON.parse(await type(work, "svc", "--json", "skill", "list"));
  const seen = skills.map(({ name }) => name);
  assert.equal(new Set(seen).size, seen.length, seen.join(", "));
});
