import { createFakePluginHost, makeThreadResponse } from "@get-svc/plugin-sdk/testing";

import { failureOf, readAnswer, type ContractHost, type Failure, type Outcome } from "./host.ts";
import plugin from "./plugin/server.ts";

/** The codes of the service; what the plugin throws itself has none of them. */
const kCodes = [
  "invalid_input",
  "invalid_output",
  "non_json_result",
  "unknown_method",
  "unknown_command",
  "handler_error",
  "plugin_cli_output_too_large",
  "plugin_not_running",
  "not_found",
  "unknown_route",
];

async function outcomeOf(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await call() };
  } catch (error) {
    return wire(error);
  }
}

/** As the route answers: a throw of the plugin is `handler_error`, with the error's own code in the details. */
function wire(error: unknown): Failure {
  const { code, message, retryable } = (error ?? {}) as { code?: string; message?: string; retryable?: boolean };
  if (code !== undefined && kCodes.includes(code)) {
    return failureOf(error as Failure);
  }
  return failureOf({
    message: message ?? String(error),
    details: { ...(code && { code }), ...(retryable !== undefined && { retryable }) },
  });
}

export async function startFakeHost(): Promise<ContractHost> {
  const { harness } = createFakePluginHost({ pluginId: "contract" });
  const { lifecycle } = harness;
  const load = (): Promise<void> => lifecycle.reload(plugin);
  await load();
  await lifecycle.install();
  return {
    rpc: (method, input) => outcomeOf(() => harness.callRpc(method, input)),
    http: async (method, path, init) => readAnswer(await harness.fetchHttp(method, path, init)),
    async socket(path, headers = {}) {
      try {
        const socket = await harness.experimental_openWebSocket(path, { headers });
        return {
          next: async () => {
            const message = await socket.next();
            return typeof message === "string" ? message : [...message];
          },
          send: (data) => socket.send(data),
          close: (code, reason) => socket.close(code, reason),
          closed: socket.closed,
        };
      } catch (error) {
        return wire(error);
      }
    },
    cli: (argv, context = {}) => outcomeOf(() => harness.runCli(argv, context)),
    settings: (values) => outcomeOf(() => harness.setSettings(values as {})),
    schedule: (name) => outcomeOf(async () => void (await harness.runSchedule(name))),
    tool: (name, params, threadId) => harness.callAgentTool(name, params, { threadId }),
    async configuration(threadId, projectId) {
      const { tools, contributedInstructions } = await harness.resolveAgentConfiguration({
        thread: { id: threadId },
        project: { id: projectId },
      });
      return { tools: tools.map(({ name }) => name), instructions: contributedInstructions ?? "" };
    },
    mentions: async (query, trigger, projectId) =>
      harness.searchMentions(query, { trigger: trigger as "@", ...(projectId !== undefined && { projectId }) }),
    mention: (providerId, itemId) => outcomeOf(() => harness.resolveMention(providerId, itemId)),
    emit: async (name, payload) =>
      harness.emitThreadEvent(name as "thread.idle", { lastAssistantText: null, ...payload, thread: makeThreadResponse({ id: "thr_1" }) }),
    async decide(text) {
      const decision = await harness.experimental_runHook("message.dispatch", { input: { text } });
      return decision.kind === "proceed" ? [0, ""] : decision.kind === "wait" ? [1, decision.reason] : [2, decision.message];
    },
    reload: () =>
      load().then(
        () => null,
        (error: Error) => error.message,
      ),
    disable: () => lifecycle.dispose(),
    enable: load,
    status: async () => harness.status,
    problems: async () => harness.problems.map(({ message }) => message),
    unsupported: async () => [...harness.unsupported].sort(),
    async registrations() {
      const { cli, mentionProviders, settingsDescriptors, agentTools } = harness.registrations;
      return { commands: cli?.commands, mentionProviders, settings: settingsDescriptors, tools: agentTools.map(({ name }) => name) };
    },
    signals: () => [...harness.realtimeSignals],
    log: async () => harness.logEntries.map(({ level, message }) => `${level} ${message}`),
    stop: () => lifecycle.dispose(),
  };
}
