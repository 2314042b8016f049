// Servers under test: started fresh in a directory of their own, stopped and cleaned up afterwards.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import * as paths from "./paths.mjs";
import { sampled } from "./profile.mjs";

const kReadyMs = 30_000;
const kStopMs = 15_000;

/** The environment without settings of a server the user may be running. */
function cleanEnvironment(extra = {}) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_"));
  return { ...Object.fromEntries(own), NODE_ENV: "production", ...extra };
}

/** Starts a program that prints `listening on <url>`; resolves with its url and pid, and when it was started. */
async function startServer(command, args, env) {
  const startedAt = Date.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const errors = [];
  child.stderr.on("data", (chunk) => errors.push(chunk));
  const exited = once(child, "exit");
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const found = /listening on (http:\/\/\S+)/.exec(line);
      if (found) {
        child.stdout.resume();
        return found[1];
      }
    }
    await exited;
    throw new Error(`${command} ended before it was ready:\n${Buffer.concat(errors)}`);
  })();
  const timer = setTimeout(() => child.kill("SIGKILL"), kReadyMs);
  const url = await ready.finally(() => clearTimeout(timer));

  async function stop() {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${command} ended during the measurement:\n${Buffer.concat(errors)}`);
    }
    const force = setTimeout(() => child.kill("SIGKILL"), kStopMs);
    child.kill("SIGTERM");
    await exited;
    clearTimeout(force);
  }
  return { url, pid: child.pid, startedAt, stop };
}

async function withServer(command, args, env, work) {
  const server = await startServer(command, args, env);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Runs `work(server)` against svcd with the data below `dir`, and these plugins installed beside those that are there. */
export async function withSvcdAt(dir, plugins, work, flags = []) {
  // Configuration of the user must not leak in.
  const env = cleanEnvironment({ XDG_CONFIG_HOME: join(dir, "config") });
  return withServer(paths.svcd, ["--listen", "127.0.0.1:0", "--data-dir", join(dir, "data"), ...flags], env, async (server) => {
    const clientEnv = { ...env, SVC_SERVER_URL: server.url };
    for (const plugin of plugins) {
      const installed = spawnSync(paths.svc, ["plugin", "install", plugin, "--yes"], { env: clientEnv, encoding: "utf8" });
      if (installed.status !== 0) {
        throw new Error(`svc plugin install ${plugin} failed:\n${installed.stdout}${installed.stderr}`);
      }
    }
    return sampled(server.pid, () => work({ ...server, clientEnv }));
  });
}

/** Runs `work(server)` against a fresh svcd with these plugins installed. */
export async function withSvcd(plugins, work, flags = []) {
  const dir = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    return await withSvcdAt(dir, plugins, work, flags);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Runs `work(server)` against a Node program of bench/peers. */
export async function withPeer(name, work, env = {}) {
  return withServer(process.execPath, [paths.peer(name)], cleanEnvironment(env), work);
}

/** Runs `work(server)` against any other program that prints `listening on <url>`. */
export async function withProgram(command, work) {
  return withServer(command, [], cleanEnvironment(), work);
}
