import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { kSdkVersion, Plugin, load } from "./builder.mjs";

const meta = (plugin) => JSON.parse(plugin.read("dist/app.meta.json"));
const app = (body, imports = "") =>
  `${imports}\nimport { definePluginApp } from "@get-svc/plugin-sdk/app";\nexport default definePluginApp(() => { ${body} });\n`;
const runtime = { pluginSdkApp: { definePluginApp: (setup) => ({ __svcPluginApp: true, setup }) } };

test("refuses FIFOs and devices without opening them, and names that npm would refuse", () => {
  const plugin = new Plugin();
  execFileSync("mkfifo", [join(plugin.root, "pipe.ts")]);
  assert.match(plugin.build("--app").errors[0].text, /^pipe\.ts in the plugin's directory is a FIFO: remove it/);
  rmSync(join(plugin.root, "pipe.ts"));
  symlinkSync("/dev/zero", join(plugin.root, "zero.css"));
  assert.match(plugin.build("--app").errors[0].text, /^zero\.css in the plugin's directory is a device/);
  rmSync(join(plugin.root, "zero.css"));
  symlinkSync("itself", join(plugin.root, "itself"));
  assert.equal(plugin.build("--app").status, 0);
  const named = new Plugin({}, { name: "a".repeat(215) });
  assert.match(named.build("--app").errors[0].text, /^package\.json: name: has 215 characters, the names of packages have at most 214$/);
});

test("writes bundle and metadata, and no style sheet when there is nothing to style", async () => {
  const plugin = new Plugin();
  const { status, wrote } = plugin.build("--app");
  assert.equal(status, 0);
  assert.deepEqual(wrote, ["dist/app.js", "dist/app.meta.json"]);
  assert.deepEqual(plugin.list("dist"), ["app.js", "app.meta.json"]);
  assert.deepEqual(meta(plugin), {
    sdkMajor: 0,
    sdkVersion: kSdkVersion,
    artifactFormatVersion: 1,
    pluginId: "todo",
    pluginVersion: "1.2.3",
    builtWith: { svcVersion: "0.43.0", pluginSdkVersion: kSdkVersion },
    runtimeSlots: ["pluginSdkApp"],
  });
  assert.equal((await load(plugin, runtime)).__svcPluginApp, true);
});

test("is minified without a source map, or readable with an inline one in development", () => {
  const plugin = new Plugin({ "app.tsx": app("const longName = Math.random(); console.log(longName, longName);") });
  plugin.build("--app");
  const release = plugin.read("dist/app.js");
  plugin.build("--app", "--dev");
  const dev = plugin.read("dist/app.js");
  assert.ok(!release.includes("longName") && !release.includes("sourceMappingURL"));
  assert.match(dev, /longName/);
  assert.match(dev, /sourceMappingURL=data:application\/json;base64,/);
});

test("tells first that tsconfig.json cannot be read: paths that it names are not found then", () => {
  const plugin = new Plugin({ "app.tsx": app("label;", 'import { label } from "@/label";'), "tsconfig.json": '{ "compilerOptions": ' });
  const [first, second] = plugin.build("--app").errors;
  assert.equal(first.file, "tsconfig.json");
  assert.match(second.text, /^Could not resolve "@\/label"/);
});

test("uses the production JSX runtime whatever tsconfig.json says", () => {
  for (const jsx of ["react-jsxdev", "preserve", "react", "react-jsx"]) {
    const plugin = new Plugin({
      "tsconfig.json": JSON.stringify({ compilerOptions: { jsx } }),
      "app.tsx": app("console.log(<p>x</p>);"),
    });
    for (const mode of ["--dev", "--minify"]) {
      assert.equal(plugin.build("--app", mode).status, 0);
      assert.deepEqual(meta(plugin).runtimeSlots, ["jsxRuntime", "pluginSdkApp"], `${jsx} ${mode}`);
    }
  }
});

test("knows its mode and its plugin", () => {
  const plugin = new Plugin({ "app.tsx": app("console.log(process.env.NODE_ENV, __SVC_PLUGIN_ID__);") });
  for (const mode of ["--dev", "--minify"]) {
    plugin.build("--app", mode);
    assert.match(plugin.read("dist/app.js"), /"production", ?"todo"/);
  }
});

test("reads what the window supplies from its runtime", async () => {
  const imports = `import React, { useState } from "react";\nimport * as Dialog from "@radix-ui/react-dialog";\nimport { clsx } from "clsx";`;
  const plugin = new Plugin({ "app.tsx": app("return [React.version, useState(), Dialog.Root, clsx('a')];", imports) });
  plugin.install("legacy", { "index.js": "const React = require('react'); exports.version = () => React.version;" });
  plugin.write({
    "app.tsx": app(
      "return [React.version, useState(), Dialog.Root, clsx('a'), version()];",
      `${imports}\nimport { version } from "legacy";`,
    ),
  });
  assert.deepEqual(plugin.build("--app").errors, []);
  assert.deepEqual(meta(plugin).runtimeSlots, ["clsx", "pluginSdkApp", "radixDialog", "react"]);
  const loaded = await load(plugin, {
    ...runtime,
    react: { version: "19", useState: () => 7 },
    radixDialog: { Root: "root" },
    clsx: { clsx: (x) => x },
  });
  assert.deepEqual(loaded.setup(), ["19", 7, "root", "a", "19"]);
});

test("prefers the default export of a slot", async () => {
  const plugin = new Plugin({ "app.tsx": app("return toast;", `import toast from "sonner";`) });
  plugin.build("--app");
  assert.equal((await load(plugin, { ...runtime, sonner: { default: "the default" } })).setup(), "the default");
});

test("says which slot a window lacks", async () => {
  const plugin = new Plugin({ "app.tsx": app("toast();", `import { toast } from "sonner";`) });
  plugin.build("--app");
  const message = `svc runtime slot "sonner" for "sonner" is missing: this bundle must be loaded by the app window`;
  await assert.rejects(load(plugin, runtime), { message });
});

test("bundles subpaths that the window does not supply", () => {
  const plugin = new Plugin({ "app.tsx": app("console.log(lite());", `import { lite } from "clsx/lite";`) });
  plugin.install(
    "clsx",
    { "index.js": "export const clsx = 1;", "lite.js": "export const lite = () => 'from lite';" },
    { type: "module", exports: { ".": "./index.js", "./lite": "./lite.js" } },
  );
  assert.equal(plugin.build("--app").status, 0);
  assert.match(plugin.read("dist/app.js"), /from lite/);
});

test("takes the SDK's names from the installed facade, else from the list it has", () => {
  const plugin = new Plugin({ "app.tsx": `import { brandNew } from "@get-svc/plugin-sdk/app";\nexport default brandNew();\n` });
  const [error] = plugin.build("--app").errors;
  assert.match(error.text, /No matching export .* "brandNew"/);
  assert.deepEqual([error.file, error.line, error.column], ["app.tsx", 1, 10]);
  plugin.install(
    "@get-svc/plugin-sdk",
    { "dist/app.js": "export const brandNew = 1;" },
    { type: "module", exports: { "./app": { default: "./dist/app.js" } } },
  );
  assert.deepEqual(plugin.build("--app").errors, []);
});

test("resolves as authors write", () => {
  const plugin = new Plugin({
    "tsconfig.json": `{ // comments are fine\n "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }`,
    "src/a.ts": "export const a = 'value a';",
    "src/b.tsx": "export const b = 'value b';",
    "src/index.ts": "export const i = 'value i';",
    "app.tsx": app("console.log(a, b, i);", `import { a } from "@/a";\nimport { b } from "./src/b.js";\nimport { i } from "./src";`),
  });
  assert.deepEqual(plugin.build("--app").errors, []);
  for (const name of ["a", "b", "i"]) {
    assert.match(plugin.read("dist/app.js"), new RegExp(`value ${name}`));
  }
});

test("finds packages of a workspace root", () => {
  const plugin = new Plugin();
  plugin.install("hoisted", { "index.js": "export const hoisted = 'from the root';" }, { type: "module" });
  plugin.write({
    "packages/inner/package.json": plugin.read("package.json"),
    "packages/inner/server.ts": "",
    "packages/inner/app.tsx": app("console.log(hoisted);", `import { hoisted } from "hoisted";`),
  });
  const inner = Object.assign(Object.create(Plugin.prototype), { root: join(plugin.root, "packages/inner") });
  assert.deepEqual(inner.build("--app").errors, []);
  assert.match(inner.read("dist/app.js"), /from the root/);
});

test("embeds images, fonts and WebAssembly", async () => {
  const plugin = new Plugin({
    "a.svg": "<svg/>",
    "b.png": "png",
    "c.woff2": "font",
    "d.wasm": "wasm",
    "app.tsx": app(
      "return [a, b, c, d];",
      `import a from "./a.svg";\nimport b from "./b.png";\nimport c from "./c.woff2";\nimport d from "./d.wasm";`,
    ),
  });
  assert.deepEqual(plugin.build("--app").errors, []);
  const [svg, png, font, wasm] = (await load(plugin, runtime)).setup();
  assert.match(svg, /^data:image\/svg\+xml/);
  assert.match(png, /^data:image\/png[,;]/);
  assert.match(font, /^data:font\/woff2[,;]/);
  assert.equal(Buffer.from(wasm).toString(), "wasm");
});

test("leaves out the server entry's types and refuses its values", () => {
  const types = new Plugin({
    "app.tsx": app(
      "const c: Contract = { a: 1 }; console.log(c);",
      `import type { Contract } from "./server";\nimport { Contract as Other } from "./server";`,
    ),
  });
  assert.deepEqual(types.build("--app").errors, []);
  const values = new Plugin({
    "part.ts": `import { secret } from "./server";\nexport const x = secret;`,
    "app.tsx": app("console.log(x);", `import { x } from "./part";`),
  });
  const { status, errors } = values.build("--app");
  assert.equal(status, 1);
  assert.match(errors[0].text, /imports a value of the server entry server\.ts/);
  assert.match(errors[0].text, /import type/);
  assert.deepEqual([errors[0].file, errors[0].line], ["part.ts", 1]);
});

test("refuses a second React", () => {
  const subpath = new Plugin({ "app.tsx": app("console.log(inner);", `import { inner } from "react/inner";`) });
  subpath.install("react", { "index.js": "", "inner.js": "exports.inner = 1;" });
  const [error] = subpath.build("--app").errors;
  assert.match(error.text, /a second copy of react is bundled: app\.tsx imports "react\/inner"; import "react" itself/);
  assert.equal(error.file, "app.tsx");
  const alias = new Plugin({ "app.tsx": app("console.log(render);", `import { render } from "my-dom";`) });
  alias.install("my-dom", { "index.js": "exports.render = 1;" }, { name: "react-dom" });
  assert.match(alias.build("--app").errors[0].text, /a second copy of react-dom is bundled: app\.tsx imports "my-dom"/);
  assert.equal(alias.has("dist"), false);
});

test("warns about a web worker, which is not bundled", () => {
  const worker = `export const make = () =>\n  new Worker(new URL("./worker.ts", import.meta.url));`;
  const plugin = new Plugin({ "app.tsx": app("console.log(make);", `import { make } from "./make";`), "make.ts": worker, "worker.ts": "" });
  const { status, warnings } = plugin.build("--app");
  assert.equal(status, 0);
  assert.match(warnings[0].text, /web workers are not bundled/);
  assert.deepEqual([warnings[0].file, warnings[0].line, warnings.length], ["make.ts", 2, 1]);
});

test("warns about a second copy of other singletons and about dependencies that the window supplies", () => {
  const plugin = new Plugin(
    { "app.tsx": app("console.log(x);", `import { x } from "sonner/internal";`) },
    { dependencies: { sonner: "2", "left-pad": "1" } },
  );
  plugin.install("sonner", { "internal.js": "exports.x = 1;" });
  const { status, warnings } = plugin.build("--app");
  assert.equal(status, 0);
  assert.match(warnings[0].text, /a second copy of sonner is bundled: app\.tsx imports "sonner\/internal"/);
  assert.match(warnings[1].text, /sonner is in "dependencies": .* move it to "devDependencies"/);
  assert.equal(warnings.length, 2);
});

test("errors carry file, line, column and the source line", () => {
  const plugin = new Plugin({ "app.tsx": `const ok = 1;\nexport default <p>{ok</p>;\n` });
  const { status, errors } = plugin.build("--app");
  assert.equal(status, 1);
  assert.deepEqual([errors[0].file, errors[0].line, errors[0].lineText], ["app.tsx", 2, "export default <p>{ok</p>;"]);
  assert.ok(errors[0].column > 1 && errors[0].text !== "");
});

test("a failed build leaves what was there, and no stage behind", () => {
  const plugin = new Plugin();
  plugin.build("--app");
  const before = plugin.read("dist/app.js");
  plugin.write({ "app.tsx": "export default (" });
  assert.equal(plugin.build("--app").status, 1);
  assert.equal(plugin.read("dist/app.js"), before);
  assert.deepEqual(plugin.list("dist"), ["app.js", "app.meta.json"]);
});

test("a failed host bundle leaves the app bundle of the same build unwritten", () => {
  const plugin = new Plugin({ "host.ts": "export default (" }, { svc: { host: "./host.ts" } });
  const { status, wrote, errors } = plugin.build();
  assert.deepEqual([status, wrote, errors[0].target], [1, [], "host"]);
  assert.equal(plugin.has("dist"), false);
});

test("sweeps stages that were left long ago", () => {
  const plugin = new Plugin({ "dist/.stage-old/app.js": "", "dist/.host-stage-old/host.js": "", "dist/.stage-new/app.js": "" });
  const old = Date.now() / 1000 - 2 * 60 * 60;
  for (const name of [".stage-old", ".host-stage-old"]) {
    utimesSync(join(plugin.root, "dist", name), old, old);
  }
  plugin.build("--app");
  assert.deepEqual(plugin.list("dist"), [".stage-new", "app.js", "app.meta.json"]);
});

test("removes the style sheet of an earlier build when there is none any more", () => {
  const plugin = new Plugin({ "app.tsx": app("console.log('flex');") });
  plugin.build("--app");
  assert.ok(plugin.has("dist/app.css"));
  plugin.write({ "app.tsx": app("") });
  plugin.build("--app");
  assert.equal(plugin.has("dist/app.css"), false);
});

test("outputs are as old as the beginning of their build", () => {
  const plugin = new Plugin();
  const started = Date.now();
  plugin.build("--app");
  const { mtimeMs } = statSync(join(plugin.root, "dist/app.js"));
  assert.ok(mtimeMs >= started - 1 && mtimeMs <= Date.now());
  // The directory got its files at the end.
  assert.ok(mtimeMs <= statSync(join(plugin.root, "dist")).mtimeMs);
});

test("names what is wrong with package.json", () => {
  const error = (manifest, files = {}) => new Plugin(files, manifest).build("--app").errors[0].text;
  assert.match(error({}, { "package.json": "{" }), /^package\.json cannot be read: /);
  assert.match(error({}, { "package.json": "[]" }), /^package\.json is not an object/);
  assert.match(error({ name: "" }), /^package\.json: name: /);
  assert.match(error({ version: 1 }), /^package\.json: version: /);
  assert.match(error({ svc: { app: "/app.tsx" } }), /svc\.app: "\/app\.tsx" is absolute/);
  assert.match(error({ svc: { app: "../app.tsx" } }), /svc\.app: "\.\.\/app\.tsx" leaves the plugin directory/);
  assert.match(error({ svc: { app: "./gone.tsx" } }), /svc\.app: "\.\/gone\.tsx" does not exist/);
  assert.match(error({ svc: { app: 5 } }), /svc\.app: must be a relative path/);
  const outside = new Plugin();
  writeFileSync(join(outside.root, "..", "elsewhere.tsx"), "");
  symlinkSync(join(outside.root, "..", "elsewhere.tsx"), join(outside.root, "link.tsx"));
  outside.write({ "package.json": JSON.stringify({ name: "x", version: "1.0.0", svc: { app: "./link.tsx" } }) });
  assert.match(outside.build("--app").errors[0].text, /svc\.app: "\.\/link\.tsx" is a link that leaves/);
});

test("has nothing to do without an app entry", () => {
  const plugin = new Plugin({}, { svc: { app: undefined } });
  const { status, types } = plugin.build("--app");
  assert.deepEqual([status, types], [0, ["absent", "done"]]);
  assert.equal(plugin.has("dist"), false);
});

test("keeps to the size limits", () => {
  const text = (bytes) => `export default ${JSON.stringify("x".repeat(bytes))};`;
  const large = new Plugin({ "big.ts": text(1024 * 1024 + 1), "app.tsx": app("console.log(big);", `import big from "./big";`) });
  const { status, warnings } = large.build("--app");
  assert.equal(status, 0);
  assert.match(warnings[0].text, /more than limit bundle-warn \(1048576\); the largest inputs: big\.ts \(\d+\)/);
  large.write({ "big.ts": text(16 * 1024 * 1024 + 1) });
  assert.match(large.build("--app").errors[0].text, /limit bundle-js is 16777216/);
  const styled = new Plugin({ "a.css": `.a { --x: "${"y".repeat(4 * 1024 * 1024)}" }`, "app.tsx": app("", `import "./a.css";`) });
  assert.match(styled.build("--app").errors[0].text, /limit bundle-css is 4194304/);
});

test("wrong arguments are a usage error", async () => {
  const { execFileSync } = await import("node:child_process");
  const { program } = await import("./builder.mjs");
  for (const words of [[], ["build"], ["build", "--root", "/", "--wrong"], ["serve", "x"]]) {
    assert.throws(() => execFileSync(process.execPath, [program, ...words], { stdio: "pipe" }), { status: 2 });
  }
});

test("takes what React Compiler made: its runtime is no second react", async () => {
  const plugin = new Plugin({ "app.tsx": app("return c(3);", `import { c } from "react/compiler-runtime";`) });
  plugin.install("react", {
    "index.js": "throw new Error('a second react');",
    "compiler-runtime.js": "module.exports = require('./cjs/react-compiler-runtime.production.js');",
    "cjs/react-compiler-runtime.production.js": "const React = require('react'); exports.c = (size) => React.version + size;",
  });
  assert.deepEqual(plugin.build("--app").errors, []);
  const loaded = await load(plugin, { ...runtime, react: { version: "of the window " } });
  assert.equal(loaded.setup(), "of the window 3");
});

test("says what to do about modules that are not there, in the author's terms", () => {
  const [browser] = new Plugin({ "app.tsx": app("fs();", `import fs from "node:fs";`) }).build("--app").errors;
  assert.match(browser.text, /^Could not resolve "node:fs" \(node:fs is a module of Node\.js.*server entry.*RPC\)$/);
  const [unknown] = new Plugin({ "app.tsx": app("x();", `import x from "not-a-package";`) }).build("--app").errors;
  assert.equal(unknown.text, `Could not resolve "not-a-package" (is it installed, and in package.json?)`);
});
