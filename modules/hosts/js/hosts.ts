import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject, checkText, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { isStandardSchema, summarize } from "../../plugins/js/policy/standard_schema";
import { abortError, messageOf, notSupported } from "../../plugins/js/policy/thrown";
import {
  callFailure,
  failureOf,
  fromWire,
  kInput,
  toWire,
  validateInput,
  validateOutput,
  type Wire,
} from "../../../sdk/src/host_policy/call";
import type { HostClient, PluginHosts } from "../../../sdk/src/hosts";
import type { PluginRpcMethod } from "../../../sdk/src/rpc";
import type { StandardSchemaV1 } from "../../../sdk/src/standard_schema";
import { serviceTransport } from "./transport";

const kClient = "hosts.experimental_client";
const kCall = `${kClient}(…).call`;
const kExit = `${kClient}(…).experimental_onWorkerExit`;
const kSignal = `${kClient}(…).experimental_onSignal`;
const kPorts = "hosts.declareSharedPorts";
const kTunnel = "hosts.ensureSharedPortTunnel";
/** L:host-call. */
const kDefaultTimeout = 30_000;
const kMaxTimeout = 2 ** 31 - 1;

/** A checked call. */
export interface HostRpcCall {
  hostId: string;
  method: string;
  /** What the caller gave, as JSON text: the worker gives its handler what the contract makes of it. */
  input: Wire;
  signal: AbortSignal | undefined;
  /** An integer. */
  timeoutMs: number;
}

export interface HostEvent {
  hostId: string;
  /** The name of a signal; undefined when the worker has exited unexpectedly. */
  signal?: string;
  payload?: unknown;
  /** Why the payload cannot be read. */
  malformed?: string;
}

/** The way to the host entries of this plugin. */
export interface HostTransport {
  /** The output as the machine sent it, which should be JSON text. Rejects with an error whose `code` says why, or with an AbortError. */
  call(call: HostRpcCall): Promise<Wire>;
  /** Returns what ends it. Waits for what a listener returns. */
  listen(listener: (event: HostEvent) => unknown): () => void;
  /** Replaces the shared ports of a host; false when there is no such host. */
  declarePorts(hostId: string, ports: number[]): boolean;
}

interface Contract {
  [method: string]: PluginRpcMethod;
}

type CheckedCall = Omit<HostRpcCall, "input">;

