import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkObject, kindOf } from "../../plugins/js/policy/arguments";

/** How far a call of a tool is. */
export type ReportProgress = (report: { progress: number; total?: number; message?: string }) => void;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { stringify } = JSON;
const clock = globalThis.performance;

const kMember = "experimental_progress";
/** Characters of a message; the rest is left out. */
const kMessage = 500;
/** A report is dropped when it comes sooner than this after the one before, in milliseconds. */
const kPause = 100;

/** `ctx.experimental_progress` of one call: checked whether or not anybody listens, so that a mistake shows. */
export function progressOf(runtime: HostRuntime, api: PluginApi, call: number | undefined, isOpen: () => boolean): ReportProgress {
  let last = -Infinity;
  return (value) => {
    const { progress, total, message } = checkObject(api.fail, kMember, value, "the report");
    checkNumber(api, "progress", progress);
    if (total !== undefined) {
      checkNumber(api, "total", total);
    }
    if (message !== undefined && typeof message !== "string") {
      api.fail(kMember, `message must be a string, is ${kindOf(message)}`);
    }
    const now = clock.now();
    if (call === undefined || !isOpen() || (now - last < kPause && progress !== total)) {
      return;
    }
    last = now;
    runtime.callSync("tools.progress", stringify({ call, progress, total, message: (message as string | undefined)?.slice(0, kMessage) }));
  };
}

function checkNumber(api: PluginApi, name: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    api.fail(kMember, `${name} must be a finite number, is ${kindOf(value)}`);
  }
}
