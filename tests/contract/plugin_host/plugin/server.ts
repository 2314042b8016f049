// One plugin for two hosts: what it can do is listed here, what must come out stands in areas/ and ../cases.ts.
import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

import { agents } from "./areas/agents.ts";
import { background, cliRegistrations, http, status } from "./areas/channels.ts";
import { realtime, rpc } from "./areas/rpc.ts";
import { settings } from "./areas/settings.ts";
import { database, kv } from "./areas/storage.ts";
import { outcomeOf } from "./attempt.ts";

export const areas = { rpc, kv, database, settings, cli: cliRegistrations, http, realtime, background, agents, status };
export type Area = keyof typeof areas;

const slow = z.string().refine(async (text) => text !== "bad", "asynchronously bad");

export const rpcContract = defineRpcContract({
  attempt: { input: z.object({ area: z.string(), index: z.number() }), output: z.unknown() },
  echo: {
    input: z.object({ text: z.string().trim().min(1), times: z.number().default(2) }),
    output: z.object({ text: z.string(), tag: z.string().default("t") }),
  },
  none: { input: null, output: z.unknown() },
  "dotted.name": { input: z.null(), output: z.string() },
  patient: { input: slow, output: z.string() },
  wrong: { input: z.enum(["output", "date", "throw", "coded", "odd"]), output: z.unknown().refine((value) => value !== 7, "not seven") },
  who: { input: null, output: z.unknown() },
  leave: { input: z.object({ key: z.string(), value: z.unknown() }), output: z.null() },
  read: { input: z.string(), output: z.unknown() },
  need: { input: z.string(), output: z.null() },
  crons: { input: z.array(z.string()), output: z.array(z.string()) },
});

export default async function contract(svc: SvcPluginApi): Promise<void> {
  const { kv } = svc.storage;
  const fail = await kv.get<string>("fail");
  if (fail !== undefined) {
    await kv.delete("fail");
    throw new RangeError(fail);
  }
  const contractSettings = svc.settings.define({
    level: { type: "select", options: ["low", "high"], default: "low" },
    retries: { type: "number", default: 3 },
    key: { type: "string", secret: true },
    flag: { type: "boolean" },
    note: { type: "string" },
  });
  contractSettings.onChange((next, previous) => svc.log.info(`level ${previous.level} ${next.level}`));
  const extended = Object.assign(Object.create(null) as object, svc, { contractSettings });
  svc.rpc.register(rpcContract, {
    attempt: ({ area, index }) => outcomeOf(areas[area as Area][index]!, extended as SvcPluginApi),
    echo: ({ text, times }) => ({ text: text.repeat(times) }),
    none: () => undefined,
    "dotted.name": () => "dotted",
    patient: (text) => text,
    wrong: (kind) => fails(kind),
    who: (_input, { caller, experimental_caller, signal }) => [caller, caller === experimental_caller, signal.aborted],
    leave: async ({ key, value }) => {
      await kv.set(key, value as string);
      return null;
    },
    need: (message) => {
      svc.status.needsConfiguration(message);
      return null;
    },
    // Nothing is registered: without a function even a good expression is refused.
    crons: (expressions) => expressions.map((cron) => messageOf(() => svc.background.schedule("cron", cron, undefined as never))),
    read: async (key) => (await kv.get(key)) ?? null,
  });
  registerRoutes(svc);
  registerAgents(svc);
  svc.background.service("idle", { start: () => undefined });
  svc.background.schedule("tick", "0 0 1 1 *", async ({ scheduledAt, missed, signal }) => {
    await kv.set("tick", [typeof scheduledAt, missed, signal.aborted]);
  });
  svc.background.schedule("broken", "0 0 1 1 *", () => {
    throw new Error("the schedule broke");
  });
  svc.onInstall(async () => kv.set("installed", ((await kv.get<number>("installed")) ?? 0) + 1));
  svc.onDispose(async () => kv.set("disposed", [...((await kv.get<string[]>("disposed")) ?? []), "first"]));
  svc.onDispose(() => {
    throw new Error("a hook broke");
  });
  svc.onDispose(async () => kv.set("disposed", ["last"]));
}

function fails(kind: string): unknown {
  switch (kind) {
    case "output":
      return 7;
    case "date":
      return { list: [new Date(0)] };
    case "throw":
      throw new RangeError("on purpose");
    case "coded":
      throw Object.assign(new Error("full"), { code: "list_full", retryable: true });
    default:
      throw null;
  }
}

