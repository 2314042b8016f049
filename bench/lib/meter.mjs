// What servers under test take of the machine: a process with all that it has started.
import { readFileSync } from "node:fs";

import { familyOf } from "./family.mjs";

const kTickMs = 10; // of utime and stime: USER_HZ is 100 on every Linux that runs this
const kSampleMs = 200;

function statOf(pid) {
  try {
    // The name, in parentheses, may have spaces.
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
  } catch {
    return null; // it has ended; what it took counts among the children of its parent
  }
}

/** Resident memory of the process alone. */
export function residentMiB(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

/** Processor's time so far, of the process and all below it, and the resident memory of the process. */
export function usageOf(pid) {
  let cpuMs = 0;
  for (const one of familyOf(pid)) {
    // utime, stime, and those of children that were waited for
    const stat = statOf(one);
    cpuMs += stat === null ? 0 : (stat[11] + stat[12] + stat[13] + stat[14]) * kTickMs;
  }
  return { cpuMs, rssMiB: residentMiB(pid) };
}

/**
 * Runs `work()`; what it resolves with, and beside it what the server took meanwhile: `cpuMs`, of it `cpuUs` for each of its
 * `operations` if it counts them, and the highest `rssMiB`.
 */
export async function metered(pid, work) {
  const before = usageOf(pid);
  let { rssMiB } = before;
  const timer = setInterval(() => (rssMiB = Math.max(rssMiB, residentMiB(pid))), kSampleMs);
  try {
    const measured = await work();
    const after = usageOf(pid);
    const cpuMs = after.cpuMs - before.cpuMs;
    const cpuUs = measured.operations === undefined ? null : (cpuMs * 1000) / measured.operations;
    return { ...measured, cpuMs, cpuUs, rssMiB: Math.max(rssMiB, after.rssMiB) };
  } finally {
    clearInterval(timer);
  }
}
