import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { isStandardSchema, summarize, type StandardSchema } from "../../plugins/js/policy/standard_schema";
import { attachmentCalls } from "./attachments";
import { encoded, httpError, jsonText, makeRequest, makeSend, notSupportedError, readArgument, type SdkRequest } from "./call";
import { readMethods, unsupportedPaths, type SdkMethod } from "./methods";
import { readStatus, type CallMethod } from "./status";
import { makeSubscribe } from "./subscribe";
import { checkCondition, waitForThread } from "./wait";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;

type Members = Record<string, unknown>;
type Call = (argument?: unknown) => Promise<unknown>;

/** A call whose argument has been checked. */
export interface CheckedCall {
  /** "threads.get" */
  path: string;
  argument: unknown;
  request: SdkRequest;
  /** The member of the answer that is the result; undefined: the whole answer. */
  result: string | undefined;
}

/** Carries calls out. */
export interface SdkCarrier {
  call(call: CheckedCall): Promise<unknown>;
  /** A call that is made of others: `run` makes them, and ends with `signal`. */
  compose(path: string, argument: unknown, run: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown>;
  /** A method that the service does not have, and why. */
  missing(path: string, argument: unknown, why: string): Promise<unknown>;
  /** Default: the notices of the service. */
  subscribe?(options: unknown, real: (options: unknown) => () => void): () => void;
}

/** `svc.sdk`: the routes of the service, called inside the process as this plugin. Built when it is first looked at. */
export default function sdkPart(runtime: HostRuntime, api: PluginApi, carrier?: SdkCarrier): void {
  let sdk: object | undefined;
  Object.defineProperty(api.svc, "sdk", {
    enumerable: true,
    get: () => (sdk ??= buildSdk(runtime, api, carrier ?? routes(runtime))),
  });
  const { server } = api.svc;
  if (carrier === undefined && typeof server === "object" && server !== null) {
    defineHostId(runtime, server);
  }
}

/** `svc.server.experimental_hostId`: the server's own machine, null while the service knows no machines. */
function defineHostId(runtime: HostRuntime, server: object): void {
  let hostId: string | null = null;
  Object.defineProperty(server, "experimental_hostId", {
    enumerable: true,
    get: () => (hostId ??= parse(runtime.callSync("sdk.hostId") ?? "null") as string | null),
  });
}

function routes(runtime: HostRuntime): SdkCarrier {
  const send = makeSend(runtime);
  return {
    async call({ path, request, result }) {
      const answer = await send(path, request);
      return result === undefined ? answer : answer[result];
    },
    compose: (_path, _argument, run) => run(),
    async missing(path, _argument, why) {
      throw notSupportedError(path, why);
    },
  };
}

function buildSdk(runtime: HostRuntime, api: PluginApi, carrier: SdkCarrier): object {
  const sdk: Record<string, unknown> = {};

  function add(path: string, call: Call): void {
    const areas = path.split(".");
    const name = areas.pop() as string;
    let target = sdk;
    for (const area of areas) {
      target = (target[area] ??= {}) as Record<string, unknown>;
    }
    target[name] = api.guard(`sdk.${path}`, call);
  }

  const methods = new Map(readMethods().map((method) => [method.path, method]));
  const callMethod: CallMethod = async (path, argument) => {
    const method = methods.get(path) as SdkMethod;
    return carrier.call({ path, argument, request: makeRequest(api, method, argument), result: method.result });
  };
  for (const path of methods.keys()) {
    add(path, (argument) => callMethod(path, argument as Members));
  }
  for (const path of unsupportedPaths()) {
    add(path, async (argument) => carrier.missing(path, argument, "this service does not have it"));
  }

  for (const [path, prepare] of Object.entries(attachmentCalls(api))) {
    add(path, async (argument) => carrier.call(await prepare(argument)));
  }

  add("plugins.callRpc", async (argument) => {
    const path = "plugins.callRpc";
    const { members, signal } = readArgument(api, path, argument, ["pluginId", "method"]);
    const { pluginId, method, input, outputSchema } = members;
    if (typeof pluginId !== "string" || typeof method !== "string") {
      api.fail(`sdk.${path}`, "pluginId and method must be text");
    }
    if (outputSchema !== undefined && !isStandardSchema(outputSchema)) {
      api.fail(`sdk.${path}`, "outputSchema must be a Standard Schema v1 validator");
    }
    const part = (name: string, text: unknown): string => encoded(path, name, text as string);
    const target = `/api/v1/plugins/${part("pluginId", pluginId)}/rpc/${part("method", method)}`;
    const body = input === undefined ? "" : jsonText(api, path, "input", input);
    const request = { verb: "POST", target, body, signal };
    const result = await carrier.call({ path, argument, request, result: "result" });
    return outputSchema === undefined ? result : checkOutput(outputSchema as StandardSchema, method as string, result);
  });

  add("status.get", async (argument) => {
    const path = "status.get";
    const { members, signal } = readArgument(api, path, argument, []);
    const options = signal === undefined ? {} : { signal };
    const run = async () => readStatus((await callMethod(path, options)) as Members, callMethod, { ...members, ...options });
    return carrier.compose(path, argument, run, signal);
  });

  add("threads.wait", async (argument) => {
    const path = "threads.wait";
    const { members, signal } = readArgument(api, path, argument, ["threadId"]);
    const refuse = (why: string): never => api.fail(`sdk.${path}`, why);
    checkCondition(refuse, members);
    return carrier.compose(path, argument, () => waitForThread(refuse, callMethod, members, signal), signal);
  });

  const subscribe = makeSubscribe(runtime, api);
  sdk.subscribe = api.guard("sdk.subscribe", (options: unknown) => carrier.subscribe?.(options, subscribe) ?? subscribe(options));
  return sdk;
}

async function checkOutput(schema: StandardSchema, method: string, result: unknown): Promise<unknown> {
  const outcome = await schema["~standard"].validate(result);
  if (outcome.issues) {
    const message = `the result of rpc "${method}" does not fit outputSchema: ${summarize(outcome.issues)}`;
    throw httpError(500, "invalid_output", message);
  }
  return outcome.value;
}
