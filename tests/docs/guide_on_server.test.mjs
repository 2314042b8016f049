// `node guide_on_server.test.mjs`, with SVC_BIN_DIR as the folder of the programs: a real server loads the example of every page.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { plainEnvironment, root, writeComponents, writeExamples } from "./guide_examples.mjs";

const binaries = process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin");
const folder = mkdtempSync(join(tmpdir(), "svc-guide-server-"));
const examples = writeExamples(join(folder, "guide"));
const servers = [...examples].filter(([, files]) => files.includes("server.ts"));

/** What a page is about needs something that is not there. */
const kStatus = { settings: "needs-configuration", "status-and-errors": "needs-configuration" };

let server;
let url;

before(async () => {
  const flags = ["--data-dir", join(folder, "data"), "--listen", "127.0.0.1:0"];
  server = spawn(join(binaries, "svcd"), flags, { env: { ...plainEnvironment(), HOME: folder }, stdio: ["ignore", "pipe", "ignore"] });
  const [first] = await Promise.race([once(createInterface(server.stdout), "line"), once(server, "exit")]);
  [, url] = /^listening on (http:\S+)$/.exec(String(first)) ?? assert.fail(`svcd gave no ready line: ${first}`);
});

after(async () => {
  if (server.exitCode === null) {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function call(method, path, body) {
  const init = { method, headers: { "content-type": "application/json" }, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return (await fetch(`${url}/api/v1/plugins${path}`, init)).json();
}

/** What nobody acts on as long as a server has no threads. */
const kOfThreads =
  /^(agents\.c|events\.on\("(experimental_thread|thread|turn|message|interaction)\.|experimental_hooks\.on|providers\.register)/;

/** Installs the example of a page; its id is `guide-<page>`. */
async function install(page, files) {
  const directory = join(folder, "guide", page);
  const entries = {
    server: "./server.ts",
    ...(files.includes("app.tsx") && { app: "./app.tsx" }),
    ...(files.includes("host.ts") && { host: "./host.ts" }),
  };
  const manifest = { name: `svc-plugin-guide-${page}`, version: "1.0.0", type: "module", svc: entries };
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
  if (files.some((file) => readFileSync(join(directory, file), "utf8").includes('"@/'))) {
    writeComponents(directory);
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions: { jsx: "react-jsx", paths: { "@/*": ["./*"] } } }));
  }
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  const { plugin, error } = await call("POST", "/install", { source: `path:${directory}` });
  assert.equal(error, undefined);
  return plugin;
}

for (const [page, files] of servers) {
  test(`the example of ${page}.md loads`, async () => {
    const plugin = await install(page, files);
    const unsupported = plugin.unsupported.filter((member) => !kOfThreads.test(member));
    assert.deepEqual([plugin.status, plugin.problems, unsupported], [kStatus[page] ?? "running", [], []], plugin.statusDetail);
    assert.equal(plugin.app.bundle !== null, files.includes("app.tsx"));
    if (page === "database") {
      await useDatabase(plugin.id);
    }
    await call("DELETE", `/${plugin.id}`);
  });
}

/** A test host opens databases with a package that not every machine has; a server always can. */
async function useDatabase(id) {
  const rpc = (method, input) => call("POST", `/${id}/rpc/${method}`, input);
  assert.deepEqual(await rpc("notes_import", { titles: ["milk", "bread"] }), { ok: true, result: 2 });
  const { error } = await rpc("notes_import", { titles: ["eggs", "milk"] });
  assert.equal(error.details.code, "SQLITE_CONSTRAINT_UNIQUE");
  assert.equal((await rpc("notes_open")).result.length, 2);
}
