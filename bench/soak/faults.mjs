import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { svcd } from "../lib/paths.mjs";

export const summary = "every file operation of a session fails once: full disk, broken disk, kill; nothing that was acknowledged is lost";

const kKinds = ["enospc", "eio", "kill"];
const kPointsPerKind = { long: 136, quick: 6 };
const kAtATime = 2;
/** For a start, an answer and a stop, on a machine that is busy. */
const kPatienceMs = 60_000;

const kPlugin = `
const any = { "~standard": { version: 1, vendor: "soak", validate: (value) => ({ value }) } };
const method = { input: any, output: any };
export default (svc) => {
  const settings = svc.settings.define({ region: { type: "string", default: "none" }, apiKey: { type: "string", secret: true } });
  const rows = () => {
    const db = svc.storage.database();
    db.exec("CREATE TABLE IF NOT EXISTS rows (key TEXT PRIMARY KEY, value TEXT)");
    return db;
  };
  svc.rpc.register({ put: method, get: method, insert: method, find: method, saved: method }, {
    put: async ({ key, value }) => (await svc.storage.kv.set(key, value), null),
    get: async (key) => (await svc.storage.kv.get(key)) ?? null,
    insert: ({ key, value }) => (rows().prepare("INSERT OR REPLACE INTO rows VALUES (?, ?)").run(key, value), null),
    find: (key) => rows().prepare("SELECT value FROM rows WHERE key = ?").get(key)?.value ?? null,
    saved: async (key) => (await settings.get())[key] ?? null,
  });
};
`;

export async function run({ quick, log }) {
  const dir = await mkdtemp(join(tmpdir(), "svc-soak-"));
  try {
    const library = join(dir, "faults.so");
    const source = fileURLToPath(new URL("faults.c", import.meta.url));
    const built = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { encoding: "utf8" });
    if (built.status !== 0) {
      throw new Error(`cannot build faults.c:\n${built.error ?? built.stderr}`);
    }
    const plugin = join(dir, "faulted");
    await mkdir(plugin);
    await writeFile(join(plugin, "server.ts"), kPlugin);
    const manifest = { name: "svc-plugin-faulted", version: "1.0.0", type: "module", svc: { server: "server.ts" } };
    await writeFile(join(plugin, "package.json"), JSON.stringify(manifest));

    const all = await new Session({ dir, library, plugin, kind: "none", at: 0 }).run();
    log(`${all.operations} operations in a session without a fault`);
    const perKind = quick ? kPointsPerKind.quick : kPointsPerKind.long;
    const points = kKinds.flatMap((kind) =>
      Array.from({ length: perKind }, (_, index) => ({ kind, at: 1 + Math.floor(((index + 0.5) * all.operations) / perKind) })),
    );
    const problems = all.problems.slice();
    const outcomes = {};
    const work = async () => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        const result = await new Session({ dir, library, plugin, ...point }).run();
        outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1;
        problems.push(...result.problems);
      }
    };
    const total = points.length;
    await Promise.all(Array.from({ length: kAtATime }, work));
    log(
      `${total} points: ${Object.entries(outcomes)
        .map(([name, count]) => `${count} ${name}`)
        .join(", ")}`,
    );
    return problems;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** One life of a data directory: a session with a fault, then a start without one that looks at what is there. */
class Session {
  #options;
  #where;
  #data;
  #counter;
  #server;
  #problems = [];
  /** By call that reads it: what may be there. */
  #expected = new Map();
  #installed = false;
  #refusals = 0;

  constructor(options) {
    this.#options = options;
    this.#where = `${options.kind} at ${options.at}`;
  }

