import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { kStageCleanMs } from "./limits";
import type { Target } from "./manifest";
import type { Contents } from "./target";

const kPrefixes: Record<Target, string> = { app: ".stage-", host: ".host-stage-", server: ".server-stage-" };
const open = new Set<string>();

process.on("exit", () => {
  for (const stage of open) {
    rmSync(stage, { recursive: true, force: true });
  }
});

function sweep(dist: string): void {
  for (const name of readdirSync(dist)) {
    if (!Object.values(kPrefixes).some((prefix) => name.startsWith(prefix))) {
      continue;
    }
    const stage = join(dist, name);
    const age = Date.now() - (statSync(stage, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > kStageCleanMs && !open.has(stage)) {
      rmSync(stage, { recursive: true, force: true });
    }
  }
}

/** Now, finer than Date.now(): the time that file systems give is not rounded down to milliseconds either. */
export const preciseNow = (): number => (performance.timeOrigin + performance.now()) / 1000;

/**
 * Puts the files of targets into the plugin's dist, all or none. They get the time at which the build began (seconds
 * since the epoch), so that a source saved meanwhile is newer than they are.
 */
export function replaceFiles(root: string, built: ReadonlyMap<Target, Contents>, began: number): void {
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  sweep(dist);
  const stages = new Map([...built.keys()].map((target) => [target, join(dist, `${kPrefixes[target]}${randomUUID()}`)]));
  for (const stage of stages.values()) {
    open.add(stage);
  }
  try {
    for (const [target, contents] of built) {
      writeStage(stages.get(target)!, contents, began);
    }
    for (const [target, contents] of built) {
      for (const [name, bytes] of Object.entries(contents)) {
        if (bytes === undefined) {
          rmSync(join(dist, name), { force: true });
        } else {
          renameSync(join(stages.get(target)!, name), join(dist, name));
        }
      }
    }
  } finally {
    for (const stage of stages.values()) {
      rmSync(stage, { recursive: true, force: true });
      open.delete(stage);
    }
  }
}

function writeStage(stage: string, contents: Contents, began: number): void {
  mkdirSync(stage);
  for (const [name, bytes] of Object.entries(contents)) {
    if (bytes === undefined) {
      continue;
    }
    writeFileSync(join(stage, name), bytes);
    utimesSync(join(stage, name), began, began);
  }
}
