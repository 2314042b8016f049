import type { ContractHost, Failure, Socket } from "./host.ts";

/** What a client does with the plugin, and what must come of it on both hosts. */
export interface Case {
  name: string;
  run(host: ContractHost): Promise<unknown>;
  gives: unknown;
}

const kOutput = 1_048_576;

const rpc: Case[] = [
  {
    name: "gives what the schemas return",
    run: (host) => host.rpc("echo", { text: " ab " }),
    gives: { result: { text: "abab", tag: "t" } },
  },
  {
    name: "refuses wrong input with the places",
    run: (host) => host.rpc("echo", { text: " ", times: "x" }),
    gives: {
      code: "invalid_input",
      message:
        'rpc input validation failed for "echo": text: Too small: expected string to have >=1 characters; times: Invalid input: expected number, received string',
      issues: [
        { message: "Too small: expected string to have >=1 characters", path: ["text"] },
        { message: "Invalid input: expected number, received string", path: ["times"] },
      ],
    },
  },
  {
    name: "refuses a missing body",
    run: (host) => host.rpc("echo"),
    gives: {
      code: "invalid_input",
      message: 'rpc input validation failed for "echo": Invalid input: expected object, received undefined',
      issues: [{ message: "Invalid input: expected object, received undefined", path: [] }],
    },
  },
  { name: "sends undefined as null", run: (host) => host.rpc("none"), gives: { result: null } },
  {
    name: "takes no input where the contract says so",
    run: (host) => host.rpc("none", { a: 1 }),
    gives: { code: "invalid_input", message: 'rpc "none" takes no input', issues: [{ message: "Expected no input", path: [] }] },
  },
  { name: "takes null as no input", run: (host) => host.rpc("none", null), gives: { result: null } },
  { name: "takes no body for a schema of null", run: (host) => host.rpc("dotted.name"), gives: { result: "dotted" } },
  { name: "waits for a validator", run: (host) => host.rpc("patient", "good"), gives: { result: "good" } },
  {
    name: "waits for a validator that refuses",
    run: (host) => host.rpc("patient", "bad"),
    gives: {
      code: "invalid_input",
      message: 'rpc input validation failed for "patient": asynchronously bad',
      issues: [{ message: "asynchronously bad", path: [] }],
    },
  },
  {
    name: "does not know other methods",
    run: (host) => host.rpc("nope"),
    gives: { code: "unknown_method", message: 'plugin "contract" has no rpc method "nope"' },
  },
  {
    name: "refuses wrong output",
    run: (host) => host.rpc("wrong", "output"),
    gives: {
      code: "invalid_output",
      message: 'rpc output validation failed for "wrong": not seven',
      issues: [{ message: "not seven", path: [] }],
    },
  },
  {
    name: "refuses output that is not JSON",
    run: (host) => host.rpc("wrong", "date"),
    gives: {
      code: "non_json_result",
      message: 'rpc "wrong" returned a value that is not JSON: result.list[0] is an instance of Date, not a plain object',
    },
  },
  {
    name: "answers a throw with its message",
    run: (host) => host.rpc("wrong", "throw"),
    gives: { code: "handler_error", message: "on purpose" },
  },
  {
    name: "copies code and retryable of a throw",
    run: (host) => host.rpc("wrong", "coded"),
    gives: { code: "handler_error", message: "full", details: { code: "list_full", retryable: true } },
  },
  { name: "survives a throw of null", run: (host) => host.rpc("wrong", "odd"), gives: { code: "handler_error", message: "null" } },
  { name: "says who calls", run: (host) => host.rpc("who"), gives: { result: [{ kind: "client" }, true, false] } },
];

