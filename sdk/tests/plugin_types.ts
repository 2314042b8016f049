// Compiled, never run: one type of the plugin, and both entries checked against it.
import { defineRpcContract, type PluginFactory, type PluginSettingDescriptors, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { definePluginHooks, type JsonValue } from "@get-svc/plugin-sdk/app";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

const rpcContract = defineRpcContract({
  list: { input: null, output: z.object({ items: z.array(z.string()) }) },
  find: { input: z.object({ text: z.string(), most: z.number().default(10) }), output: z.array(z.number()) },
});
const settings = {
  limit: { type: "number", default: 10 },
  view: { type: "select", options: ["list", "board"] },
  key: { type: "string", secret: true },
} as const satisfies PluginSettingDescriptors;

interface Types {
  rpc: typeof rpcContract;
  settings: typeof settings;
  signals: { changed: { count: number }; cleared: undefined; renamed: { id: string } | null };
}

function server(svc: SvcPluginApi<Types>) {
  svc.settings.define(settings);
  svc.realtime.publish("changed", { count: 1 });
  svc.realtime.publish("cleared");
  svc.realtime.publish("renamed");
  svc.realtime.publish("renamed", { id: "1" });
  // @ts-expect-error no such channel
  svc.realtime.publish("change", { count: 1 });
  // @ts-expect-error another payload
  svc.realtime.publish("changed", { count: "1" });
  // @ts-expect-error the payload is missing
  svc.realtime.publish("changed");
  helper(svc);
}
function helper(svc: SvcPluginApi) {
  svc.realtime.publish("anything");
  svc.realtime.publish("anything", { a: 1 });
  // @ts-expect-error not JSON
  svc.realtime.publish("anything", () => 1);
}
export const factory: PluginFactory = server;

const { useRpc, useRpcQuery, useSettings, useSignal } = definePluginHooks<Types>();

export async function Page() {
  const found = await useRpc().call("find", { text: "a" });
  expectType<Equal<typeof found, number[]>>();
  // @ts-expect-error no such method
  await useRpc().call("lost");

  const list = useRpcQuery("list");
  expectType<Equal<typeof list.data, { items: string[] } | undefined>>();
  useRpcQuery("list", null, { on: ["changed", { channel: "renamed", affects: (payload) => payload?.id === "1" }], enabled: false });
  const query = useRpcQuery("find", { text: "a" }, { staleTime: 0 });
  expectType<Equal<typeof query.data, number[] | undefined>>();
  // @ts-expect-error no such method
  useRpcQuery("lost");
  // @ts-expect-error the input is missing
  useRpcQuery("find");
  // @ts-expect-error the input does not fit
  useRpcQuery("find", { text: 1 });
  // @ts-expect-error no such channel
  useRpcQuery("list", null, { on: ["change"] });
  // @ts-expect-error this channel has another payload
  useRpcQuery("list", null, { on: [{ channel: "changed", affects: (payload) => payload.id === "1" }] });

  const { values } = useSettings();
  expectType<Equal<typeof values, { readonly limit: number; readonly view: "list" | "board" | undefined } | undefined>>();
  // @ts-expect-error secrets stay on the server
  void values?.key;

  useSignal("changed", (payload) => expectType<Equal<typeof payload, { count: number }>>());
  useSignal("cleared", (payload) => expectType<Equal<typeof payload, null>>());
  useSignal("renamed", (payload) => expectType<Equal<typeof payload, { id: string } | null>>());
  // @ts-expect-error no such channel
  useSignal("change", () => undefined);
  // @ts-expect-error another payload
  useSignal("changed", (payload: { count: string }) => payload);
}

/** Whoever names only a part has the rest as without types. */
const partial = definePluginHooks<{ rpc: typeof rpcContract }>();
export function Part() {
  partial.useSignal("anything", (payload) => expectType<Equal<typeof payload, JsonValue>>());
  partial.useRpcQuery("list", null, { on: ["anything"] });
  const { values } = partial.useSettings();
  expectType<Equal<typeof values, Record<string, string | boolean | number> | undefined>>();
  const untyped = definePluginHooks<{ signals: Types["signals"] }>();
  untyped.useRpcQuery("whatever", { a: 1 });
}