function registerRoutes({ http }: SvcPluginApi): void {
  const open = { auth: "none" } as const;
  http.route(
    "GET",
    "/json",
    (c) => c.json({ query: c.req.query(), tags: c.req.queries("tag") ?? null, method: c.req.method, header: c.req.header("x-in") ?? null }),
    open,
  );
  http.route("POST", "/bytes", async (c) => c.body(await c.req.arrayBuffer(), 201, { "content-type": "application/octet-stream" }), open);
  http.route("POST", "/form", async (c) => c.text(String((await c.req.formData()).get("name"))), open);
  http.route(
    "GET",
    "/set",
    (c) => {
      c.status(202);
      c.header("x-out", "é");
      return c.html("<p>");
    },
    open,
  );
  http.route("GET", "/away", (c) => c.redirect("/x?é"), open);
  http.route("GET", "/missing", (c) => c.notFound(), open);
  http.route("GET", "/a:b/*", (c) => c.text(c.req.path.split("/http")[1] ?? ""), open);
  http.route(
    "GET",
    "/throw",
    () => {
      throw Object.assign(new Error("the route broke"), { code: "broken" });
    },
    open,
  );
  http.route("GET", "/nothing", (() => ({ ok: true })) as never, open);
  http.route("GET", "/odd", (() => ({ status: 99, headers: new Headers() })) as never, open);
  http.route("DELETE", "/gone", (c) => c.body(null, 204), open);
  http.route("GET", "/stream", () => new Response(streamOf(["one ", "two ", "three"])), open);
  http.experimental_websocket(
    "/echo",
    ({ url, headers }) => ({
      onOpen: (socket) => socket.send(`hello ${url.searchParams.get("name")} ${headers.get("x-in")}`),
      onMessage(socket, data) {
        if (data === "close") {
          socket.close(4001, "asked");
        } else if (data === "bad code") {
          socket.send(messageOf(() => socket.close(999)));
        } else if (data === "bad data") {
          socket.send(messageOf(() => socket.send({} as string)));
        } else {
          socket.send(typeof data === "string" ? data.toUpperCase() : data.map((byte) => byte + 1));
        }
      },
    }),
    open,
  );
  http.experimental_websocket(
    "/refuses",
    () => {
      throw new Error("not today");
    },
    open,
  );
}

function streamOf(texts: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      const text = texts.shift();
      if (text === undefined) {
        controller.close();
      } else {
        controller.enqueue(encoder.encode(text));
      }
    },
  });
}

function messageOf(run: () => void): string {
  try {
    run();
    return "no error";
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

function registerAgents(svc: SvcPluginApi): void {
  svc.agents.registerTool({
    name: "greet",
    description: "Greets",
    parameters: z.object({ who: z.string().min(1), fail: z.boolean().default(false) }),
    execute({ who, fail }, { threadId, signal }) {
      if (fail) {
        throw new Error("no greeting");
      }
      return who === "odd"
        ? (5 as never)
        : { content: [{ type: "text", text: `hello ${who} ${threadId} ${signal.aborted}` }], isError: who === "nobody" };
    },
  });
  svc.agents.registerTool({
    name: "plain",
    description: "Takes a JSON Schema",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
    execute: ({ n }) => `n is ${String(n)}`,
  });
  svc.agents.configure(({ thread }) => {
    if (thread.id === "thr_throw") {
      throw new Error("not configured");
    }
    if (thread.id === "thr_stranger") {
      return { tools: ["of another"], skills: [] };
    }
    if (thread.id === "thr_promise") {
      return Promise.resolve({}) as never;
    }
    return { tools: ["greet"], skills: [] };
  });
  svc.agents.contributeInstructions(({ threadId, projectId }) => (threadId === "thr_none" ? null : `${threadId} in ${projectId}`));
  svc.ui.registerMentionProvider({
    id: "items",
    label: "Items",
    triggers: ["@", "#"],
    search({ query, trigger, projectId }) {
      if (query === "throw") {
        throw new Error("no search");
      }
      return [{ id: query, title: `${trigger}${query}`, subtitle: String(projectId) }];
    },
    resolve(itemId) {
      if (itemId === "nothing") {
        return undefined as never;
      }
      return { context: `item ${itemId}`, experimental_images: [{ type: "image", url: "https://example.com/x.png" }] };
    },
  });
  svc.events.on("thread.idle", async ({ thread, lastAssistantText }) => svc.storage.kv.set("idle", [thread.id, lastAssistantText]));
  svc.experimental_hooks.on("message.dispatch", ({ input }) => {
    if (input.text === "throw") {
      throw new Error("no decision");
    }
    if (input.text === "wait") {
      return { kind: "wait", reason: "later" };
    }
    if (input.text === "odd") {
      return { kind: "reject" } as never;
    }
    return input.text === "reject" ? { kind: "reject", message: "no" } : { kind: "proceed" };
  });
}
