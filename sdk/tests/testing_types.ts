// Compiled, never run: tests as authors write them, and the subpaths that have only types.
import type { JsonValue, SvcPluginApi, Thread } from "@get-svc/plugin-sdk";
import type { AiServiceRegistration } from "@get-svc/plugin-sdk/ai-services";
import type { Availability, EnvironmentRegistration } from "@get-svc/plugin-sdk/environment-provider";
import type { MachineRegistration } from "@get-svc/plugin-sdk/machine-provider";
import type { ProviderCapabilities, ProviderDeclaration } from "@get-svc/plugin-sdk/provider-bridge";
import { createFakePluginHost, makeThreadResponse, type FakePendingInteraction } from "@get-svc/plugin-sdk/testing";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

export async function drive(plugin: (svc: SvcPluginApi) => Promise<void>): Promise<void> {
  const { svc, harness } = createFakePluginHost({
    pluginId: "todo",
    settings: { level: "high", retries: 3 },
    agentSkillIds: ["todo"],
    sdk: {
      threads: { get: async ({ threadId }) => makeThreadResponse({ id: threadId }), events: { list: () => [] } },
      subscribe: () => () => undefined,
    },
    experimental_callHostRpc: async ({ hostId, input }) => ({ hostId, input }),
  });
  // @ts-expect-error the id is missing
  createFakePluginHost({});
  // @ts-expect-error there is no such area
  createFakePluginHost({ pluginId: "todo", sdk: { thread: {} } });
  await plugin(svc);
  await harness.lifecycle.reload(plugin);

  const added = await harness.callRpc<{ id: string }>("add", { title: "x" }, { caller: { kind: "plugin", pluginId: "notes" } });
  expectType<Equal<typeof added, { id: string }>>();
  const response = await harness.fetchHttp("POST", "/hook?a=1", { body: new FormData(), headers: { "x-a": "b" } });
  expectType<Equal<typeof response, Response>>();
  const socket = await harness.experimental_openWebSocket("/live");
  await socket.send(new Uint8Array(1));
  const { code } = await socket.closed;
  expectType<Equal<typeof code, number>>();
  const { exitCode, stdout } = await harness.runCli(["list"], { cwd: "/" });
  expectType<Equal<[typeof exitCode, typeof stdout], [number, string]>>();
  const run = harness.runService("poll");
  await run.stop();
  await run.done;
  await harness.emitThreadEvent("thread.idle", { thread: makeThreadResponse(), lastAssistantText: null });
  // @ts-expect-error the payload of this event has a text
  await harness.emitThreadEvent("thread.idle", { thread: makeThreadResponse() });
  const { content, isError } = await harness.callAgentTool("add", { title: "x" }, { threadId: null });
  expectType<Equal<typeof isError, boolean>>();
  if (content[0]?.type === "text") {
    expectType<Equal<(typeof content)[0]["type"], "text" | "image">>();
  }
  await harness.resolveAgentConfiguration({ thread: { id: "thr" }, host: { name: "laptop" } });
  const [form] = harness.pendingInteractions;
  expectType<Equal<typeof form, FakePendingInteraction | undefined>>();
  harness.cancelInteraction("int_1", "thread-stopped");
  // @ts-expect-error no such reason
  harness.cancelInteraction("int_1", "bored");
  const { level } = harness.logEntries[0]!;
  expectType<Equal<typeof level, "debug" | "info" | "warn" | "error">>();
  const { payload } = harness.inspection.realtimeSignals[0]!;
  expectType<Equal<typeof payload, JsonValue>>();
  const thread: Thread = makeThreadResponse({ title: "t", runtime: { displayStatus: "idle", hostReconnectGraceExpiresAt: null } });
  harness.sdk.stub("threads.list", () => [thread]);
}

export function registerAll(svc: SvcPluginApi): void {
  const availability = (): Availability => ({ status: "setup-required", message: "Install it." });
  const environment: EnvironmentRegistration = {
    id: "e",
    displayName: "E",
    description: "d",
    icon: "Box",
    availability,
    create: () => undefined,
    remove: () => undefined,
  };
  const machine: MachineRegistration = {
    id: "m",
    displayName: "M",
    description: "d",
    icon: "Box",
    create: () => undefined,
    remove: () => undefined,
  };
  const capabilities: Partial<ProviderCapabilities> = { fork: "tip" };
  const provider: ProviderDeclaration = { id: "my-agent", displayName: "Mine", capabilities, composerActions: [] };
  const ai: AiServiceRegistration = { id: "ai", displayName: "AI", complete: (prompt, { signal }) => [prompt, signal.aborted] };
  svc.experimental_environments.register(environment);
  svc.experimental_machines.register(machine);
  svc.providers.register(provider);
  svc.experimental_aiServices.register(ai);
}
