import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, kindOf } from "../../plugins/js/policy/arguments";
import { messageOf } from "../../plugins/js/policy/thrown";
import { reportUnlessServed } from "./served";

type Hook = (context: unknown) => unknown;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;

const kOn = "experimental_hooks.on";
const kRecheck = "experimental_hooks.recheck";
const kDispatch = "message.dispatch";
/** lim.waitReason, in characters. */
const kWaitReason = 200;

/**
 * `svc.experimental_hooks`. Registration "hooks" lists the hooks that have a handler; the host's function "hooks.decide"
 * (meta: the hook, body: the context) answers with the decision.
 */
export default function hooksPart(runtime: HostRuntime, api: PluginApi): void {
  const hooks = new Map<string, Hook>();

  function checkHook(member: string, name: unknown): string {
    if (name !== kDispatch) {
      api.fail(member, `unknown hook ${typeof name === "string" ? `"${name}"` : kindOf(name)}; the only hook is "${kDispatch}"`);
    }
    return name as string;
  }

  function on(name: unknown, fn: unknown): void {
    const hook = checkHook(kOn, name);
    const handler = checkFunction(api.fail, kOn, fn, `the handler of "${hook}"`) as unknown as Hook;
    if (hooks.has(hook)) {
      api.fail(kOn, `duplicate name "${hook}"`);
    }
    hooks.set(hook, handler);
    reportUnlessServed(runtime, api, kOn);
    api.setRegistration("hooks", [...hooks.keys()]);
  }

  function refuse(what: string): never {
    throw runtime.error("handler_error", `the hook "${kDispatch}" ${what}`, { cause: new Error(what) });
  }

  function readDecision(value: unknown): object {
    const { kind, reason, sendAt, message } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    switch (kind) {
      case "proceed":
        return { kind };
      case "reject":
        return typeof message === "string" && message !== "" ? { kind, message } : refuse("returned a reject without a message");
      case "wait":
        return { kind, reason: readReason(reason), sendAt: readTime(sendAt) };
      default:
        return refuse(`returned ${kind === undefined ? kindOf(value) : `the kind ${stringify(kind)}`}, expected proceed, wait or reject`);
    }
  }

  function readReason(reason: unknown): string {
    if (typeof reason !== "string" || reason === "") {
      return refuse("returned a wait without a reason");
    }
    if (reason.length > kWaitReason) {
      return refuse(`returned a reason of ${reason.length} characters, the limit waitReason is ${kWaitReason}`);
    }
    return reason;
  }

  function readTime(sendAt: unknown): number | undefined {
    if (sendAt !== undefined && (typeof sendAt !== "number" || !Number.isFinite(sendAt))) {
      refuse("returned a sendAt that is not a time in milliseconds");
    }
    return sendAt as number | undefined;
  }

  runtime.handle("hooks.decide", async (name, body) => {
    const hook = hooks.get(name);
    if (hook === undefined) {
      return stringify({ kind: "proceed" });
    }
    let decision: unknown;
    try {
      decision = await hook(parse(body));
    } catch (thrown) {
      throw runtime.error("handler_error", messageOf(thrown), { cause: thrown });
    }
    return stringify(readDecision(decision));
  });

  api.svc.experimental_hooks = {
    on: api.guard(kOn, on),
    recheck: api.guard(kRecheck, (name: unknown) => {
      runtime.callSync("hooks.recheck", stringify(checkHook(kRecheck, name)));
    }),
  };
}
