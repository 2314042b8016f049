/** Schedules, tools, mentions, events and hooks. */
import type { ContractHost } from "../host.ts";
import { type Case, until } from "./case.ts";

export const background: Case[] = [
  {
    name: "runs a schedule",
    run: async (host) => [await host.schedule("tick"), await host.rpc("read", "tick")],
    gives: [{ result: undefined }, { result: ["number", false, false] }],
  },
  {
    name: "says why a schedule failed",
    run: (host) => host.schedule("broken"),
    gives: { code: "handler_error", message: "the schedule broke" },
  },
];

const text = (words: string, isError: boolean) => ({ content: [{ type: "text", text: words }], isError });
const items = (...found: object[]) => [{ providerId: "items", label: "Items", items: found }];

export const agents: Case[] = [
  { name: "calls a tool", run: (host) => host.tool("greet", { who: "me" }, "thr_1"), gives: text("hello me thr_1 false", false) },
  {
    name: "passes isError on",
    run: (host) => host.tool("greet", { who: "nobody" }, "thr_1"),
    gives: text("hello nobody thr_1 false", true),
  },
  {
    name: "says what is wrong with arguments",
    run: (host) => host.tool("greet", { who: "" }, "thr_1"),
    gives: text("Invalid arguments for tool greet: who: Too small: expected string to have >=1 characters", true),
  },
  {
    name: "says what a tool threw",
    run: (host) => host.tool("greet", { who: "x", fail: true }, "thr_1"),
    gives: text("Tool greet failed: no greeting", true),
  },
  {
    name: "says what a tool returned",
    run: (host) => host.tool("greet", { who: "odd" }, "thr_1"),
    gives: text("Tool greet failed: it returned a number, expected a string or an object { content, isError? }", true),
  },
  { name: "checks a JSON Schema", run: (host) => host.tool("plain", { n: 5 }, "thr_1"), gives: text("n is 5", false) },
  {
    name: "says what does not fit a JSON Schema",
    run: (host) => host.tool("plain", { n: "x" }, "thr_1"),
    gives: text('Invalid arguments for tool plain: n: must be an integer, is "x"', true),
  },
  { name: "does not know other tools", run: (host) => host.tool("nope", {}, "thr_1"), gives: text("Unknown tool nope", true) },
  {
    name: "configures a thread",
    run: (host) => host.configuration("thr_1", "proj_1"),
    gives: { tools: ["greet"], instructions: "thr_1 in proj_1" },
  },
  { name: "contributes nothing", run: (host) => host.configuration("thr_none", "proj_1"), gives: { tools: ["greet"], instructions: "" } },
  ...["thr_throw", "thr_stranger", "thr_promise"].map((thread) => ({
    name: `offers nothing when configure fails (${thread})`,
    run: (host: ContractHost) => host.configuration(thread, "p"),
    gives: { tools: [], instructions: `${thread} in p` },
  })),
  {
    name: "finds items to mention",
    run: (host) => host.mentions("a b", "#", "proj_1"),
    gives: items({ itemId: "a b", title: "#a b", subtitle: "proj_1", icon: null }),
  },
  { name: "asks nobody for another trigger", run: (host) => host.mentions("a", "!"), gives: [] },
  { name: "asks nobody without a query", run: (host) => host.mentions("", "@"), gives: [] },
  { name: "shows no items after a failure", run: (host) => host.mentions("throw", "@"), gives: items() },
  {
    name: "resolves an item",
    run: (host) => host.mention("items", "1"),
    gives: { result: { context: "item 1", images: [{ type: "image", url: "https://example.com/x.png" }] } },
  },
  {
    name: "says why an item has no context",
    run: (host) => host.mention("items", "nothing"),
    gives: { code: "handler_error", message: 'resolve of mention provider "items" failed: it returned no { context } text' },
  },
  {
    name: "does not know other providers",
    run: (host) => host.mention("nope", "1"),
    gives: { code: "not_found", message: 'plugin "contract" has no mention provider "nope"' },
  },
  {
    name: "delivers events",
    run: async (host) => {
      await host.emit("thread.idle", { lastAssistantText: "done" });
      return until(async () => ((await host.rpc("read", "idle")) as { result: unknown }).result);
    },
    gives: ["thr_1", "done"],
  },
  ...(
    [
      ["go", [0, ""]],
      ["wait", [1, "later"]],
      ["reject", [2, "no"]],
      ["throw", [2, 'the hook "message.dispatch" of plugin "contract" failed: no decision']],
      [
        "odd",
        [2, 'the hook "message.dispatch" of plugin "contract" failed: the hook "message.dispatch" returned a reject without a message'],
      ],
    ] as const
  ).map(([words, decision]) => ({ name: `decides over "${words}"`, run: (host: ContractHost) => host.decide(words), gives: decision })),
];
