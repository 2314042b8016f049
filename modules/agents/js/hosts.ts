import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject, checkText, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { isStandardSchema } from "../../plugins/js/policy/standard_schema";
import { abortError, notSupported } from "../../plugins/js/policy/thrown";

const kClient = "hosts.experimental_client";
const kCall = `${kClient}(…).call`;
const kPorts = "hosts.declareSharedPorts";
const kTunnel = "hosts.ensureSharedPortTunnel";
/** L:host-call. */
const kMaxTimeout = 2 ** 31 - 1;

/** `svc.hosts`: everything is checked as it will be; no host is connected, so every call says so. */
export default function hostsPart(_runtime: HostRuntime, api: PluginApi): void {
  function readContract(value: unknown): Set<string> {
    const contract = checkObject(api.fail, kClient, value, "contract");
    for (const [name, method] of Object.entries(contract)) {
      const { input, output } = checkObject(api.fail, kClient, method, `method "${name}"`);
      if ((input !== null && !isStandardSchema(input)) || !isStandardSchema(output)) {
        api.fail(kClient, `input and output of "${name}" must be Standard Schema v1 validators`);
      }
    }
    return new Set(Object.keys(contract));
  }

  function readSignals(value: unknown): Set<string> {
    if (value === undefined) {
      return new Set();
    }
    const signals = checkObject(api.fail, kClient, value, "experimental_signals");
    for (const [name, schema] of Object.entries(signals)) {
      if (!isStandardSchema(schema)) {
        api.fail(kClient, `the payload of signal "${name}" must be a Standard Schema v1 validator`);
      }
    }
    return new Set(Object.keys(signals));
  }

  function checkCall(methods: Set<string>, method: unknown, options: unknown): { hostId: string; signal?: AbortSignal } {
    if (typeof method !== "string" || !methods.has(method)) {
      api.fail(kCall, `the contract has no method ${typeof method === "string" ? `"${method}"` : kindOf(method)}`);
    }
    const { hostId, signal, timeoutMs } = checkObject(api.fail, kCall, options, "options");
    const host = checkText(api.fail, kCall, hostId, "hostId");
    if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= kMaxTimeout)) {
      api.fail(kCall, `timeoutMs must be a number of milliseconds from 1 to ${kMaxTimeout}`);
    }
    return { hostId: host, signal: signal as AbortSignal | undefined };
  }

  async function call(methods: Set<string>, method: unknown, options: unknown): Promise<never> {
    const { hostId, signal } = checkCall(methods, method, options);
    if (api.inFactory) {
      throw hostCallError("plugin_not_running", hostId, `${kCall}: the factory is still running; call the host later`);
    }
    if (signal?.aborted === true) {
      throw abortError(`the call of "${method as string}" was aborted`);
    }
    throw hostCallError("host_unavailable", hostId, `host "${hostId}" is not connected`);
  }

  function client(options: unknown): object {
    const given = checkObject(api.fail, kClient, options, "options");
    const methods = readContract(given.contract);
    const signals = readSignals(given.experimental_signals);
    ignoreUnknownFields(api.problem, kClient, given, ["contract", "experimental_signals"], "options");
    return {
      call: api.guard(kCall, (method: unknown, _input: unknown, callOptions: unknown) => call(methods, method, callOptions)),
      experimental_onWorkerExit: api.guard(`${kClient}(…).experimental_onWorkerExit`, (fn: unknown) =>
        listen(`${kClient}(…).experimental_onWorkerExit`, fn),
      ),
      experimental_onSignal: api.guard(`${kClient}(…).experimental_onSignal`, (name: unknown, fn: unknown) => {
        const member = `${kClient}(…).experimental_onSignal`;
        if (typeof name !== "string" || !signals.has(name)) {
          api.fail(member, `experimental_signals has no ${typeof name === "string" ? `"${name}"` : kindOf(name)}`);
        }
        return listen(member, fn);
      }),
    };
  }

  // No host is connected, so nothing ever arrives.
  function listen(member: string, fn: unknown): () => void {
    checkFunction(api.fail, member, fn, "the listener");
    return () => undefined;
  }

  function declareSharedPorts(hostId: unknown, ports: unknown): void {
    const host = checkText(api.fail, kPorts, hostId, "the host id");
    if (!Array.isArray(ports)) {
      api.fail(kPorts, `ports must be an array, is ${kindOf(ports)}`);
    }
    for (const port of ports as unknown[]) {
      if (!Number.isInteger(port) || (port as number) < 1 || (port as number) > 65_535) {
        api.fail(kPorts, `a port must be an integer from 1 to 65535, got ${String(port)}`);
      }
    }
    api.fail(kPorts, `unknown host "${host}"`);
  }

  api.svc.hosts = {
    experimental_client: api.guard(kClient, client),
    declareSharedPorts: api.guard(kPorts, declareSharedPorts),
    ensureSharedPortTunnel: api.guard(kTunnel, async (hostId: unknown) => {
      checkText(api.fail, kTunnel, hostId, "the host id");
      throw notSupported(`svc.${kTunnel}`);
    }),
  };
}

function hostCallError(code: string, hostId: string, message: string): Error {
  return Object.assign(new Error(message), { name: "HostCallError", code, hostId });
}
