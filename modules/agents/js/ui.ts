import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkName, checkObject, checkText, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { copyJson, describeViolation } from "../../plugins/js/policy/strict_json";
import { notSupported } from "../../plugins/js/policy/thrown";
import type { InputOutcome } from "../../../sdk/src/ui";
import { extend } from "../../plugins/js/namespace";
import { formCallOf } from "./form_calls";
import { kDescribe, kInputPayload, kInputTimeoutMax, kInputTitle } from "./limits";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
const { byteLength } = Buffer;
const { setTimeout, clearTimeout, Promise } = globalThis;

const kMember = "ui.requestInput";
const kThreadAction = "ui.registerThreadAction";
const kFields = ["threadId", "rendererId", "title", "payload", "timeoutMs", "presentation", "describeSubmission"];

/** A checked request. */
export interface InputRequest {
  /** Null for a call outside of threads. */
  threadId: string | null;
  rendererId: string;
  /** Trimmed. */
  title: string;
  payload: unknown;
  timeoutMs: number | undefined;
  presentation: object | undefined;
  describeSubmission: ((value: unknown) => unknown) | undefined;
}

/** Shows a form and waits for its outcome. */
export type AskForInput = (request: InputRequest, signal: AbortSignal | undefined) => Promise<InputOutcome>;

/** Which call a form outside of threads belongs to; throws when it is none whose caller shows forms. */
export function requireFormCall(signal: AbortSignal | undefined): string {
  const call = formCallOf(signal);
  if (call === undefined) {
    throw notSupported(
      `svc.${kMember}`,
      signal === undefined
        ? "outside of a thread a form belongs to the call of a tool, whose signal says which: requestInput(request, { signal: ctx.signal })"
        : "the signal is of no call whose caller shows forms: the window does (Try, on the page of the plugin), and MCP clients that take addresses",
    );
  }
  return call;
}

/** Forms of threads, which the host shows there; those of calls outside of threads are shown where their clients take them. */
function askHost(runtime: HostRuntime): AskForInput {
  const askThread = askInThread(runtime);
  return async (request, signal) => {
    const { threadId, rendererId, title, payload, timeoutMs } = request;
    if (threadId !== null) {
      return askThread(request, signal);
    }
    const call = requireFormCall(signal);
    const outcome = parse(
      (await runtime.call("ui.requestInput", stringify({ call, rendererId, title, payload, timeoutMs })))!,
    ) as InputOutcome;
    // The form ends with the call it belongs to, which is aborted when the load ends.
    return outcome.outcome === "cancelled" && outcome.reason === "request-aborted" && isDisposal(signal)
      ? { outcome: "cancelled", reason: kDisposed }
      : outcome;
  };
}

/** The reason with which calls of tools are aborted when their plugin's load ends. */
const kDisposed = "plugin-disposed";

function isDisposal(signal: AbortSignal | undefined): boolean {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.message === kDisposed;
}