const settings: Case[] = [
  {
    name: "shows what clients may see",
    run: async (host) => {
      const { settings } = (await host.registrations()) as { settings: Record<string, unknown> };
      return settings;
    },
    gives: {
      level: { type: "select", label: "level", default: "low", options: ["low", "high"] },
      retries: { type: "number", label: "retries", default: 3 },
      key: { type: "string", label: "key", secret: true },
      flag: { type: "boolean", label: "flag" },
      note: { type: "string", label: "note" },
      area: { type: "string", label: "area" },
    },
  },
  {
    name: "saves and shows values, a secret only as set",
    run: async (host) => ((await host.settings({ level: "high", note: "n" })) as { result: { values: object } }).result.values,
    gives: { level: "high", retries: 3, key: { set: true }, note: "n" },
  },
  {
    name: "saves all or nothing, with an issue for each key",
    run: (host) => host.settings({ level: "middle", retries: "x", nope: 1, note: "changed" }),
    gives: {
      code: "invalid_input",
      message:
        'the settings are not valid: level: Expected one of "low", "high"; retries: Expected a finite number, got a string; ' +
        'nope: Unknown setting; there are "level", "retries", "key", "flag", "note", "area"',
      issues: [
        { message: 'Expected one of "low", "high"', path: ["values", "level"] },
        { message: "Expected a finite number, got a string", path: ["values", "retries"] },
        { message: 'Unknown setting; there are "level", "retries", "key", "flag", "note", "area"', path: ["values", "nope"] },
      ],
    },
  },
  {
    name: "unsets with null",
    run: async (host) => ((await host.settings({ level: null, note: null, key: null })) as { result: { values: object } }).result.values,
    gives: { level: "low", retries: 3, key: { set: false } },
  },
];

const cli: Case[] = [
  {
    name: "gives the result and the context",
    run: (host) => host.cli(["context", "--json"], { cwd: "/home", threadId: "thr_1", projectId: "proj_1" }),
    gives: { result: { exitCode: 3, stdout: '[["context","--json"],"/home","thr_1","proj_1",false]', stderr: "é" } },
  },
  {
    name: "answers a throw",
    run: (host) => host.cli(["throw"]),
    gives: { code: "handler_error", message: "svc contract failed: on purpose" },
  },
  {
    name: "refuses an exit code of 256",
    run: (host) => host.cli(["code"]),
    gives: { code: "handler_error", message: "svc contract failed: run returned the exitCode 256, expected an integer from 0 to 255" },
  },
  {
    name: "refuses output that is a number",
    run: (host) => host.cli(["number"]),
    gives: { code: "handler_error", message: "svc contract failed: run returned a stdout that is not a string" },
  },
  {
    name: "refuses no result",
    run: (host) => host.cli(["other"]),
    gives: { code: "handler_error", message: "svc contract failed: run returned no result object { exitCode, stdout?, stderr? }" },
  },
  {
    name: "takes output up to the limit",
    run: async (host) => ((await host.cli(["largest"])) as { result: { stdout: string } }).result.stdout.length,
    gives: kOutput - 2,
  },
  {
    name: "refuses output over the limit",
    run: (host) => host.cli(["large"]),
    gives: {
      code: "plugin_cli_output_too_large",
      message: `svc contract wrote ${kOutput + 1} bytes of output, the limit cliOutput is ${kOutput}`,
      details: { maxBytes: kOutput, stdoutBytes: kOutput, stderrBytes: 1, totalBytes: kOutput + 1, exitCode: 1 },
    },
  },
];

const kJson = "application/json; charset=utf-8";
const kText = "text/plain; charset=utf-8";
const unknownRoute = (message: string, allow?: string) => ({
  status: 404,
  headers: { "content-type": kJson, ...(allow !== undefined && { allow }) },
  body: { ok: false, error: { code: "unknown_route", message, details: { pluginId: "contract" } } },
});
const handlerError = (message: string, details = {}) => ({
  status: 500,
  headers: { "content-type": kJson },
  body: { ok: false, error: { code: "handler_error", message, details: { ...details, pluginId: "contract" } } },
});

