import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { isStandardSchema, summarize, type StandardSchema } from "../../plugins/js/policy/standard_schema";
import { httpError, jsonText, makeRequest, makeSend, notSupportedError, readArgument } from "./call";
import { readMethods, unsupportedPaths } from "./methods";
import { makeSubscribe } from "./subscribe";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { encodeURIComponent } = globalThis;

type Call = (argument?: unknown) => Promise<unknown>;

/** `svc.sdk`: the routes of the service, called inside the process as this plugin. Built when it is first looked at. */
export default function sdkPart(runtime: HostRuntime, api: PluginApi): void {
  let sdk: object | undefined;
  Object.defineProperty(api.svc, "sdk", { enumerable: true, get: () => (sdk ??= buildSdk(runtime, api)) });
}

function buildSdk(runtime: HostRuntime, api: PluginApi): object {
  const send = makeSend(runtime);
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

  for (const method of readMethods()) {
    add(method.path, async (argument) => {
      const answer = await send(method.path, makeRequest(api, method, argument));
      return method.result === undefined ? answer : answer[method.result];
    });
  }
  for (const path of unsupportedPaths()) {
    add(path, async () => {
      throw notSupportedError(path, "this service does not have it");
    });
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
    const target = `/api/v1/plugins/${encodeURIComponent(pluginId as string)}/rpc/${encodeURIComponent(method as string)}`;
    const body = input === undefined ? "" : jsonText(api, path, "input", input);
    const { result } = await send(path, { verb: "POST", target, body, signal });
    return outputSchema === undefined ? result : checkOutput(outputSchema as StandardSchema, method as string, result);
  });

  add("threads.wait", async (argument) => {
    const path = "threads.wait";
    const { members } = readArgument(api, path, argument, ["threadId"]);
    if ((members.status === undefined) === (members.event === undefined)) {
      api.fail(`sdk.${path}`, 'needs exactly one of "status" and "event"');
    }
    throw notSupportedError(path, "this service has no threads");
  });

  sdk.subscribe = api.guard("sdk.subscribe", makeSubscribe(runtime, api));
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
