// Compiled, never run: the registrations and the client of the service as authors write them.
import type {
  AgentContext,
  HostCallError,
  Interaction,
  JsonValue,
  PluginRecord,
  SvcPluginApi,
  SystemConfig,
  Thread,
  ThreadEvent,
  TimelineRow,
} from "@get-svc/plugin-sdk";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

export function agents(svc: SvcPluginApi): void {
  svc.agents.registerTool({
    name: "add",
    description: "Adds an item",
    parameters: z.object({ title: z.string(), count: z.number().default(1) }),
    execute: async (params, context) => {
      expectType<Equal<typeof params, { title: string; count: number }>>();
      expectType<Equal<typeof context.threadId, string | null>>();
      return { content: [{ type: "text", text: params.title }] };
    },
  });
  svc.agents.registerTool({
    name: "list",
    description: "Lists items",
    parameters: { type: "object", properties: {} },
    presentation: { label: { pending: "Listing", completed: "Listed" } },
    execute: (params) => {
      expectType<Equal<typeof params, { [key: string]: JsonValue }>>();
      return "none";
    },
  });
  // @ts-expect-error a result is text or content
  svc.agents.registerTool({ name: "bad", description: "", parameters: z.object({}), execute: () => 5 });
  svc.agents.configure((context) => {
    expectType<Equal<typeof context, AgentContext>>();
    expectType<Equal<typeof context.host.id, string>>();
    expectType<Equal<typeof context.provider.model, string>>();
    return { tools: context.environment.branchName === null ? [] : ["add"], skills: [] };
  });
  svc.agents.contributeInstructions(({ threadId }) => (threadId === "" ? null : "Mind the list."));
}

export async function windows(svc: SvcPluginApi): Promise<void> {
  const outcome = await svc.ui.requestInput({ threadId: "thr", rendererId: "form", title: "Which?", payload: { a: 1 } });
  if (outcome.outcome === "submitted") {
    expectType<Equal<typeof outcome.value, JsonValue>>();
  } else {
    expectType<Equal<typeof outcome.reason extends string ? true : false, true>>();
  }
  svc.ui.registerMentionProvider({
    id: "items",
    label: "Items",
    triggers: ["@", "#"],
    search: async ({ query }) => [{ id: query, title: query }],
    resolve: (itemId) => ({ context: itemId }),
  });
  // @ts-expect-error no such trigger
  svc.ui.registerMentionProvider({ id: "x", label: "x", triggers: ["%"], search: () => [], resolve: () => ({ context: "" }) });

  const stop = svc.events.on("thread.idle", ({ thread, lastAssistantText }) => {
    expectType<Equal<typeof thread, Thread>>();
    expectType<Equal<typeof lastAssistantText, string | null>>();
  });
  stop();
  svc.events.on("interaction.pending", ({ interaction }) => {
    expectType<Equal<typeof interaction, Interaction>>();
  });
  // @ts-expect-error no such event
  svc.events.on("thread.renamed", () => undefined);
  svc.experimental_hooks.on("message.dispatch", ({ input }) =>
    input.text === "" ? { kind: "reject", message: "empty" } : { kind: "proceed" },
  );
  // @ts-expect-error a reject says why
  svc.experimental_hooks.on("message.dispatch", () => ({ kind: "reject" }));
  svc.experimental_hooks.recheck("message.dispatch");
}

