import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Plugin, Served, temporary } from "./builder.mjs";

const json = (path) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8"));

test("answers requests one after the other and stays up to date", async () => {
  const plugin = new Plugin({ "app.tsx": "console.log('one', 'flex');" });
  const served = new Served();
  const first = await served.request(plugin.root, ["app", "host"]);
  assert.deepEqual(
    first.filter(({ type }) => type !== "progress").map(({ id, target, type }) => [id, target, type]),
    [
      [1, "app", "built"],
      [1, "host", "absent"],
      [1, "app", "wrote"],
      [1, "app", "wrote"],
      [1, "app", "wrote"],
      [1, undefined, "done"],
    ],
  );
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

test("nothing of a package runs that nobody trusts yet", async () => {
  for (const word of ["@plugin", "@config"]) {
    const plugin = new Plugin({
      "app.tsx": "import './a.css'; console.log('flex');",
      "a.css": `${word} "./program.mjs";`,
      "program.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync(new URL("ran", import.meta.url), ""); export default {};',
    });
    const served = new Served();
    const refused = await served.request(plugin.root, ["app"], { foreign: true });
    assert.equal(refused.at(-1).ok, false);
    assert.match(refused.find(({ type }) => type === "error").text, /"\.\/program\.mjs" is a program \(@plugin or @config\)/);
    assert.equal(plugin.has("ran"), false);
    // An author's own, whose server entry runs next.
    await served.request(plugin.root, ["app"]);
    assert.equal(plugin.has("ran"), true);
    await served.close();
  }
});

test("a check builds every target and writes nothing", () => {
  const plugin = new Plugin({ "server.ts": "import 'nowhere-to-be-found';", "app.tsx": "console.log(" });
  const { status, errors, wrote } = plugin.run("check");
  assert.equal(status, 1);
  assert.deepEqual(
    errors.map(({ target, file, text }) => [target, file, /nowhere-to-be-found|Unexpected end/.test(text)]),
    [
      ["server", "server.ts", true],
      ["app", "app.tsx", true],
    ],
  );
  assert.deepEqual(wrote, []);
  plugin.write({ "server.ts": "export default () => {};", "app.tsx": "export default 1;" });
  assert.equal(plugin.run("check").status, 0);
  assert.equal(plugin.has("dist"), false);
});

/** An esbuild that dies when it is asked for a file of this name: `limit` times, as long as it is started. */
function mortalEsbuild(name, limit) {
  const file = join(temporary, `esbuild-${name}-${limit}.mjs`);
  const real = join(
    createRequire(createRequire(import.meta.url).resolve("esbuild")).resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`),
  );
  writeFileSync(
    file,
    `#!${process.execPath}
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { spawn } from "node:child_process";
const deaths = () => (existsSync("${file}.deaths") ? readFileSync("${file}.deaths", "utf8").length : 0);
const child = spawn(${JSON.stringify(real)}, process.argv.slice(2), { stdio: ["pipe", "inherit", "inherit"] });
process.stdin.on("data", (bytes) => {
  if (bytes.includes("${name}") && deaths() < ${limit}) {
    appendFileSync("${file}.deaths", "x");
    child.kill("SIGKILL");
    process.exit(1);
  }
  child.stdin.write(bytes);
}).on("end", () => child.stdin.end());
child.on("exit", () => process.exit());
`,
  );
  chmodSync(file, 0o755);
  return {
    env: { ESBUILD_BINARY_PATH: file },
    deaths: () => (existsSync(`${file}.deaths`) ? readFileSync(`${file}.deaths`, "utf8").length : 0),
  };
}

test("a bundler that was killed is started again, and the build goes on", async () => {
  const esbuild = mortalEsbuild("unlucky.tsx", 1);
  const plugin = new Plugin({ "unlucky.tsx": "console.log('built');" }, { svc: { app: "./unlucky.tsx" } });
  const served = new Served(esbuild.env);
  assert.equal((await served.request(plugin.root, ["app"])).at(-1).ok, true);
  assert.match(plugin.read("dist/app.js"), /built/);
  assert.equal(esbuild.deaths(), 1);
  await served.close();
});

test("sources that kill the bundler twice are an error of theirs alone", async () => {
  const esbuild = mortalEsbuild("deadly.tsx", 9);
  const served = new Served(esbuild.env);
  const good = new Plugin();
  assert.equal((await served.request(good.root, ["app"])).at(-1).ok, true);
  const deadly = new Plugin({ "deadly.tsx": "" }, { svc: { app: "./deadly.tsx" } });
  const lines = await served.request(deadly.root, ["app"]);
  assert.equal(lines.at(-1).ok, false);
  assert.match(lines.find(({ type }) => type === "error").text, /^the bundler \(esbuild\) died of these sources twice: look for a file/);
  assert.equal(esbuild.deaths(), 2);
  assert.equal((await served.request(good.root, ["app"])).at(-1).ok, true);
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
  const header = readFileSync(new URL("../../../../modules/common/include/svc/common/limits/builds.h", import.meta.url), "utf8");
  const limits = readFileSync(new URL("../../../../modules/app/builder/limits.ts", import.meta.url), "utf8");
  const valueOf = (text) =>
    text
      .replace(/UL\b/g, "")
      .split("*")
      .reduce((product, factor) => product * Number(factor), 1);
  for (const name of ["kBundleJs", "kBundleCss", "kBundleWarn", "kArtifact"]) {
    const [, there] = new RegExp(`${name} = ([^;]*);`).exec(header);
    const [, here] = new RegExp(`${name} = ([^;]*);`).exec(limits);
    assert.equal(valueOf(here), valueOf(there), name);
  }
});
