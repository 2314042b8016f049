// Asks `df`, which every machine with a shell has. A process of its own can be ended when a network disk does not answer.
import { execFile } from "node:child_process";

import type { Disk } from "./contract";

/** Milliseconds. */
const kPatience = 10_000;

export function readDisks(signal: AbortSignal): Promise<Disk[]> {
  return new Promise((resolve, reject) => {
    const options = { signal, timeout: kPatience, env: { ...process.env, LC_ALL: "C" } };
    execFile("df", ["-k", "-P"], options, (error, stdout) => {
      const disks = parseDf(stdout);
      // One disk that cannot be read makes df fail, although it tells about all others.
      if (error !== null && (disks.length === 0 || signal.aborted)) {
        reject(error as Error);
      } else {
        resolve(disks);
      }
    });
  });
}

/** `Filesystem 1024-blocks Used Available Capacity Mounted on`; the last column may hold spaces. */
export function parseDf(output: string): Disk[] {
  const byDevice = new Map<string, Disk>();
  for (const line of output.split("\n").slice(1)) {
    const match = /^(\S.*?)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(?:\d+%|-)\s+(\/.*)$/.exec(line);
    if (match === null) {
      continue;
    }
    const [, device = "", total, used, free, path = ""] = match;
    const known = byDevice.get(device);
    // What holds no files of its own (/proc, /dev, …) has no slash in its name, but everything lies below the root.
    if (Number(total) === 0 || (!device.includes("/") && path !== "/")) {
      continue;
    }
    // The same disk may be mounted in several places.
    if (known !== undefined && known.path.length <= path.length) {
      continue;
    }
    byDevice.set(device, {
      path,
      device,
      totalBytes: Number(total) * 1024,
      usedBytes: Number(used) * 1024,
      freeBytes: Math.max(0, Number(free)) * 1024,
    });
  }
  return [...byDevice.values()].sort((left, right) => left.path.localeCompare(right.path));
}