const http: Case[] = [
  {
    name: "gives query and headers",
    run: (host) => host.http("GET", "/json?a=1&tag=x&tag=y%20z", { headers: { "x-in": "in" } }),
    gives: {
      status: 200,
      headers: { "content-type": kJson },
      body: { query: { a: "1", tag: "x" }, tags: ["x", "y z"], method: "GET", header: "in" },
    },
  },
  {
    name: "answers HEAD from GET",
    run: (host) => host.http("HEAD", "/missing"),
    gives: { status: 404, headers: { "content-type": kText }, body: "" },
  },
  {
    name: "says which methods a path takes",
    run: (host) => host.http("DELETE", "/json"),
    gives: unknownRoute('plugin "contract" has no DELETE /json; the path takes GET, HEAD', "GET, HEAD"),
  },
  {
    name: "does not know other paths",
    run: (host) => host.http("GET", "/json/"),
    gives: unknownRoute('plugin "contract" has no GET /json/'),
  },
  {
    name: "takes bytes as they are",
    run: (host) => host.http("POST", "/bytes", { body: new Uint8Array([0, 255, 128, 10]) }),
    gives: { status: 201, headers: { "content-type": "application/octet-stream" }, body: [0, 255, 128, 10] },
  },
  {
    name: "reads forms",
    run: (host) => host.http("POST", "/form", { body: new URLSearchParams({ name: "a b" }) }),
    gives: { status: 200, headers: { "content-type": kText }, body: "a b" },
  },
  {
    name: "keeps status and headers of the context",
    run: (host) => host.http("GET", "/set"),
    gives: { status: 202, headers: { "content-type": "text/html; charset=utf-8", "x-out": "é" }, body: "<p>" },
  },
  { name: "redirects", run: (host) => host.http("GET", "/away"), gives: { status: 302, headers: { location: "/x?é" }, body: "" } },
  {
    name: "answers not found",
    run: (host) => host.http("GET", "/missing"),
    gives: { status: 404, headers: { "content-type": kText }, body: "404 Not Found" },
  },
  {
    name: "compares the path once decoded, : and * as they are",
    run: (host) => host.http("GET", "/%61:b/*"),
    gives: { status: 200, headers: { "content-type": kText }, body: "/%61:b/*" },
  },
  { name: "answers a throw", run: (host) => host.http("GET", "/throw"), gives: handlerError("the route broke", { code: "broken" }) },
  {
    name: "refuses what is no response",
    run: (host) => host.http("GET", "/nothing"),
    gives: handlerError("the handler of GET /nothing must return a Response, for example c.json(value), but returned an object"),
  },
  {
    name: "refuses a status that is none",
    run: (host) => host.http("GET", "/odd"),
    gives: handlerError("the handler of GET /odd returned the status 99; it must be 200 to 599"),
  },
  { name: "answers without a body", run: (host) => host.http("DELETE", "/gone"), gives: { status: 204, headers: {}, body: "" } },
  { name: "streams", run: (host) => host.http("GET", "/stream"), gives: { status: 200, headers: {}, body: "one two three" } },
  {
    name: "knows a route that was registered later",
    run: (host) => host.http("GET", "/late"),
    gives: { status: 200, headers: { "content-type": kText }, body: "late" },
  },
];

async function withSocket<T>(host: ContractHost, use: (socket: Socket) => Promise<T>): Promise<T | Failure> {
  const socket = await host.socket("/echo?name=me", { "x-in": "in" });
  if ("code" in socket) {
    return socket;
  }
  return use(socket);
}
/** After the greeting. */
const reply = (host: ContractHost, data: string | Uint8Array) =>
  withSocket(host, async (socket) => {
    await socket.next();
    await socket.send(data);
    const answer = await socket.next();
    await socket.close(1000, "");
    return answer;
  });

