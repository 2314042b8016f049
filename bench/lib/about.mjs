// What a reader has to know of a run before its numbers say anything.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";

import { buildFolder, svcd } from "./paths.mjs";

function printed(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { cwd: import.meta.dirname, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

function system() {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "Linux";
  } catch {
    return "Linux";
  }
}

function commit() {
  const found = printed("git", "log", "-1", "--format=%h %s");
  if (found === null) {
    return "not from a repository";
  }
  return printed("git", "status", "--porcelain", "--untracked-files=no") === "" ? found : `${found} (with changes that are not committed)`;
}

/** The facts of a run that begins now, in the order of the report. */
export function about(form) {
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  return {
    date: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    machine: `${cpus()[0]?.model ?? "unknown processor"}, ${gib} GiB, ${system()}, Linux ${release()}`,
    cores: String(availableParallelism()),
    "load before": `${loadavg()[0].toFixed(2)} processes that ran or waited, in the last minute`,
    commit: commit(),
    build: `${buildFolder}, ${printed(svcd, "--version") ?? "version unknown"}`,
    peers: `Node.js ${process.versions.node}`,
    rounds: form,
  };
}
