// Where the servers of svc that are measured spend the processor's time: `perf` samples the stacks of a server and of what it starts.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { familyOf } from "./family.mjs";
import { addStacks, parseSamples } from "./fold.mjs";

/** A little off a round number, so that timers do not run in step with it. */
const kPerSecond = "199";
/** A clock instead of a counter of the processor, which machines in a cloud have not. The second leaves out the kernel, as it must for users. */
const kEvents = ["cpu-clock", "cpu-clock:u"];
/** Our build keeps no frame pointers; the copies of the stack are long enough for nearly all of it. */
const kCallGraph = "dwarf,8192";
const kMostOutput = 2 ** 30;

/** What is in the way of profiles on this machine, with what to do about it; null when nothing is. */
export function perfProblem({ tryPerf = usableEvent, paranoid = readParanoid } = {}) {
  const { event, error, stderr = "" } = tryPerf();
  if (event !== undefined) {
    return null;
  }
  if (error?.code === "ENOENT") {
    return "perf is not installed. Debian: sudo apt install linux-perf; Ubuntu: sudo apt install linux-tools-generic.";
  }
  const level = paranoid();
  if (level > 2) {
    return `perf may not be used: kernel.perf_event_paranoid is ${level}. Until the next boot, sudo sysctl kernel.perf_event_paranoid=2 allows it.`;
  }
  return `perf does not work here (a container takes CAP_PERFMON): ${error?.message ?? stderr.trim()}`;
}

/** The first event that perf can sample here, or how the last try failed. */
function usableEvent() {
  let tried;
  for (const event of kEvents) {
    tried = spawnSync("perf", ["record", "-q", "-e", event, "-o", "/dev/null", "--", "true"], { encoding: "utf8" });
    if (tried.error === undefined && tried.status === 0) {
      return { event };
    }
  }
  return tried;
}

function readParanoid() {
  try {
    return Number(readFileSync("/proc/sys/kernel/perf_event_paranoid", "utf8"));
  } catch {
    return 0; // there is no such setting
  }
}

/** Stacks of the scenario that runs, by program; null when nobody wants profiles. */
let programs = null;

/** Runs `work()`; what it resolves with, and what its servers did meanwhile: of each program, folded stacks and their samples. */
export async function profiled(work) {
  programs = new Map();
  try {
    return { result: await work(), programs };
  } finally {
    programs = null;
  }
}

/** Samples the server and what it starts during `work()` when `profiled` runs; the server has to be there still when it ends. */
export async function sampled(pid, work) {
  if (programs === null) {
    return work();
  }
  const dir = mkdtempSync(join(tmpdir(), "svc-perf-"));
  try {
    const data = join(dir, "perf.data");
    const perf = await record(pid, data);
    const result = await work();
    const names = new Map(familyOf(pid).map((one) => [one, nameOf(one)]));
    await perf.end();
    addStacks(programs, samplesOf(data), names);
    return result;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Resolves when samples are taken, with how to end that. */
async function record(pid, data) {
  const { event } = usableEvent();
  const args = ["record", "-q", "-e", event, "-F", kPerSecond, "--call-graph", kCallGraph, "-o", data, "-p", familyOf(pid).join(",")];
  // It answers once it takes samples.
  const child = spawn("perf", [...args, "--control", "fd:3,4"], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
  const errors = [];
  child.stderr.on("data", (chunk) => errors.push(chunk));
  const exited = once(child, "exit");
  child.stdio[3].write("ping\n");
  if (!(await Promise.race([once(child.stdio[4], "data").then(() => true), exited.then(() => false)]))) {
    throw new Error(`perf ended:\n${Buffer.concat(errors)}`);
  }
  return {
    async end() {
      child.kill("SIGINT");
      await exited;
    },
  };
}

function samplesOf(data) {
  const args = ["script", "-i", data, "-F", "comm,pid,tid,ip,sym,dso", "--no-inline"];
  const { status, stdout, stderr } = spawnSync("perf", args, { encoding: "utf8", maxBuffer: kMostOutput });
  if (status !== 0) {
    throw new Error(`perf script failed:\n${stderr}`);
  }
  return parseSamples(stdout);
}

function nameOf(pid) {
  try {
    // Not the name of its main thread, which a program may change.
    return basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, "");
  } catch {
    return null; // it has ended
  }
}