export async function machines(svc: SvcPluginApi): Promise<void> {
  const client = svc.hosts.experimental_client({
    contract: { size: { input: z.object({ path: z.string() }), output: z.number() } },
    experimental_signals: { tick: { payload: z.object({ n: z.number() }) } },
  });
  const size = await client.call("size", { path: "/" }, { hostId: "host_1", timeoutMs: 1000 });
  expectType<Equal<typeof size, number>>();
  client.experimental_onSignal("tick", ({ payload }) => {
    expectType<Equal<typeof payload, { n: number }>>();
  });
  // @ts-expect-error no such signal
  client.experimental_onSignal("tock", () => undefined);
  await client.call("size", { path: "/" }, { hostId: "host_1" }).catch((error: HostCallError) => {
    expectType<Equal<typeof error.hostId, string>>();
    return error.code === "host_unavailable" ? 0 : Promise.reject(error);
  });
  svc.hosts.declareSharedPorts("host_1", [8080]);
  svc.agents.experimental_registerProvider({ id: "older-agent", displayName: "Older", capabilities: {}, composerActions: [] }).dispose();
  svc.ui.registerThreadAction({ id: "ship", title: "Ship it", confirm: "Really?", run: () => undefined });
  const provider = svc.providers.register({
    id: "my-agent",
    displayName: "My agent",
    capabilities: { fork: "tip", permissionModes: ["auto"] },
    composerActions: ["plan"],
    env: { passthrough: ["TOKEN"] },
  });
  provider.dispose();
  svc.experimental_aiServices.register({ id: "x", displayName: "X", complete: async (prompt, { signal }) => [prompt, signal] });
  svc.experimental_machines.register({ id: "x", displayName: "X", description: "d", icon: "i", create: () => 1, remove: () => 1 });
}

export async function client(svc: SvcPluginApi): Promise<void> {
  const { sdk } = svc;
  const controller = new AbortController();
  const thread = await sdk.threads.spawn({ projectId: "proj", prompt: "hi", environment: { type: "reuse", environmentId: "env" } });
  expectType<Equal<typeof thread, Thread>>();
  const withEnvironment = await sdk.threads.get({ threadId: "thr", include: "environment" });
  expectType<Equal<typeof withEnvironment.environment extends object | null ? true : false, true>>();
  const idle = await sdk.threads.wait({ threadId: "thr", status: "idle", timeoutMs: 1000 });
  expectType<Equal<typeof idle.thread, Thread>>();
  const seen = await sdk.threads.wait({ threadId: "thr", event: "turn/completed", signal: controller.signal });
  expectType<Equal<typeof seen.event.data.status, "completed" | "failed" | "interrupted">>();
  // @ts-expect-error exactly one of both
  await sdk.threads.wait({ threadId: "thr", status: "idle", event: "turn/completed" });
  const { rows } = await sdk.threads.timeline({ threadId: "thr", signal: controller.signal });
  expectType<Equal<typeof rows, TimelineRow[]>>();
  for (const row of rows) {
    if (row.kind === "work" && row.workKind === "command") {
      expectType<Equal<typeof row.exitCode, number | null>>();
    }
  }
  await sdk.threads.send({ threadId: "thr", mode: "auto", input: [{ type: "text", text: "hi" }] });
  // @ts-expect-error the mode is missing
  await sdk.threads.send({ threadId: "thr", input: [] });
  await sdk.threads.list({ archived: "false", limit: 10 });

  const { plugins } = await sdk.plugins.list();
  expectType<Equal<typeof plugins, PluginRecord[]>>();
  const answer = await sdk.plugins.callRpc({ pluginId: "other", method: "list", outputSchema: z.array(z.string()) });
  expectType<Equal<typeof answer, string[]>>();
  const untyped = await sdk.plugins.callRpc({ pluginId: "other", method: "list", input: { a: 1 } });
  expectType<Equal<typeof untyped, JsonValue>>();
  await sdk.plugins.updateSettings({ values: { level: null } });
  const config = await sdk.system.config();
  expectType<Equal<typeof config extends SystemConfig ? true : false, true>>();
  const written = await sdk.files.write({ path: "/a", content: "", expectedSha256: null });
  if (written.outcome === "conflict") {
    expectType<Equal<typeof written.currentSha256, string | null>>();
  }
  const usage = await sdk.system.usageLimits({});
  expectType<Equal<(typeof usage)[string]["status"] extends string ? true : false, true>>();
  sdk.subscribe({ event: "system:changed", callback: ({ changes }) => svc.log.info(changes.join()) })();
  // @ts-expect-error no such event
  sdk.subscribe({ event: "window:changed", callback: () => undefined });
}
