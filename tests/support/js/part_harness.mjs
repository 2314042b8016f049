// Loads one script part the way the build embeds it, against a fake of the runtime and of the API object.
import { load } from "./bundle.mjs";

export class FakeRuntime {
  handlers = new Map();
  hostCalls = [];

  // As the host, for texts that are ASCII.
  quoteJson(pieces) {
    return pieces.map((piece, index) => (index % 2 === 1 ? JSON.stringify(piece) : piece)).join("");
  }
  callSync(name, argument) {
    this.hostCalls.push({ name, argument });
    return undefined;
  }
  /** Answers with what `onTransfer(name, argument, bytes)` returns or throws. */
  transfers = [];
  onTransfer = undefined;
  async transfer(name, argument, bytes) {
    this.transfers.push({ name, argument, bytes: bytes?.slice() });
    return this.onTransfer?.(name, argument, bytes);
  }
  handle(name, handler) {
    this.handlers.set(name, handler);
  }
  watchdogPaused = false;
  withInspector(act) {
    return act();
  }
  pauseWatchdog(paused) {
    this.watchdogPaused = paused;
  }
  error(code, message, extra) {
    return Object.assign(new Error(message), { wireCode: code }, extra);
  }
  argumentsOf(name) {
    return this.hostCalls.filter((call) => call.name === name).map((call) => call.argument);
  }
}

export class FakeApi {
  pluginId = "todo";
  svc = {};
  inFactory = true;
  stale = false;
  problems = [];
  unsupportedMembers = [];
  registrations = new Map();
  disposeHooks = [];

  problem = (code, message) => void this.problems.push({ code, message });
  unsupported = (member) => void this.unsupportedMembers.push(member);
  setRegistration = (kind, value) => void this.registrations.set(kind, typeof value === "function" ? value() : value);
  onDispose = (hook) => void this.disposeHooks.push(hook);

  guard(member, fn) {
    return (...args) => {
      if (this.stale) {
        throw Object.assign(new Error(member), { name: "PluginContextStaleError" });
      }
      return fn(...args);
    };
  }
  fail = (member, what) => {
    throw new TypeError(`${member}: ${what}`);
  };
}

/** A call whose signal counts how often it was asked for. */
export class FakeCall {
  signalReads = 0;
  controller = new AbortController();
  get signal() {
    this.signalReads += 1;
    return this.controller.signal;
  }
}

/** Makes fresh copies of a script part, named by its path in the repository. */
export function partLoader(path) {
  const part = load(path).default;
  return () => {
    const runtime = new FakeRuntime();
    const api = new FakeApi();
    part(runtime, api);
    return { runtime, api, svc: api.svc };
  };
}

/** Runs a function that may throw or return anything; resolves with `{ value }` or `{ error }`. */
export async function outcomeOf(run) {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}
