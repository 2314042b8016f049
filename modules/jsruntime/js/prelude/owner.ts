/** Whose process plugin code runs in, as messages that refuse something say it. */
import type { BuiltinRequire } from "../binding.js";

interface Owner {
  /** Whose: "the server's". */
  whose: string;
  /** Who has the signals of the process, and what takes their place. */
  signals: string;
  /** What opens a debugger, and what records: sentences, or nothing. */
  debugger: string;
  recordings: string;
}

type Threads = typeof import("node:worker_threads");

const kKey = "svc.processOwner";

const kServer: Owner = {
  whose: "the server's",
  signals: "signals belong to the server. Use svc.onDispose for cleanup.",
  debugger: 'use "svc plugin inspect" for a debugger, "svc plugin profile" and "svc plugin heap" for recordings',
  recordings: '"svc plugin heap" records the heap.',
};

const kHostWorker: Owner = {
  whose: "the worker's",
  signals: "signals belong to the daemon of the machine. Use context.lifecycle.signal, or dispose of the host entry, for cleanup.",
  debugger: "a worker of a host entry has none",
  recordings: "a worker of a host entry records none.",
};

/** The server's process, unless the environment says otherwise. */
export function ownerOf(builtin: BuiltinRequire): Owner {
  return (builtin<Threads>("worker_threads").getEnvironmentData(kKey) as Owner | undefined) ?? kServer;
}

/** The process is that of a host entry, for this environment and the threads that it starts. */
export function ownedByHostWorker(builtin: BuiltinRequire): void {
  builtin<Threads>("worker_threads").setEnvironmentData(kKey, { ...kHostWorker });
}
