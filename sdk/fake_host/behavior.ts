import type { PluginRpcCaller } from "../src/rpc";
import type { FakeBehavior } from "../src/testing/behavior";
import { callTool, causeOf, emitEvent, resolveConfiguration, runHook, searchMentions } from "./agents";
import type { Generation } from "./generation";
import type { FakeHost } from "./host";
import { failure } from "./runtime";

/** Every member goes to the present load, which refuses when it has ended. */
export function makeBehavior(host: FakeHost): FakeBehavior {
  const present = (): Generation => {
    if (host.load.ended) {
      throw host.load.notRunning();
    }
    return host.load;
  };
  return {
    callRpc: (method, input, options = {}) => callRpc(host.load, method, input, options),
    fetchHttp: async (method, path, init) => present().http.fetch(method, path, init),
    experimental_openWebSocket: async (path, init) => present().sockets.open(path, init),
    runCli: async (argv, { signal, ...context } = {}) => runCli(present(), { argv, ...context }, signal),
    runService: (name) => host.services.run(name),
    runSchedule: (name, run = {}) => host.services.runSchedule(name, run).catch(rethrowCause),
    setSettings: (values) => setSettings(host, values),
    emitThreadEvent: async (name, payload) => emitEvent(present(), name, payload),
    callAgentTool: (name, params, context = {}) => callTool(host.load, name, params, context),
    resolveAgentConfiguration: async (context = {}) => resolveConfiguration(present(), host.shared.options.agentSkillIds ?? [], context),
    searchMentions: async (query, options = {}) => searchMentions(present(), query, options),
    async resolveMention(providerId, itemId) {
      const answer = await host.load.invoke(`mention:${providerId}`, "mentions.resolve", providerId, JSON.stringify(itemId));
      return JSON.parse(answer);
    },
    submitInteraction: async (id, value) => present().interactions.submit(id, value),
    cancelInteraction: (id, reason) => present().interactions.cancel(id, reason),
    experimental_runHook: async (hook, context) => runHook(present(), hook, context),
    emitHostSignal: async ({ hostId, name, payload }) => present().hosts.emit({ hostId, signal: name, payload }),
    emitHostWorkerExit: async ({ hostId }) => present().hosts.emit({ hostId }),
  };
}

async function callRpc(
  load: Generation,
  method: string,
  input: unknown,
  { caller, signal }: { caller?: PluginRpcCaller; signal?: AbortSignal },
): Promise<any> {
  const meta = caller?.kind === "plugin" ? `\n${caller.pluginId}\n${method}` : method;
  const body = input === undefined ? "" : JSON.stringify(input);
  const answer = await load.invoke(`rpc:${method}`, "rpc", meta, body, signal).catch(rethrowCause);
  return JSON.parse(answer) as unknown;
}

async function runCli(load: Generation, request: object, signal?: AbortSignal) {
  if (load.registrations.cli === null) {
    throw failure("unknown_command", `plugin "${load.pluginId}" has no command`);
  }
  return JSON.parse(await load.invoke("cli", "cli", "", JSON.stringify(request), signal));
}

async function setSettings(host: FakeHost, values: object) {
  const answer = await host.load.invoke("settings", "settings.save", JSON.stringify(values), "");
  await host.reconfigure();
  return JSON.parse(answer);
}

function rethrowCause(error: unknown): never {
  throw causeOf(error);
}
