import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject, checkText, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { isStandardSchema, summarize, type StandardSchema } from "../../plugins/js/policy/standard_schema";
import { abortError, messageOf, notSupported } from "../../plugins/js/policy/thrown";

const kClient = "hosts.experimental_client";
const kCall = `${kClient}(…).call`;
const kExit = `${kClient}(…).experimental_onWorkerExit`;
const kSignal = `${kClient}(…).experimental_onSignal`;
const kPorts = "hosts.declareSharedPorts";
const kTunnel = "hosts.ensureSharedPortTunnel";
/** L:host-call. */
const kMaxTimeout = 2 ** 31 - 1;

/** A checked call. */
export interface HostRpcCall {
  hostId: string;
  method: string;
  /** What the contract made of the input. */
  input: unknown;
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
}

export interface HostEvent {
  hostId: string;
  /** The name of a signal; undefined when the worker has exited unexpectedly. */
  signal?: string;
  payload?: unknown;
}

/** The way to the host entries of this plugin. */
export interface HostTransport {
  /** Rejects with an error whose `code` says why. */
  call(call: HostRpcCall): Promise<unknown>;
  /** Returns what ends it. */
  listen(listener: (event: HostEvent) => unknown): () => void;
  /** Replaces the shared ports of a host; false when there is no such host. */
  declarePorts(hostId: string, ports: number[]): boolean;
}

const notConnected: HostTransport = {
  call: async ({ hostId }) => {
    throw Object.assign(new Error(`host "${hostId}" is not connected`), { code: "host_unavailable" });
  },
  listen: () => () => undefined,
  declarePorts: () => false,
};

interface Contract {
  [method: string]: { input: StandardSchema | null; output: StandardSchema };
}

/** `svc.hosts`: arguments, input and output are checked here, the rest is the transport's. */
export default function hostsPart(_runtime: HostRuntime, api: PluginApi, transport = notConnected): void {
  function readContract(value: unknown): Contract {
    const contract = checkObject(api.fail, kClient, value, "contract");
    for (const [name, method] of Object.entries(contract)) {
      const { input, output } = checkObject(api.fail, kClient, method, `method "${name}"`);
      if ((input !== null && !isStandardSchema(input)) || !isStandardSchema(output)) {
        api.fail(kClient, `input and output of "${name}" must be Standard Schema v1 validators`);
      }
    }
    return contract as Contract;
  }

  /** The payload validators by name: `{ payload: validator }`, or the validator itself. */
  function readSignals(value: unknown): Map<string, StandardSchema> {
    const signals = value === undefined ? {} : checkObject(api.fail, kClient, value, "experimental_signals");
    return new Map(
      Object.entries(signals).map(([name, given]) => {
        const schema = isStandardSchema(given) ? given : (given as { payload?: unknown } | null)?.payload;
        if (!isStandardSchema(schema)) {
          api.fail(kClient, `the payload of signal "${name}" must be a Standard Schema v1 validator`);
        }
        return [name, schema];
      }),
    );
  }

  function checkCall(contract: Contract, method: unknown, options: unknown): Omit<HostRpcCall, "input"> {
    if (typeof method !== "string" || !Object.hasOwn(contract, method)) {
      api.fail(kCall, `the contract has no method ${typeof method === "string" ? `"${method}"` : kindOf(method)}`);
    }
    const { hostId, signal, timeoutMs } = checkObject(api.fail, kCall, options, "options");
    const host = checkText(api.fail, kCall, hostId, "hostId");
    if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= kMaxTimeout)) {
      api.fail(kCall, `timeoutMs must be a number of milliseconds from 1 to ${kMaxTimeout}`);
    }
    const given = signal as AbortSignal | undefined;
    return { hostId: host, method, signal: given, timeoutMs: timeoutMs as number | undefined };
  }

  /** The call through the contract. Every failure is a HostCallError, except an abort. */
  async function call(contract: Contract, method: unknown, input: unknown, options: unknown): Promise<unknown> {
    const checked = checkCall(contract, method, options);
    const { hostId, signal } = checked;
    const { input: takes, output } = contract[checked.method]!;
    if (api.inFactory) {
      throw hostCallError("plugin_not_running", hostId, `${kCall}: the factory is still running; call the host later`);
    }
    if (signal?.aborted === true) {
      throw abortError(`the call of "${checked.method}" was aborted`);
    }
    const sent = takes === null ? undefined : await through(takes, input, "invalid_input", checked);
    let answer: unknown;
    try {
      answer = await transport.call({ ...checked, input: sent });
    } catch (error) {
      const { name, code, details } = (error ?? {}) as { name?: unknown; code?: unknown; details?: unknown };
      if (name === "AbortError") throw error;
      throw hostCallError(typeof code === "string" ? code : "handler_error", hostId, messageOf(error), details);
    }
    return through(output, answer, "invalid_output", checked);
  }

  function client(options: unknown): object {
    const given = checkObject(api.fail, kClient, options, "options");
    const contract = readContract(given.contract);
    const signals = readSignals(given.experimental_signals);
    ignoreUnknownFields(api.problem, kClient, given, ["contract", "experimental_signals"], "options");
    return {
      call: api.guard(kCall, (method: unknown, input: unknown, callOptions: unknown) => call(contract, method, input, callOptions)),
      experimental_onWorkerExit: api.guard(kExit, (fn: unknown) => {
        const listener = checkFunction(api.fail, kExit, fn, "the listener") as (exit: object) => unknown;
        return transport.listen(({ hostId, signal }) => {
          if (signal === undefined) listener({ hostId });
        });
      }),
      experimental_onSignal: api.guard(kSignal, (name: unknown, fn: unknown) => {
        const schema = typeof name === "string" ? signals.get(name) : undefined;
        if (schema === undefined) {
          api.fail(kSignal, `experimental_signals has no ${typeof name === "string" ? `"${name}"` : kindOf(name)}`);
        }
        const listener = checkFunction(api.fail, kSignal, fn, "the listener") as (signal: object) => unknown;
        return transport.listen(({ hostId, signal, payload }) => {
          return signal === name ? deliver(schema!, hostId, payload, listener) : undefined;
        });
      }),
    };
  }

  /** A payload that does not fit is dropped. */
  async function deliver(
    schema: StandardSchema,
    hostId: string,
    payload: unknown,
    listener: (signal: object) => unknown,
  ): Promise<void> {
    const outcome = await schema["~standard"].validate(payload);
    if (!outcome.issues) await listener({ hostId, payload: outcome.value });
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
    if (!transport.declarePorts(host, ports as number[])) {
      api.fail(kPorts, `unknown host "${host}"`);
    }
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

/** The value as the validator returns it. */
async function through(
  schema: StandardSchema,
  value: unknown,
  code: "invalid_input" | "invalid_output",
  { hostId, method }: { hostId: string; method: string },
): Promise<unknown> {
  const outcome = await schema["~standard"].validate(value);
  if (outcome.issues) {
    const what = code === "invalid_input" ? "input" : "output";
    const message = `host rpc ${what} validation failed for "${method}": ${summarize(outcome.issues)}`;
    throw hostCallError(code, hostId, message);
  }
  return outcome.value;
}

function hostCallError(code: string, hostId: string, message: string, details?: unknown): Error {
  return Object.assign(new Error(message), { name: "HostCallError", code, hostId }, details === undefined ? {} : { details });
}
