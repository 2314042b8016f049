// What is refused because of the process that plugin code shares says whose process it is.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { buildSync } from "esbuild";
import { fileURLToPath } from "node:url";
import { load } from "../../../support/js/bundle.mjs";

const require = createRequire(import.meta.url);
const { guardProcess } = load("modules/jsruntime/js/prelude/process.ts");
const { ownedByHostWorker } = load("modules/jsruntime/js/prelude/owner.ts");

/** A process behind its walls, and what it logs. */
function guarded() {
  const data = new Map();
  const threads = { getEnvironmentData: (key) => data.get(key), setEnvironmentData: (key, value) => void data.set(key, value) };
  const builtin = (id) => (id === "worker_threads" ? threads : require(`node:${id}`));
  const process = Object.assign(new EventEmitter(), { env: {}, title: "", binding: () => ({}), _kill: () => 0, _debugProcess: () => 0 });
  const lines = [];
  guardProcess(process, builtin, { log: (level, line) => lines.push(`${level}: ${line}`), end: () => 0 }, { reachesServer: () => true });
  const said = () => {
    const refused = ["chdir", "_debugProcess"].map((name) => {
      try {
        process[name]("/");
      } catch (error) {
        return error.message;
      }
    });
    process.on("SIGTERM", () => undefined);
    return [...refused, ...lines];
  };
  return { builtin, said };
}

describe("messages about the process", () => {
  it("speak of the server", () => {
    const [chdir, debugging, signal] = guarded().said();
    assert.equal(chdir, "process.chdir() is not supported: the working directory is the server's");
    assert.match(debugging, /which is the server's: use "svc plugin inspect"/);
    assert.match(signal, /^warn: process.on\("SIGTERM"\) has no effect: signals belong to the server. Use svc.onDispose for cleanup\.$/);
  });

  it("speak of the worker in that of a host entry, which has no svc", () => {
    const { builtin, said } = guarded();
    ownedByHostWorker(builtin);
    const lines = said();
    assert.equal(lines[0], "process.chdir() is not supported: the working directory is the worker's");
    assert.match(lines[2], /has no effect: signals belong to the daemon of the machine. Use context.lifecycle.signal, or dispose/);
    assert.doesNotMatch(lines.join("\n"), /svc|server/);
  });

  it("do so in the threads that it starts", async () => {
    const file = fileURLToPath(new URL("../../../../modules/jsruntime/js/prelude/owner.ts", import.meta.url));
    const { outputFiles } = buildSync({ entryPoints: [file], bundle: true, write: false, platform: "node", format: "cjs" });
    ownedByHostWorker(require);
    const text = `${outputFiles[0].text}\nrequire("worker_threads").parentPort.postMessage(ownerOf(require).whose);`;
    assert.deepEqual(await once(new Worker(text, { eval: true }), "message"), ["the worker's"]);
  });
});
