// Compiled, never run: what the types must accept and refuse.
import { defineRpcContract } from "@get-svc/plugin-sdk";
import type {
  PluginFactory,
  PluginRpcHandlers,
  PluginRpcInput,
  PluginRpcOutput,
  StandardSchemaV1,
  SvcPluginApi,
} from "@get-svc/plugin-sdk";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

const contract = defineRpcContract({
  none: { input: null, output: z.object({ count: z.number() }) },
  add: {
    input: z.object({ title: z.string().trim(), done: z.boolean().default(false) }),
    output: z.object({ id: z.string(), at: z.string().default("now") }),
  },
  "notes.search": { input: v.object({ text: v.string() }), output: v.array(v.string()) },
  size: { input: type({ width: "number" }), output: type("number") },
});
type Contract = typeof contract;

expectType<Equal<PluginRpcInput<Contract["none"]>, undefined>>();
expectType<Equal<PluginRpcInput<Contract["add"]>, { title: string; done?: boolean | undefined }>>();
expectType<Equal<PluginRpcOutput<Contract["add"]>, { id: string; at: string }>>();
expectType<Equal<PluginRpcOutput<Contract["notes.search"]>, string[]>>();
expectType<Equal<StandardSchemaV1.InferOutput<Contract["size"]["output"]>, number>>();

export const factory: PluginFactory = async (svc: SvcPluginApi) => {
  svc.rpc.register(contract, {
    none: (input) => {
      expectType<Equal<typeof input, undefined>>();
      return { count: 1 };
    },
    add: async (input, { signal, caller }) => {
      expectType<Equal<typeof input, { title: string; done: boolean }>>();
      expectType<Equal<typeof signal, AbortSignal>>();
      return { id: caller.kind === "plugin" ? caller.pluginId : input.title };
    },
    "notes.search": ({ text }) => [text],
    size: ({ width }) => width,
  });

  const rest = {
    "notes.search": ({ text }: { text: string }) => [text],
    size: ({ width }: { width: number }) => width,
  };
  // @ts-expect-error a method has no handler
  svc.rpc.register(contract, { none: () => ({ count: 1 }), ...rest });
  // @ts-expect-error a handler has no method
  svc.rpc.register(contract, { none: () => ({ count: 1 }), add: () => ({ id: "1" }), ...rest, more: () => 1 });
  // @ts-expect-error the result does not fit the output schema
  svc.rpc.register(contract, { none: () => ({ count: "1" }), add: () => ({ id: "1" }), ...rest });
  // @ts-expect-error the input is not what the schema produces
  svc.rpc.register(contract, { none: () => ({ count: 1 }), add: (_: { name: string }) => ({ id: "1" }), ...rest });
  // @ts-expect-error a contract needs an output schema
  defineRpcContract({ broken: { input: null } });
  // @ts-expect-error a plain object is not a validator
  defineRpcContract({ broken: { input: { title: "string" }, output: z.string() } });

  svc.cli.register({
    name: "notes",
    commands: [{ name: "list", summary: "List notes", usage: "svc notes list" }],
    run: (argv, context) => ({ exitCode: argv.length, stdout: context.cwd ?? "" }),
  });
  // @ts-expect-error a result needs an exit code
  svc.cli.register({ name: "notes", run: () => ({ stdout: "" }) });

  await svc.storage.kv.set("notes", [{ id: "1", tags: ["a"] }]);
  const notes = await svc.storage.kv.get<{ id: string }[]>("notes");
  expectType<Equal<typeof notes, { id: string }[] | undefined>>();
  const optional: { text: string; note?: string | undefined }[] = [];
  await svc.storage.kv.set("notes", optional);
  // @ts-expect-error a function is not JSON
  await svc.storage.kv.set("notes", () => 1);

  svc.realtime.publish("notes-changed", { count: 1 });
  svc.realtime.publish("notes-changed");
  // @ts-expect-error a date is not JSON
  svc.realtime.publish("notes-changed", { at: new Date() });

  const settings = svc.settings.define({
    url: { type: "string" },
    level: { type: "select", options: ["low", "high"], default: "low" },
    retries: { type: "number", default: 3 },
  });
  const values = await settings.get();
  expectType<Equal<typeof values.url, string | undefined>>();
  expectType<Equal<typeof values.level, "low" | "high">>();
  expectType<Equal<typeof values.retries, number>>();
  // @ts-expect-error no such type
  svc.settings.define({ when: { type: "date" } });

  svc.log.error(new Error("shown with its stack"));
  svc.status.needsConfiguration("Set the address.");
  svc.onDispose(async () => {});
  const url: string = `${svc.server.loopbackBaseUrl}/api/v1/plugins/${svc.pluginId}`;
  svc.log.info(url);
};

export const handlers: PluginRpcHandlers<Contract> = {
  none: () => ({ count: 0 }),
  add: () => ({ id: "1" }),
  "notes.search": () => [],
  size: () => 1,
};