  async run() {
    const home = await mkdtemp(join(this.#options.dir, "session-"));
    this.#data = join(home, "data");
    this.#counter = join(home, "counter");
    await writeFile(this.#counter, Buffer.alloc(8));
    let outcome = "without an effect";
    try {
      const faulty = {
        LD_PRELOAD: this.#options.library,
        FAULTS_DATA: this.#data,
        FAULTS_COUNTER: this.#counter,
        FAULTS_KIND: this.#options.kind,
        FAULTS_AT: String(this.#options.at),
      };
      const completed =
        (await this.#start(faulty)) &&
        (await this.#use()) &&
        (await this.#stop()) &&
        (await this.#start(faulty)) &&
        (await this.#useAgain()) &&
        (await this.#stop());
      outcome = !completed ? "ended the session" : this.#refusals > 0 ? "refused calls" : outcome;
      const operations = Number((await readFile(this.#counter)).readBigInt64LE());
      await this.#look();
      return { outcome, operations, problems: this.#problems };
    } finally {
      this.#server?.child.kill("SIGKILL");
      await rm(home, { recursive: true, force: true });
    }
  }

  #problem(text) {
    this.#problems.push(`${this.#where}: ${text}`);
  }

  /** False when it has ended instead, with a reason unless it was killed. */
  async #start(extra = {}) {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_"));
    const env = { ...Object.fromEntries(own), XDG_CONFIG_HOME: join(this.#data, "../config"), ...extra };
    const args = ["--listen", "127.0.0.1:0", "--data-dir", this.#data, "--hosts.local=false", "--updates.check=false"];
    const child = spawn(svcd, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    child.stderr.on("data", (chunk) => said.push(chunk));
    const exited = once(child, "exit");
    const timer = setTimeout(() => (this.#problem("the start hangs"), child.kill("SIGKILL")), kPatienceMs);
    for await (const line of createInterface({ input: child.stdout })) {
      const found = /listening on (http:\/\/\S+)/.exec(line);
      if (found) {
        clearTimeout(timer);
        child.stdout.resume();
        this.#server = { url: found[1], child, exited, said };
        await this.#loaded();
        return true;
      }
    }
    const [code, signal] = await exited;
    clearTimeout(timer);
    this.#server = undefined;
    this.#checkEnd(code, signal, said);
    if (signal === null && !/svcd: .{10}/.test(Buffer.concat(said).toString())) {
      this.#problem(`the start fails without a reason: ${Buffer.concat(said)}`);
    }
    return false;
  }

  /** The server begins to serve when its plugins have had some time; on a busy machine one may take longer. */
  async #loaded() {
    for (const end = Date.now() + kPatienceMs; Date.now() < end; await sleep(50)) {
      const answer = await fetch(`${this.#server.url}/api/v1/plugins/faulted`)
        .then((response) => response.json())
        .catch(() => undefined); // it has gone, which the next call tells
      if (answer?.plugin?.status !== "starting") {
        return;
      }
    }
    this.#problem("the plugin does not come to the end of its start");
  }

  /** A kill is ours; any other signal, and an end by force, is a fault of the server. */
  #checkEnd(code, signal, said) {
    const killed = signal === "SIGKILL" && this.#options.kind === "kill";
    if (!killed && (signal !== null || code === 70)) {
      this.#problem(`svcd ended with ${signal ?? code}: ${Buffer.concat(said).toString().slice(-600)}`);
    }
  }

  async #stop() {
    const { child, exited, said } = this.#server;
    const timer = setTimeout(() => (this.#problem("the stop hangs"), child.kill("SIGKILL")), kPatienceMs);
    child.kill("SIGTERM");
    const [code, signal] = await exited;
    clearTimeout(timer);
    this.#server = undefined;
    this.#checkEnd(code, signal, said);
    if (signal === null && code !== 0) {
      this.#problem(`svcd stopped with ${code}: ${Buffer.concat(said).toString().slice(-600)}`);
    }
    return signal === null;
  }

  /** The answer; undefined when the server has gone. */
  async #call(method, path, body) {
    const { url, child, exited, said } = this.#server;
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(kPatienceMs),
      });
      const json = await response.json();
      if (!response.ok) {
        ++this.#refusals;
        if (this.#options.kind === "none" || !json.error?.message || json.error.code === "internal") {
          this.#problem(`${method} ${path} answered ${response.status} ${JSON.stringify(json).slice(0, 400)}`);
        }
      }
      return { ok: response.ok, json };
    } catch (error) {
      if (error.name === "TimeoutError") {
        this.#problem(`${method} ${path} has no answer`);
        child.kill("SIGKILL");
      }
      const [code, signal] = await exited;
      this.#checkEnd(code, signal, said);
      return undefined;
    }
  }

  #rpc(name, input) {
    return this.#call("POST", `/plugins/faulted/rpc/${name}`, input);
  }

  /** Writes and remembers what may be read with `read` from now on; false when the server has gone. */
  async #write(read, value, write) {
    const before = this.#expected.get(read) ?? [null];
    const answer = await write();
    this.#expected.set(read, answer?.ok ? [value] : [...before, value]);
    return answer !== undefined;
  }

  #put(key, value) {
    return this.#write(`get ${key}`, value, () => this.#rpc("put", { key, value }));
  }

  #insert(key, value) {
    return this.#write(`find ${key}`, value, () => this.#rpc("insert", { key, value }));
  }

  /** One save of two values, a secret among them, which are in two places. */
  #save(value) {
    const values = { region: value, apiKey: `secret-${value}` };
    return this.#write("saved region", value, () => this.#call("PUT", "/plugins/faulted/settings", { values }));
  }

  async #use() {
    const install = await this.#call("POST", "/plugins/install", { source: `path:${this.#options.plugin}` });
    this.#installed = install?.ok === true;
    this.#expected.set("saved region", ["none"]);
    if (!this.#installed) {
      return install !== undefined;
    }
    for (let at = 0; at < 8; ++at) {
      if (!(await this.#put(`key-${at}`, `first-${at}`))) {
        return false;
      }
    }
    for (const value of ["one", "two"]) {
      if (!(await this.#save(value)) || !(await this.#insert(`row-${value}`, value))) {
        return false;
      }
    }
    const file = join(this.#data, "../saved.svcbackup");
    const backup = await this.#call("POST", "/system/backup", { file });
    if (backup?.ok && spawnSync("gzip", ["-t", "-S", ".svcbackup", file]).status !== 0) {
      this.#problem("a backup that was acknowledged is damaged");
    }
    const reload = backup && (await this.#call("POST", "/plugins/reload?id=faulted", {}));
    if (!reload) {
      return false;
    }
    for (let at = 4; at < 12; ++at) {
      if (!(await this.#put(`key-${at}`, `second-${at}`))) {
        return false;
      }
    }
    return (await this.#save("three")) && (await this.#alive());
  }

  async #useAgain() {
    if (!this.#installed) {
      return true;
    }
    for (let at = 8; at < 12; ++at) {
      if (!(await this.#put(`key-${at}`, `third-${at}`)) || !(await this.#insert(`row-${at}`, "again"))) {
        return false;
      }
    }
    return (await this.#save("four")) && (await this.#alive());
  }

  async #alive() {
    return (await this.#call("GET", "/plugins")) !== undefined;
  }

  /** A start without faults: everything that was acknowledged is there, and the server works. */
  async #look() {
    const killed = this.#options.kind === "kill";
    this.#options = { ...this.#options, kind: "none" };
    this.#where += ", afterwards";
    if (!(await this.#start())) {
      this.#problem("the server does not start again");
      return;
    }
    if (this.#installed) {
      for (const [read, possible] of this.#expected) {
        const [method, key] = read.split(" ");
        const found = (await this.#rpc(method, key))?.json.result;
        if (!possible.includes(found)) {
          this.#problem(`${read} is ${JSON.stringify(found)}, not ${possible.map((value) => JSON.stringify(value)).join(" or ")}`);
        }
      }
      const region = (await this.#rpc("saved", "region"))?.json.result;
      const secret = (await this.#rpc("saved", "apiKey"))?.json.result;
      // Between its two places only a kill can come.
      if (!killed && region !== "none" && secret !== `secret-${region}`) {
        this.#problem(`one save is there by half: region ${region}, apiKey ${secret}`);
      }
      await this.#put("after", "all");
    }
    await this.#stop();
  }
}
