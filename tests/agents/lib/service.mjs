// A server with plugins for one test: everything it and its clients write is in a directory that goes with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { kRoot } from "./packages.mjs";

export const kBin = process.env.SVC_BIN_DIR ?? join(kRoot, "build/dev/bin");
export const kTodo = join(kRoot, "examples/todo");
export const kProbe = join(kRoot, "tests/agents/plugins/probe");

/** What every program gets: nothing of whoever runs the test but where programs are. */
export function environmentOf(home) {
  return {
    HOME: home,
    PATH: `${kBin}:${process.env.PATH}`,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local/state"),
    TMPDIR: join(home, "tmp"),
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    TERM: "dumb",
  };
}

export function scratchHome() {
  const home = mkdtempSync(join(tmpdir(), "svc-agents-"));
  for (const folder of [".config", ".local/share", ".cache", "tmp", "work"]) {
    mkdirSync(join(home, folder), { recursive: true });
  }
  // Agents that run commands in a login shell get the PATH of the system, where an installed `svc` would be.
  writeFileSync(join(home, ".bash_profile"), `export PATH="${kBin}:$PATH"\n`);
  return home;
}

/** Runs a program to its end; stdin is closed unless `input` is given. */
export async function run(argv, { env, cwd, input, timeoutMs = 120_000 }) {
  const child = spawn(argv[0], argv.slice(1), { env, cwd, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (output.stderr += text));
  child.stdin?.end(input);
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const [status, signal] = await once(child, "close");
  clearTimeout(timer);
  return { status, signal, ...output };
}

/** A copy of a plugin's sources, with the packages of this repository. */
export function copyOf(plugin, home) {
  const target = join(home, "plugins", basename(plugin));
  cpSync(plugin, target, { recursive: true, filter: (path) => !/\/(node_modules|dist)(\/|$)/.test(path.slice(plugin.length)) });
  if (!existsSync(join(target, "node_modules"))) {
    symlinkSync(join(kRoot, "node_modules"), join(target, "node_modules"));
  }
  return target;
}

/** A server that listens; what it logs goes to `hear`. */
async function startServer(address, { env, home, hear }) {
  let log = "";
  const server = spawn(join(kBin, "svcd"), ["--listen", address], { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  server.stderr.setEncoding("utf8").on("data", (text) => {
    log += text;
    hear(text);
  });
  const url = await new Promise((found, failed) => {
    let text = "";
    server.stdout.setEncoding("utf8").on("data", (piece) => {
      text += piece;
      const match = /listening on (http:\S+)/.exec(text);
      if (match) {
        found(match[1]);
      }
    });
    server.once("exit", (code) => failed(new Error(`svcd ended with ${code}:\n${log}`)));
  });
  return { server, url };
}

/** `more`: variables that the server has beside those of `environmentOf`. */
export async function startService(plugins, { home = scratchHome(), more = {} } = {}) {
  const env = { ...environmentOf(home), ...more };
  let log = "";
  const hear = (text) => (log += text);
  let { server, url } = await startServer("127.0.0.1:0", { env, home, hear });
  const svc = (...args) => run([join(kBin, "svc"), ...args], { env, cwd: join(home, "work") });
  async function mustRun(...args) {
    const { status, stdout, stderr } = await svc(...args);
    if (status !== 0) {
      throw new Error(`svc ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    }
    return stdout;
  }
  const service = {
    url,
    endpoint: `${url}/api/v1/mcp`,
    home,
    env,
    work: join(home, "work"),
    svc,
    mustRun,
    log: () => log,
    /** As after a crash: nobody says good-bye, and the next one is where this one was. */
    async killAndStartAgain() {
      const gone = once(server, "exit");
      server.kill("SIGKILL");
      await gone;
      ({ server } = await startServer(new URL(url).host, { env, home, hear }));
    },
    async close() {
      if (server.exitCode === null) {
        server.kill();
        await once(server, "exit");
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
  try {
    for (const plugin of plugins) {
      await mustRun("plugin", "install", copyOf(plugin, home), "--yes");
    }
  } catch (error) {
    await service.close();
    throw error;
  }
  return service;
}