/** `svc.hosts`: arguments, input and output are checked here, the rest is the transport's. */
export default function hostsPart(
  runtime: HostRuntime,
  api: PluginApi,
  transport: HostTransport = serviceTransport(runtime, (error) => api.svc.log?.error(error)),
): void {
  /** Signals whose misfit is in the log: a worker that sends one sends many. */
  const misfits = new Set<string>();

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
  function readSignals(value: unknown): Map<string, StandardSchemaV1> {
    const signals = value === undefined ? {} : checkObject(api.fail, kClient, value, "experimental_signals");
    return new Map(
      Object.entries(signals).map(([name, given]) => {
        const schema = isStandardSchema(given) ? given : (given as { payload?: unknown } | null)?.payload;
        if (!isStandardSchema(schema)) {
          api.fail(kClient, `the payload of signal "${name}" must be a Standard Schema v1 validator`);
        }
        return [name, schema as StandardSchemaV1];
      }),
    );
  }

  function checkCall(contract: Contract, method: unknown, options: unknown): CheckedCall {
    if (typeof method !== "string" || !Object.hasOwn(contract, method)) {
      api.fail(kCall, `the contract has no method ${typeof method === "string" ? `"${method}"` : kindOf(method)}`);
    }
    const { hostId, signal, timeoutMs = kDefaultTimeout } = checkObject(api.fail, kCall, options, "options");
    const host = checkText(api.fail, kCall, hostId, "hostId");
    if (!(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= kMaxTimeout)) {
      api.fail(kCall, `timeoutMs must be a number of milliseconds from 1 to ${kMaxTimeout}`);
    }
    if (signal !== undefined && typeof (signal as Partial<AbortSignal> | null)?.aborted !== "boolean") {
      api.fail(kCall, `signal must be an AbortSignal, is ${kindOf(signal)}`);
    }
    return { hostId: host, method, signal: signal as AbortSignal | undefined, timeoutMs: Math.ceil(timeoutMs as number) };
  }

  /** The call through the contract. Every failure is a HostCallError, except an abort and arguments that are wrong. */
  async function call(contract: Contract, method: unknown, input: unknown, options: unknown): Promise<unknown> {
    const checked = checkCall(contract, method, options);
    try {
      if (api.inFactory) {
        throw Object.assign(new Error(`${kCall}: the factory is still running; call the host later`), { code: "plugin_not_running" });
      }
      return await exchange(contract[checked.method]!, checked, input);
    } catch (error) {
      const { name, code, details } = (error ?? {}) as { name?: unknown; code?: unknown; details?: unknown };
      if (name === "AbortError") {
        throw error;
      }
      throw hostCallError(typeof code === "string" ? code : "handler_error", checked.hostId, messageOf(error), details);
    }
  }

  async function exchange(definition: PluginRpcMethod, checked: CheckedCall, input: unknown): Promise<unknown> {
    const { method, signal } = checked;
    const refuseAborted = (): void => {
      if (signal?.aborted === true) {
        throw abortError(`the call of "${method}" was aborted`);
      }
    };
    refuseAborted();
    let wire: Wire;
    try {
      wire = toWire(input, "input", kInput);
      await validateInput(definition, method, fromWire(wire));
    } catch (thrown) {
      throw failureOf(thrown);
    }
    refuseAborted();
    const output = readOutput(method, await transport.call({ ...checked, input: wire }));
    try {
      return await validateOutput(definition, method, output);
    } catch (thrown) {
      throw failureOf(thrown);
    }
  }

  // What it takes and gives is known to the contract alone.
  function client(options: unknown): HostClient<any, any> {
    const given = checkObject(api.fail, kClient, options, "options");
    const contract = readContract(given.contract);
    const signals = readSignals(given.experimental_signals);
    ignoreUnknownFields(api.problem, kClient, given, ["contract", "experimental_signals"], "options");
    return {
      call: api.guard(kCall, (method: unknown, input: unknown, callOptions: unknown) => call(contract, method, input, callOptions)),
      experimental_onWorkerExit: api.guard(kExit, (fn: unknown) => {
        const listener = checkFunction(api.fail, kExit, fn, "the listener") as (exit: object) => unknown;
        return transport.listen(({ hostId, signal }) => (signal === undefined ? listener({ hostId }) : undefined));
      }),
      experimental_onSignal: api.guard(kSignal, (name: unknown, fn: unknown) => {
        const schema = typeof name === "string" ? signals.get(name) : undefined;
        if (schema === undefined) {
          api.fail(kSignal, `experimental_signals has no ${typeof name === "string" ? `"${name}"` : kindOf(name)}`);
        }
        const listener = checkFunction(api.fail, kSignal, fn, "the listener") as (signal: object) => unknown;
        return transport.listen((event) => (event.signal === name ? deliver(schema!, event, listener) : undefined));
      }),
    };
  }

  /** A payload that does not fit is dropped. */
  async function deliver(
    schema: StandardSchemaV1,
    { hostId, signal, payload, malformed }: HostEvent,
    listener: (signal: object) => unknown,
  ): Promise<void> {
    const outcome = malformed === undefined ? await schema["~standard"].validate(payload) : { issues: [{ message: malformed }] };
    if (!outcome.issues) {
      await listener({ hostId, payload: outcome.value });
    } else if (!misfits.has(signal!)) {
      misfits.add(signal!);
      api.svc.log?.warn(
        `a signal "${signal}" of host "${hostId}" is dropped, as others like it will be: its payload does not fit: ${summarize(outcome.issues)}`,
      );
    }
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
  } satisfies PluginHosts;
}

/** What is no JSON is the fault of the machine's daemon. */
function readOutput(method: string, wire: Wire): unknown {
  try {
    return fromWire(wire);
  } catch (error) {
    throw callFailure("host_error", `the machine's answer to "${method}" is not JSON: ${messageOf(error)}`, undefined, error);
  }
}

function hostCallError(code: string, hostId: string, message: string, details?: unknown): Error {
  return Object.assign(new Error(message), { name: "HostCallError", code, hostId }, details === undefined ? {} : { details });
}
