import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { Plugin } from "./builder.mjs";

const host = (text, files = {}) => new Plugin({ "host.ts": text, ...files }, { svc: { app: undefined, host: "./host.ts" } });
const entry = (body, imports = "") => `import { defineRpcContract, experimental_defineHostEntry } from "@get-svc/plugin-sdk/host";
${imports}
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default experimental_defineHostEntry({
  contract: defineRpcContract({ run: { input: null, output: any } }), handlers: { run: () => { ${body} } },
});
`;

test("writes bundle, source map and metadata with the digest", async () => {
  const plugin = host(entry("return join('a', 'b');", `import { join } from "node:path";`));
  const { status, wrote } = plugin.build("--host");
  assert.deepEqual([status, wrote], [0, ["dist/host.js.map", "dist/host.js", "dist/host.meta.json"]]);
  const js = plugin.read("dist/host.js");
  const meta = JSON.parse(plugin.read("dist/host.meta.json"));
  assert.equal(meta.artifactDigest, createHash("sha256").update(js).digest("hex"));
  assert.deepEqual(Object.keys(meta), [
    "sdkMajor",
    "sdkVersion",
    "artifactFormatVersion",
    "pluginId",
    "pluginVersion",
    "builtWith",
    "artifactDigest",
  ]);
  assert.equal("sourcesContent" in JSON.parse(plugin.read("dist/host.js.map")), false);
  writeFileSync(join(plugin.root, "host.mjs"), js);
  const { default: loaded } = await import(pathToFileURL(join(plugin.root, "host.mjs")));
  assert.equal(loaded.experimental_apiVersion, 1);
  assert.equal(loaded.handlers.run(), "a/b");
});

test("brings CommonJS packages, names of functions and nothing from outside", async () => {
  const plugin = host(entry("return [legacy.name(), named.name];", `import legacy from "legacy";\nfunction named() {}`));
  plugin.install("legacy", { "index.js": "const os = require('os'); exports.name = () => typeof os.hostname();" });
  assert.deepEqual(plugin.build("--host").errors, []);
  writeFileSync(join(plugin.root, "host.mjs"), plugin.read("dist/host.js"));
  const { default: loaded } = await import(pathToFileURL(join(plugin.root, "host.mjs")));
  assert.deepEqual(loaded.handlers.run(), ["string", "named"]);
});

test("leaves regular expressions with the flag v to what a worker has for them", () => {
  const plugin = host(entry('return [/^[a-z\\]"]+$/v, /\\p{RGI_Emoji}/gv, /v/u].length;'));
  for (const options of [["--host"], ["--host", "--minify"]]) {
    assert.deepEqual(plugin.build(...options).errors, []);
    const js = plugin.read("dist/host.js");
    assert.equal(js.match(/new RegExv\(/g)?.length, 2, js);
    assert.match(js, /\/v\/u/);
    assert.equal(JSON.parse(plugin.read("dist/host.meta.json")).artifactDigest, createHash("sha256").update(js).digest("hex"));
  }
});

test("the SDK shrinks to what a worker has", () => {
  const plugin = host(`import { PLUGIN_CLI_OUTPUT_MAX_BYTES, experimental_defineHostEntry } from "@get-svc/plugin-sdk";
import type { JsonValue } from "@get-svc/plugin-sdk";
export default experimental_defineHostEntry({ limit: PLUGIN_CLI_OUTPUT_MAX_BYTES as JsonValue });`);
  assert.deepEqual(plugin.build("--host").errors, []);
  const other = host(`import { defineCli } from "@get-svc/plugin-sdk";\nexport default defineCli();`).build("--host").errors[0];
  assert.match(
    other.text,
    /defineCli.*a host worker has only defineRpcContract, experimental_defineHostEntry and PLUGIN_CLI_OUTPUT_MAX_BYTES/,
  );
  assert.deepEqual([other.file, other.line], ["host.ts", 1]);
  assert.match(
    host(`import { x } from "@get-svc/plugin-sdk/app";\nexport default x;`).build("--host").errors[0].text,
    /does not exist in a host worker/,
  );
});

test("private packages are refused however they are reached", () => {
  const named = host(`import x from "@svc/secret";\nexport default x;`).build("--host").errors[0];
  assert.match(named.text, /@svc\/secret is private to the service/);
  const alias = host(`import x from "friendly";\nexport default x;`);
  alias.install("friendly", { "index.js": "module.exports = 1;" }, { name: "@svc/secret" });
  assert.match(alias.build("--host").errors[0].text, /@svc\/secret is private/);
  const late = host("export default () => eval(`require('@svc/late')`);");
  assert.match(late.build("--host").errors[0].text, /@svc\/late is private/);
});

test("native addons are refused", () => {
  const plugin = host(`import x from "./addon.node";\nexport default x;`, { "addon.node": "" });
  assert.match(plugin.build("--host").errors[0].text, /"\.\/addon\.node" is a native addon/);
});

test("messages of the schema library in other languages are dropped", () => {
  const plugin = host(`import { messages } from "zod/v4/locales/index.js";\nexport default messages();`);
  plugin.install(
    "zod",
    {
      "v4/locales/index.js": `import de from "./de.js"; import en from "./en.js"; export const messages = () => [de(), en()];`,
      "v4/locales/de.js": "export default () => 'auf Deutsch';",
      "v4/locales/en.js": "export default () => 'in English';",
    },
    { type: "module" },
  );
  assert.deepEqual(plugin.build("--host").errors, []);
  const js = plugin.read("dist/host.js");
  assert.ok(js.includes("in English") && !js.includes("auf Deutsch"));
});

test("the server bundle leaves out the SDK and the database driver", () => {
  const plugin = new Plugin({
    "server.ts": `import { defineRpcContract } from "@get-svc/plugin-sdk";\nimport { helper } from "helper";\nimport Database from "better-sqlite3";\nexport default () => [defineRpcContract, helper(), Database];`,
  });
  plugin.install("helper", { "index.js": "exports.helper = () => 'bundled helper';" });
  const { wrote } = plugin.build("--server");
  assert.deepEqual(wrote, ["dist/server.js.map", "dist/server.js", "dist/server.meta.json"]);
  const js = plugin.read("dist/server.js");
  assert.match(js, /from ?"@get-svc\/plugin-sdk"/);
  assert.match(js, /from ?"better-sqlite3"/);
  assert.match(js, /bundled helper/);
});
