// `node walkthrough.test.mjs`, with SVC_BIN_DIR as the folder of the programs: the tutorial and the README, step by step.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";

import { root } from "./guide_examples.mjs";
import { stepsOf, Walkthrough } from "./walkthrough.mjs";

// npm as far as the pages need it: `install` gives the packages of this repository instead of a registry's. The SDK is what svc
// brings, unpacked from the file that it names.
const kNpm = `#!/bin/sh
case "$1" in
  view) echo 'npm error code E404' >&2; exit 1 ;;
  install|ci) ;;
  *) exec "$WALKTHROUGH_NPM" "$@" ;;
esac
[ "$2" = --package-lock-only ] && exit 0
mkdir -p node_modules
for package in "$WALKTHROUGH_PACKAGES"/.bin "$WALKTHROUGH_PACKAGES"/*; do
  case "$package" in */@get-svc|*/svc-plugin-*) ;; *) ln -sfn "$package" node_modules/ ;; esac
done
for tarball; do :; done
case "$tarball" in *.tgz)
  mkdir -p node_modules/@get-svc/plugin-sdk
  tar -xzf "$tarball" -C node_modules/@get-svc/plugin-sdk --strip-components=1 ;;
esac
`;

const binaries = process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin");
const directory = mkdtempSync(join(tmpdir(), "svc-walkthrough-"));
const home = join(directory, "home");
let reader;

function realNpm() {
  const [path] = process.env.PATH.split(delimiter)
    .map((folder) => join(folder, "npm"))
    .filter((file) => existsSync(file));
  return path;
}

before(() => {
  const tools = join(directory, "tools");
  for (const folder of [tools, join(home, ".config/svc")]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(tools, "npm"), kNpm);
  chmodSync(join(tools, "npm"), 0o755);
  // The only thing that is not as on the reader's machine: the port is a free one.
  writeFileSync(join(home, ".config/svc/config.json"), JSON.stringify({ listen: { port: 0 } }));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_|NODE_TEST)/i.test(name)));
  reader = new Walkthrough(home, {
    ...env,
    npm_config_update_notifier: "false",
    PATH: [tools, binaries, process.env.PATH].join(delimiter),
    WALKTHROUGH_NPM: realNpm(),
    WALKTHROUGH_PACKAGES: join(root, "node_modules"),
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