function askInThread(runtime: HostRuntime): AskForInput {
  let last = 0;
  return async ({ threadId, rendererId, title, payload, timeoutMs, presentation, describeSubmission }, signal) => {
    if (runtime.callSync("ui.hasThreads", "") !== "yes") {
      throw notSupported(`svc.${kMember}`, "this service has no threads");
    }
    if (signal?.aborted === true) {
      return { outcome: "cancelled", reason: isDisposal(signal) ? kDisposed : "request-aborted" };
    }
    const number = String(++last);
    // The end of the load interrupts its forms by itself, and says so.
    const cancel = (): void => {
      if (!isDisposal(signal)) {
        runtime.callSync("ui.cancelThreadInput", number);
      }
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const described = describeSubmission !== undefined;
      // Which call of a tool it is for, whose caller need not wait for a person then.
      const call = formCallOf(signal);
      const form = { number, threadId, rendererId, title, payload, timeoutMs, presentation, described, call };
      const outcome = parse((await runtime.call("ui.requestThreadInput", stringify(form)))!) as InputOutcome & { interactionId?: string };
      if (outcome.outcome !== "submitted") {
        return outcome;
      }
      if (describeSubmission !== undefined) {
        const description = await describe(describeSubmission, outcome.value);
        runtime.callSync("ui.describeThreadInput", stringify({ interactionId: outcome.interactionId, description }));
      }
      return { outcome: "submitted", value: outcome.value };
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  };
}

/** What the timeline keeps of an answer; null when the plugin says nothing of use in time, which keeps nobody from the answer. */
async function describe(describeSubmission: (value: unknown) => unknown, value: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), kDescribe);
  });
  try {
    const description = await Promise.race([describeSubmission(value), late]);
    const { copy, violation } = copyJson(description);
    const isUsable = violation === null && typeof copy === "object" && copy !== null;
    return isUsable && byteLength(stringify(copy)) <= kInputPayload ? copy : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** `svc.ui.requestInput`: the request is checked in full before `ask` gets it. `registerThreadAction` is taken and not used. */
export default function uiPart(runtime: HostRuntime, api: PluginApi, ask: AskForInput = askHost(runtime)): void {
  function checkRequest(value: unknown): InputRequest {
    const request = checkObject(api.fail, kMember, value, "the request");
    if (request.threadId !== null) {
      checkText(api.fail, kMember, request.threadId, "threadId");
    }
    checkName(api.fail, kMember, request.rendererId, "rendererId");
    const title = checkText(api.fail, kMember, request.title, "title").trim();
    if (title.length > kInputTitle) {
      api.fail(kMember, `title has ${title.length} characters, the limit inputTitle is ${kInputTitle}`);
    }
    const payload = checkPayload(request.payload);
    checkTimeout(request.timeoutMs);
    if (request.presentation !== undefined) {
      checkObject(api.fail, kMember, request.presentation, "presentation");
    }
    if (request.describeSubmission !== undefined) {
      checkFunction(api.fail, kMember, request.describeSubmission, "describeSubmission");
    }
    ignoreUnknownFields(api.problem, kMember, request, kFields, "the request");
    return { ...(request as unknown as InputRequest), title, payload };
  }

  function checkPayload(given: unknown): unknown {
    const { copy: payload, violation } = copyJson(given);
    if (violation !== null) {
      api.fail(kMember, `the payload is not JSON: ${describeViolation("payload", violation)}`);
    }
    const bytes = byteLength(stringify(payload));
    if (bytes > kInputPayload) {
      api.fail(kMember, `the payload has ${bytes} bytes as JSON, the limit inputPayload is ${kInputPayload}`);
    }
    return payload;
  }

  function checkTimeout(timeout: unknown): void {
    if (timeout === undefined) {
      return;
    }
    if (typeof timeout !== "number" || !(timeout >= 1)) {
      api.fail(kMember, "timeoutMs must be a number of milliseconds from 1");
    }
    if ((timeout as number) > kInputTimeoutMax) {
      api.fail(kMember, `timeoutMs is ${timeout as number}, the limit inputTimeoutMax is ${kInputTimeoutMax}`);
    }
  }

  function checkOptions(options: unknown): AbortSignal | undefined {
    if (options === undefined) {
      return undefined;
    }
    const { signal } = checkObject(api.fail, kMember, options, "options");
    if (signal !== undefined && typeof (signal as Partial<AbortSignal> | null)?.aborted !== "boolean") {
      api.fail(kMember, `signal must be an AbortSignal, is ${kindOf(signal)}`);
    }
    return signal as AbortSignal | undefined;
  }

  extend(api, "ui", {
    registerThreadAction: api.guard(kThreadAction, () => api.unsupported(kThreadAction)),
    requestInput: api.guard(kMember, async (request: unknown, options?: unknown) => {
      const checked = checkRequest(request);
      return ask(checked, checkOptions(options));
    }),
  });
}
