// Compiled, never run: app and host entries as authors write them.
import { defineRpcContract } from "@get-svc/plugin-sdk";
import * as sdk from "@get-svc/plugin-sdk/app";
import type {
  ComposerCustomization,
  ComposerView,
  JsonValue,
  NewThreadRequest,
  PluginAppBuilder,
  PluginComposerApi,
  PluginComposerScope,
  PluginContentScriptContext,
  PluginContentScriptDisposer,
  PluginFileOpenerProps,
  PluginHomepageSectionProps,
  PluginMessageActionContext,
  PluginMessageDirectiveProps,
  PluginNavPanelProps,
  PluginNewThreadPanelProps,
  PluginPendingInteractionProps,
  PluginRealtimeConnectionState,
  PluginRpcCallArgs,
  PluginRpcClient,
  PluginRpcContract,
  PluginRpcError,
  PluginRpcMethodContract,
  PluginRpcResult,
  PluginSettingsSectionProps,
  PluginSidebarProject,
  PluginSidebarPullRequest,
  PluginSidebarThread,
  PluginSidebarThreadActivity,
  PluginThreadHeaderActionProps,
  PluginThreadListProps,
  PluginThreadPanelProps,
  StandardSchemaV1,
  StandardSchemaV1InferInput,
  StandardSchemaV1InferOutput,
} from "@get-svc/plugin-sdk/app";
import { experimental_defineHostEntry } from "@get-svc/plugin-sdk/host";
import { Icon } from "@get-svc/plugin-sdk/icon";
import type { RUNTIME_PACKAGE_VERSIONS, RUNTIME_SLOT_BY_SPECIFIER } from "@get-svc/plugin-sdk/runtime-slots";
import { loadPluginApp, mountPluginContentScripts, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { experimental_createHostEntryHarness } from "@get-svc/plugin-sdk/testing/host";
import { createElement } from "react";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

/** Names that authors rely on. */
export type Named = [
  ComposerCustomization,
  ComposerView,
  JsonValue,
  NewThreadRequest,
  PluginAppBuilder,
  PluginComposerApi,
  PluginComposerScope,
  PluginContentScriptContext,
  PluginContentScriptDisposer,
  PluginFileOpenerProps,
  PluginHomepageSectionProps,
  PluginMessageActionContext,
  PluginMessageDirectiveProps,
  PluginNavPanelProps,
  PluginNewThreadPanelProps,
  PluginPendingInteractionProps,
  PluginRealtimeConnectionState,
  PluginRpcClient,
  PluginRpcContract,
  PluginRpcError,
  PluginRpcMethodContract,
  PluginSettingsSectionProps,
  PluginSidebarProject,
  PluginSidebarPullRequest,
  PluginSidebarThread,
  PluginSidebarThreadActivity,
  PluginThreadHeaderActionProps,
  PluginThreadListProps,
  PluginThreadPanelProps,
  StandardSchemaV1,
  StandardSchemaV1InferInput<StandardSchemaV1>,
  StandardSchemaV1InferOutput<StandardSchemaV1>,
];

const rpcContract = defineRpcContract({
  list: { input: null, output: z.object({ items: z.array(z.string()) }) },
  nullable: { input: z.null(), output: z.string() },
  add: { input: z.object({ title: z.string(), count: z.number().default(1) }), output: z.number().transform(String) },
});
type Contract = typeof rpcContract;

expectType<Equal<PluginRpcResult<Contract["add"]>, string>>();
expectType<Equal<PluginRpcCallArgs<Contract["add"]>[0], { title: string; count?: number | undefined }>>();

export async function Page({ subPath }: PluginNavPanelProps) {
  expectType<Equal<typeof subPath, string>>();
  const rpc = sdk.useRpc<Contract>();
  expectType<Equal<Awaited<ReturnType<typeof list>>, { items: string[] }>>();
  const list = () => rpc.call("list");
  await rpc.call("nullable");
  await rpc.call("nullable", null, { signal: new AbortController().signal, timeoutMs: 100 });
  const added = await rpc.call("add", { title: "a" });
  expectType<Equal<typeof added, string>>();
  // @ts-expect-error the input is missing
  await rpc.call("add");
  // @ts-expect-error the input does not fit
  await rpc.call("add", { title: 1 });
  // @ts-expect-error no such method
  await rpc.call("remove");
  const untyped = sdk.useRpc();
  await untyped.call("whatever", { a: 1 });
  await untyped.call("whatever");

  sdk.useRealtime("changed", (payload) => expectType<Equal<typeof payload, JsonValue>>());
  const { values } = sdk.useSettings();
  expectType<Equal<typeof values, Record<string, string | boolean | number> | undefined>>();
  const opened = sdk.useSvcNavigate().openThreadPanel({ actionId: "a", params: { n: 1 } });
  expectType<Equal<typeof opened, boolean>>();
  const composer = sdk.useComposer();
  composer.insert([{ type: "mention", provider: "p", id: "1", label: "x" }], { at: "end" });
  // @ts-expect-error a part has a type
  composer.insert([{ text: "x" }]);
  const query = sdk.experimental_useRpcQuery<number>({ method: "n", realtime: [{ channel: "changed" }] });
  expectType<Equal<typeof query.data, number | undefined>>();
  const thread = await sdk.useSdk().threads.get({ threadId: "thr_1" });
  expectType<Equal<typeof thread.id, string>>();
  return createElement("div", null, createElement(sdk.Markdown, { content: "x" }), createElement(Icon, { name: "ListTodo", size: 12 }));
}

export default sdk.definePluginApp((app) => {
  app.slots.navPanel({ id: "a", title: "A", icon: "ListTodo", path: "a", component: () => null });
  // @ts-expect-error the path is missing
  app.slots.navPanel({ id: "a", title: "A", icon: "ListTodo", component: () => null });
  app.slots.threadPanelAction({
    id: "a",
    title: "A",
    component: ({ threadId, params }) => createElement("p", null, threadId, JSON.stringify(params)),
    run: async ({ openPanel }) => void openPanel({ params: { a: 1 } }),
  });
  app.slots.pendingInteraction({
    id: "a",
    component: ({ interaction, submit }) => createElement("button", { onClick: () => void submit({ id: interaction.id }) }),
  });
  app.slots.experimental_threadList({ id: "a", title: "A", component: ({ Original }) => createElement(Original) });
  app.slots.experimental_browserAction({ id: "a", anything: true });
  app.commands.register({ id: "a", title: "A", isAvailable: ({ threadId }) => threadId !== null, run: () => undefined });
  app.contentScripts.register({
    id: "a",
    mount:
      async ({ signal }) =>
      () =>
        void signal.aborted,
  });
  app.composer.customize({ id: "a", scopes: ["thread"], plusMenu: [{ id: "a", label: "A", run: ({ composer }) => composer.clear() }] });
  app.composer.customize({
    id: "b",
    plusMenu: [{ id: "s", label: "Short", disabled: (view) => view.draft.isEmpty, run: () => undefined }],
    richText: {
      effects: [
        { id: "from", match: (text) => [{ from: 0, to: text.length }], className: "x" },
        { id: "start", match: (text) => [{ start: 0, end: text.length }], className: "x" },
      ],
      onDraftChange: ({ mentions }, { scope, layout }) => console.log(mentions[0]?.from, scope.kind, layout),
    },
  });
  const disclosure = app.experimental_sidebarFooter.register({
    kind: "disclosure",
    id: "d",
    label: "D",
    icon: "X",
    component: ({ dismiss }) => createElement("button", { onClick: dismiss }),
  });
  disclosure.toggle();
});

export async function tests(): Promise<void> {
  const app = await loadPluginApp(() => import("./app_surface.js"));
  const panel = app.navPanels[0]!;
  const slot = renderSlot(
    panel,
    { subPath: "" },
    { rpc: { list: () => ({ items: [] }) }, sdk: { threads: { get: () => ({ id: "thr_1" }) } } },
  );
  // @ts-expect-error the slot's props
  renderSlot(panel, { subPath: 1 });
  slot.behavior.setRealtimeConnectionState("connected");
  slot.getByText("x");
  // @ts-expect-error props of the slot, not an element
  slot.rerender(createElement("p"));
  const scripts = await mountPluginContentScripts(app, { pluginId: "a" });
  await scripts.lifecycle.dispose();
}

export const hostEntry = experimental_defineHostEntry({
  contract: {
    size: { input: z.object({ path: z.string().default("/") }), output: z.number() },
    none: { input: null, output: z.string() },
  },
  experimental_signals: { tick: { payload: z.object({ n: z.number() }) } },
  handlers: {
    size: async ({ path }, context) => {
      expectType<Equal<typeof path, string>>();
      await context.experimental_emitSignal("tick", { n: 1 });
      // @ts-expect-error no such signal
      await context.experimental_emitSignal("tock", { n: 1 });
      // @ts-expect-error the payload does not fit
      await context.experimental_emitSignal("tick", { n: "1" });
      return path.length;
    },
    none: () => "x",
  },
});
// @ts-expect-error a handler is missing
experimental_defineHostEntry({ contract: { a: { input: null, output: z.string() } }, handlers: {} });

export async function hostTests(): Promise<void> {
  const harness = experimental_createHostEntryHarness(hostEntry, { experimental_paths: { dataDir: "/d", tempDir: "/t" } });
  const size = await harness.experimental_call("size", {});
  expectType<Equal<typeof size, number>>();
  const [signal] = harness.experimental_getSignals();
  expectType<Equal<typeof signal, { name: "tick"; payload: { n: number } } | undefined>>();
}

expectType<Equal<(typeof RUNTIME_SLOT_BY_SPECIFIER)["react/jsx-runtime"], "jsxRuntime">>();
expectType<Equal<(typeof RUNTIME_PACKAGE_VERSIONS)["sonner"], "2.0.8">>();
