// `svc plugin dev` and other programs that are watched line by line, and a new plugin for them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

import { nodeModules, svc } from "./paths.mjs";

const kLineMs = 30_000;

/** The lines of a running program: `next(pattern)` resolves with the first further line that matches. */
function follow(child) {
  let waiting;
  const said = [];
  const hear = (line) => {
    said.push(line);
    if (waiting?.pattern.test(line)) {
      waiting.resolve(line);
      waiting = undefined;
    }
  };
  createInterface({ input: child.stdout }).on("line", hear);
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  return (pattern) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no line ${pattern}; it said:\n${said.join("\n")}`)), kLineMs);
      waiting = { pattern, resolve: (line) => (clearTimeout(timer), resolve(line)) };
    });
}

/** Runs a program during `work(next, pid)`, see `follow`. */
export async function followed(command, args, options, work) {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit");
  try {
    return await work(follow(child), child.pid);
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}

export function mustRun(command, args, options) {
  const done = spawnSync(command, args, { encoding: "utf8", ...options });
  if (done.status !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed:\n${done.error ?? done.stdout + done.stderr}`);
  }
}

/** A new plugin whose packages are the ones of this repository. */
export function scaffold(dir) {
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin/npm"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const env = { ...process.env, PATH: join(dir, "bin") + delimiter + process.env.PATH };
  mustRun(svc, ["plugin", "new", "bench"], { cwd: dir, env });
  const plugin = join(dir, "svc-plugin-bench");
  mkdirSync(join(plugin, "node_modules"));
  for (const entry of readdirSync(nodeModules)) {
    symlinkSync(join(nodeModules, entry), join(plugin, "node_modules", entry));
  }
  return plugin;
}
