import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Plugin, Served } from "./builder.mjs";

const json = (path) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8"));

test("answers requests one after the other and stays up to date", async () => {
  const plugin = new Plugin({ "app.tsx": "console.log('one', 'flex');" });
  const served = new Served();
  const first = await served.request(plugin.root, ["app", "host"]);
  assert.deepEqual(first.filter(({ type }) => type !== "progress").map(({ id, target, type }) => [id, target, type]), [
    [1, "app", "built"], [1, "host", "absent"], [1, "app", "wrote"], [1, "app", "wrote"], [1, "app", "wrote"], [1, undefined, "done"],
  ]);
  plugin.write({ "app.tsx": "console.log('two', 'grid');" });
  assert.equal((await served.request(plugin.root, ["app"])).at(-1).ok, true);
  assert.match(plugin.read("dist/app.js"), /two/);
  assert.match(plugin.read("dist/app.css"), /\.grid/);
  assert.doesNotMatch(plugin.read("dist/app.css"), /\.flex/);
  plugin.write({ "app.tsx": "console.log(" });
  assert.equal((await served.request(plugin.root, ["app"])).at(-1).ok, false);
  plugin.write({ "app.tsx": "console.log('three');" });
  assert.equal((await served.request(plugin.root, ["app"])).at(-1).ok, true);
  assert.equal(plugin.has("dist/app.css"), false);
  assert.equal(await served.close(), 0);
});

test("a save that changes no class name still notices a changed sheet", async () => {
  const plugin = new Plugin({ "app.tsx": "import './a.css'; console.log('flex');", "a.css": ".a { color: red }" });
  const served = new Served();
  await served.request(plugin.root, ["app"]);
  plugin.write({ "a.css": ".a { color: blue }" });
  await served.request(plugin.root, ["app"]);
  assert.match(plugin.read("dist/app.css"), /color:(blue|#00f)/);
  await served.close();
});

test("what is no request is said", async () => {
  const served = new Served();
  served.send("nonsense\n");
  assert.deepEqual(await served.line(), { type: "fatal", text: "not a build request" });
  await served.close();
});

test("the packages are those of the pins", () => {
  const pins = json("modules/app/builder/pins.json");
  const { devDependencies } = json("package.json");
  for (const [name, version] of Object.entries(pins)) {
    assert.equal(devDependencies[name], version, name);
    assert.equal(json(`node_modules/${name}/package.json`).version, version, name);
  }
});

test("the names of what the window supplies are those of the installed packages", () => {
  const script = new URL("../../../../modules/app/builder/generate_names.mjs", import.meta.url);
  const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(script), "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("the limits are those of the service", () => {
  const header = readFileSync(new URL("../../../../modules/common/include/svc/common/limits.h", import.meta.url), "utf8");
  const limits = readFileSync(new URL("../../../../modules/app/builder/limits.ts", import.meta.url), "utf8");
  const valueOf = (text) => text.replace(/UL\b/g, "").split("*").reduce((product, factor) => product * Number(factor), 1);
  for (const name of ["kBundleJs", "kBundleCss", "kBundleWarn", "kArtifact"]) {
    const [, there] = new RegExp(`${name} = ([^;]*);`).exec(header);
    const [, here] = new RegExp(`${name} = ([^;]*);`).exec(limits);
    assert.equal(valueOf(here), valueOf(there), name);
  }
});
