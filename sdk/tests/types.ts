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

  const db = svc.storage.database();
  svc.storage.migrate(db, ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"] as const);
  const byId = db.prepare<[number], { text: string }>("SELECT text FROM notes WHERE id = ?");
  expectType<Equal<ReturnType<typeof byId.get>, { text: string } | undefined>>();
  // @ts-expect-error the parameter is a number
  byId.get("1");
  const addAll = db.transaction((texts: string[]) => texts.length);
  expectType<Equal<ReturnType<typeof addAll.immediate>, number>>();
  db.function("shout", { deterministic: true }, (text: string) => text.toUpperCase());
  db.aggregate("longest", { start: "", step: (longest: string, text: string) => (text > longest ? text : longest) });
  // @ts-expect-error a statement is text
  svc.storage.migrate(db, [1]);

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
  const saved = await settings.experimental_set({ level: "high", url: null });
  expectType<Equal<typeof saved.level, "low" | "high">>();
  // @ts-expect-error not one of the options
  void settings.experimental_set({ level: "middle" });
  // @ts-expect-error not declared
  void settings.experimental_set({ other: 1 });
  svc.settings.define({
    key: { type: "string", secret: true, experimental_schema: z.string().min(8) },
    mode: { type: "select", options: ["a", "b"], experimental_schema: v.picklist(["a", "b"]) },
    port: { type: "number", experimental_schema: type("number > 0") },
  });
  // @ts-expect-error no such type
  svc.settings.define({ when: { type: "date" } });

  svc.http.route(
    "post",
    "/hook",
    async (c) => {
      expectType<Equal<Awaited<ReturnType<typeof c.req.arrayBuffer>>, ArrayBuffer>>();
      expectType<Equal<typeof c.req.raw.signal, AbortSignal>>();
      c.header("x-a", "b");
      return c.req.header("x-signature") === undefined ? c.notFound() : c.json({ ok: true }, 201, { "x-c": "d" });
    },
    { auth: "none" },
  );
  svc.http.route("GET", "/stream", () => new Response(new ReadableStream()));
  // @ts-expect-error a handler returns a response
  svc.http.route("GET", "/x", () => ({ ok: true }));
  // @ts-expect-error no such mode
  svc.http.route("GET", "/x", (c) => c.text(""), { auth: "public" });
  svc.http.experimental_websocket("/live", ({ url }) => ({
    onOpen: (socket) => socket.send(url.pathname),
    onMessage(socket, data) {
      expectType<Equal<typeof data, string | Uint8Array>>();
      socket.close(4000, "enough");
    },
    onClose: ({ code, reason }) => void `${code}${reason}`,
  }));
  svc.http.experimental_websocket("/two", async () => ({ onClose: (_socket, { code }) => void code }), { auth: "token" });

  svc.log.error(new Error("shown with its stack"));
  svc.status.needsConfiguration("Set the address.");
  svc.background.service("sync", { start: async (signal) => void signal.aborted });
  svc.background.schedule("digest", "@daily", async ({ signal, scheduledAt, missed }) => {
    expectType<Equal<[typeof signal, typeof scheduledAt, typeof missed], [AbortSignal, number, boolean]>>();
  });
  // @ts-expect-error the function is missing
  svc.background.schedule("digest", "@daily");
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

const kStates = defineRpcContract({
  state: { input: null, output: z.object({ state: z.enum(["idle", "busy"]) }) },
  pair: { input: z.object({ first: z.string() }), output: z.tuple([z.string(), z.number()]) },
});

/** Literals of handlers that stand in the call are those of the contract. */
export const literals = (svc: SvcPluginApi, isBusy: boolean) => {
  svc.rpc.register(
    kStates,
    { state: () => ({ state: isBusy ? "busy" : "idle" }), pair: async ({ first }) => [first, 1] },
    { experimental_published: ["pair"] },
  );
  svc.rpc.register(kStates, {
    async state() {
      return { state: "idle" };
    },
    pair: ({ first }) => [first, 1],
  });
  // @ts-expect-error no such state
  svc.rpc.register(kStates, { state: () => ({ state: "gone" }), pair: () => ["a", 1] });
  // @ts-expect-error a method without a handler
  svc.rpc.register(kStates, { state: () => ({ state: "idle" }) });
  // @ts-expect-error a method that the contract does not have
  svc.rpc.register(kStates, { state: () => ({ state: "idle" }), pair: () => ["a", 1] }, { experimental_published: ["pairs"] });
};

interface Item {
  id: string;
  note?: string | undefined;
  at: { readonly x: number } | null;
  parts?: Item[];
}

/** Values whose type is an interface are JSON like any other. */
export const interfaces = async (svc: SvcPluginApi, item: Item, unknown: unknown) => {
  const { kv } = svc.storage;
  await kv.set("item", item);
  await kv.set("items", { items: [item] as readonly Item[], count: 1 });
  await kv.experimental_compareAndSet("item", undefined, item);
  await kv.experimental_compareAndSet("item", item, undefined);
  svc.realtime.publish("changed", item);
  svc.http.route("GET", "/items", (c) => c.json([item]));
  // @ts-expect-error no JSON
  await kv.set("date", { at: new Date() });
  // @ts-expect-error no JSON
  await kv.set("map", new Map());
  // @ts-expect-error no JSON
  await kv.set("function", { run: () => 1 });
  // @ts-expect-error no JSON
  await kv.set("big", { count: 1n });
  // @ts-expect-error nobody knows
  await kv.set("unknown", unknown);
  // @ts-expect-error a value is there, or the key is not
  await kv.set("none", undefined);
};