const sockets: Case[] = [
  {
    name: "greets with query and headers",
    run: (host) => withSocket(host, async (socket) => [await socket.next(), await socket.close(1000, "")][0]),
    gives: "hello me in",
  },
  { name: "carries text", run: (host) => reply(host, "abc"), gives: "ABC" },
  { name: "carries bytes", run: (host) => reply(host, new Uint8Array([1, 2, 254])), gives: [2, 3, 255] },
  {
    name: "refuses a close code",
    run: (host) => reply(host, "bad code"),
    gives: "RangeError: socket.close: the code must be 1000 to 1014 or 3000 to 4999, is 999",
  },
  {
    name: "refuses data that is none",
    run: (host) => reply(host, "bad data"),
    gives: "TypeError: socket.send: the data must be a string or bytes, is an object",
  },
  {
    name: "is closed by the plugin",
    run: (host) =>
      withSocket(host, async (socket) => {
        await socket.next();
        await socket.send("close");
        return socket.closed;
      }),
    gives: { code: 4001, reason: "asked" },
  },
  {
    name: "closes when the plugin's function throws",
    run: async (host) => ((await host.socket("/refuses")) as Socket).closed,
    gives: { code: 1011, reason: "the plugin failed to accept the connection" },
  },
  {
    name: "does not know other sockets",
    run: (host) => host.socket("/json"),
    gives: { code: "unknown_route", message: 'plugin "contract" has no WebSocket /json' },
  },
];

const background: Case[] = [
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

const agents: Case[] = [
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
    gives: text('Invalid arguments for tool plain: n: Instance type "string" is invalid. Expected "integer".', true),
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

/** Asks until the answer is there. */
async function until(ask: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 0; tries < 1000; tries++) {
    const answer = await ask();
    if (answer !== null) {
      return answer;
    }
  }
  return null;
}

const lifecycle: Case[] = [
  { name: "runs", run: (host) => host.status(), gives: { status: "running", statusDetail: null } },
  {
    name: "keeps the present load when the next one fails",
    run: async (host) => {
      await host.rpc("leave", { key: "fail", value: "asked to" });
      const message = withoutPlace(await host.reload());
      const { status, statusDetail } = await host.status();
      return [message, status, withoutPlace(statusDetail), await host.rpc("dotted.name")];
    },
    gives: [
      "reload failed: RangeError: asked to (the previous instance is still running)",
      "running",
      "reload failed: RangeError: asked to",
      { result: "dotted" },
    ],
  },
  {
    name: "reloads, and runs the hooks last registered first",
    run: async (host) => [await host.reload(), await host.status(), (await host.rpc("read", "disposed")) as object],
    gives: [null, { status: "running", statusDetail: null }, { result: ["last", "first"] }],
  },
  { name: "has run the install hooks once", run: (host) => host.rpc("read", "installed"), gives: { result: 1 } },
  {
    name: "needs configuration when the plugin says so, also without words",
    run: async (host) => {
      await host.rpc("need", "add a key");
      const first = await host.status();
      await host.rpc("need", "");
      return [first, await host.status(), await host.rpc("dotted.name")];
    },
    gives: [
      { status: "needs-configuration", statusDetail: "add a key" },
      { status: "needs-configuration", statusDetail: "the plugin needs configuration" },
      { result: "dotted" },
    ],
  },
  {
    name: "loads the plugin again when settings are saved then",
    run: async (host) => {
      await host.settings({ retries: 4 });
      return until(async () => {
        const now = await host.status();
        return now.status === "running" ? now : null;
      });
    },
    gives: { status: "running", statusDetail: null },
  },
  {
    name: "forgets what was registered later",
    run: (host) => host.http("GET", "/late"),
    gives: unknownRoute('plugin "contract" has no GET /late'),
  },
  {
    name: "closes sockets of the load that ends",
    run: (host) =>
      withSocket(host, async (socket) => {
        await host.reload();
        return socket.closed;
      }),
    gives: { code: 1012, reason: "the plugin was reloaded or stopped" },
  },
  {
    name: "answers nothing when it is disabled",
    run: async (host) => {
      await host.disable();
      const answers = [await host.rpc("who"), await host.status()];
      await host.enable();
      return [...answers, await host.rpc("read", "disposed")];
    },
    gives: [
      { code: "plugin_not_running", message: 'plugin "contract" is not running (status disabled)' },
      { status: "disabled", statusDetail: null },
      { result: ["last", "first"] },
    ],
  },
];

/** By design: only the server maps stacks to sources, and says where the factory failed. */
function withoutPlace(text: string | null): string | null {
  return text && text.replace(/ \(server\.ts:\d+:\d+\)/, "");
}

export const cases = { rpc, settings, cli, http, sockets, background, agents, lifecycle };
