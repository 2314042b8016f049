import { z } from "zod";

import { gives, refuses } from "../attempt.ts";

const parameters = z.object({});
const execute = () => "x";
const tool = (definition: unknown) => (svc: any) => svc.agents.registerTool(definition);
const valid = { name: "a", description: "d", parameters, execute };

const tools = [
  refuses("a tool that is text", "agents.registerTool: the tool must be an object, is a string", tool("x")),
  refuses(
    "a tool name with a dot",
    'agents.registerTool: the name "a.b" must be one or more letters, digits, "-" and "_"',
    tool({ ...valid, name: "a.b" }),
  ),
  refuses("a tool twice", 'agents.registerTool: duplicate name "greet"', tool({ ...valid, name: "greet" })),
  refuses(
    "a blank description",
    'agents.registerTool: description of tool "a" must be non-blank text',
    tool({ ...valid, description: "" }),
  ),
  refuses(
    "no execute",
    'agents.registerTool: execute of tool "a" must be a function, is undefined',
    tool({ ...valid, execute: undefined }),
  ),
  refuses(
    "no parameters",
    'agents.registerTool: parameters of tool "a" must be a validator with safeParse or a JSON Schema object, is undefined',
    tool({ ...valid, parameters: undefined }),
  ),
  refuses(
    "parameters of text",
    'agents.registerTool: parameters of tool "a" must describe an object, describes "string"',
    tool({ ...valid, parameters: { type: "string" } }),
  ),
  refuses(
    "recursive parameters",
    'agents.registerTool: parameters of tool "a" cannot be offered to agents: the reference "#" is recursive',
    tool({ ...valid, parameters: { type: "object", properties: { child: { $ref: "#" } } } }),
  ),
  refuses(
    "long instructions",
    'agents.registerTool: instructions of tool "a" have 4097 characters, the limit instructions is 4096',
    tool({ ...valid, instructions: "x".repeat(4097) }),
  ),
  refuses(
    "a long label",
    'agents.registerTool: label.pending in presentation of tool "a" has 81 characters, the limit toolLabel is 80',
    tool({ ...valid, presentation: { label: { pending: "x".repeat(81), completed: "y" } } }),
  ),
  gives(
    "an older field, which is a problem",
    null,
    tool({ ...valid, name: "older", experimental_statusLabels: { pending: "p", completed: "c" } }),
  ),
  refuses("a second configure", "agents.configure: is registered already; a plugin registers at most one", (svc) =>
    svc.agents.configure(() => ({})),
  ),
  refuses("instructions that are text", "agents.contributeInstructions: the callback must be a function, is a string", (svc) =>
    svc.agents.contributeInstructions("x"),
  ),
];

const provider = { id: "p", label: "P", search: () => [], resolve: () => ({ context: "" }) };
const mention = (value: unknown) => (svc: any) => svc.ui.registerMentionProvider(value);
const ask = (request: object, options?: unknown) => (svc: any) =>
  svc.ui.requestInput({ threadId: "thr", rendererId: "form", title: "t", payload: {}, ...request }, options);

const ui = [
  refuses("a provider twice", 'ui.registerMentionProvider: duplicate name "items"', mention({ ...provider, id: "items" })),
  refuses(
    "a strange trigger",
    'ui.registerMentionProvider: triggers of provider "p" has "%", which is not one of @ # $ ! ~',
    mention({ ...provider, triggers: ["%"] }),
  ),
  refuses(
    "no search",
    'ui.registerMentionProvider: search of provider "p" must be a function, is undefined',
    mention({ ...provider, search: undefined }),
  ),
  refuses("a form without a thread", "ui.requestInput: threadId must be non-blank text", ask({ threadId: "" })),
  refuses("a long title", "ui.requestInput: title has 161 characters, the limit inputTitle is 160", ask({ title: "x".repeat(161) })),
  refuses(
    "a large payload",
    "ui.requestInput: the payload has 65537 bytes as JSON, the limit inputPayload is 65536",
    ask({ payload: "x".repeat(65_535) }),
  ),
  refuses("a payload that is not JSON", "ui.requestInput: the payload is not JSON: payload is undefined", ask({ payload: undefined })),
  refuses("a long wait", "ui.requestInput: timeoutMs is 3600001, the limit inputTimeoutMax is 3600000", ask({ timeoutMs: 3_600_001 })),
  refuses("a signal that is none", "ui.requestInput: signal must be an AbortSignal, is an object", ask({}, { signal: {} })),
];

const kEvents =
  "thread.created, thread.active, thread.archived, thread.unarchived, thread.deleted, thread.idle, thread.failed, turn.failed, interaction.pending, " +
  "message.queued, message.dispatched, message.cancelled, experimental_host.deleted, experimental_thread.events, experimental_thread.parentChanged";
const contract = { size: { input: z.object({ path: z.string() }), output: z.number() } };
const client = (options: unknown) => (svc: any) => void svc.hosts.experimental_client(options);
const call = (method: unknown, input: unknown, options: unknown) => (svc: any) =>
  svc.hosts.experimental_client({ contract }).call(method, input, options);
const declaration = { id: "my-agent", displayName: "My agent", capabilities: {}, composerActions: [] };

const rest = [
  refuses("an unknown event", `events.on: unknown event "thread.renamed"; events are ${kEvents}`, (svc) =>
    svc.events.on("thread.renamed", execute),
  ),
  refuses("an event without a handler", 'events.on: the handler of "thread.idle" must be a function, is undefined', (svc) =>
    svc.events.on("thread.idle"),
  ),
  refuses("an unknown hook", 'experimental_hooks.on: unknown hook "x"; the only hook is "message.dispatch"', (svc) =>
    svc.experimental_hooks.on("x", execute),
  ),
  refuses("a hook twice", 'experimental_hooks.on: duplicate name "message.dispatch"', (svc) =>
    svc.experimental_hooks.on("message.dispatch", execute),
  ),
  gives("an event that is never sent", "function", (svc) => typeof svc.events.on("experimental_terminal.input", execute)),
  refuses(
    "a host contract that is none",
    'hosts.experimental_client: input and output of "a" must be Standard Schema v1 validators',
    client({ contract: { a: {} } }),
  ),
  refuses(
    "a signal that is no validator",
    'hosts.experimental_client: the payload of signal "s" must be a Standard Schema v1 validator',
    client({ contract, experimental_signals: { s: { payload: 1 } } }),
  ),
  refuses(
    "a host method that is not there",
    'hosts.experimental_client(…).call: the contract has no method "nope"',
    call("nope", {}, { hostId: "h" }),
  ),
  refuses("a call without a host", "hosts.experimental_client(…).call: hostId must be non-blank text", call("size", { path: "/" }, {})),
  refuses("port 0", "hosts.declareSharedPorts: a port must be an integer from 1 to 65535, got 0", (svc) =>
    svc.hosts.declareSharedPorts("h", [0]),
  ),
  refuses("a tunnel", "Error: svc.hosts.ensureSharedPortTunnel is not supported: this service does not have it", (svc) =>
    svc.hosts.ensureSharedPortTunnel("h"),
  ),
  refuses(
    "a provider id in capitals",
    'providers.register: id must be 2 to 64 lower-case letters, digits and "-", starting with a letter or digit',
    (svc) => svc.providers.register({ ...declaration, id: "A" }),
  ),
  refuses(
    "a provider without capabilities",
    'providers.register: capabilities of provider "my-agent" must be an object, is undefined',
    (svc) => svc.providers.register({ ...declaration, capabilities: undefined }),
  ),
  refuses("half of suspend and resume", 'experimental_machines.register: "m" needs both suspend and resume, or neither', (svc) =>
    svc.experimental_machines.register({
      id: "m",
      displayName: "M",
      description: "d",
      icon: "i",
      create: execute,
      remove: execute,
      suspend: execute,
    }),
  ),
  gives("a registry that is not used", null, (svc) => svc.experimental_aiServices.register({ id: "ai", displayName: "AI" })),
  refuses("a machine", "Error: svc.experimental_machines.bootstrap is not supported: this service does not have it", (svc) =>
    svc.experimental_machines.bootstrap(),
  ),
];

const sdk = [
  refuses("a call without its argument", "sdk.threads.get: needs one object { threadId }, got undefined", (svc) => svc.sdk.threads.get()),
  refuses("a member that is missing", 'sdk.threads.send: "input" is missing', (svc) => svc.sdk.threads.send({ threadId: "thr" })),
  refuses("an id that is a number", 'sdk.threads.get: "threadId" must be non-empty text, is a number', (svc) =>
    svc.sdk.threads.get({ threadId: 5 }),
  ),
  refuses("a signal of text", "sdk.plugins.list: signal must be an AbortSignal, is a string", (svc) =>
    svc.sdk.plugins.list({ signal: "x" }),
  ),
  refuses("input that is not JSON", "sdk.plugins.callRpc: input is not JSON: value is a function", (svc) =>
    svc.sdk.plugins.callRpc({ pluginId: "a", method: "b", input: execute }),
  ),
  refuses("two conditions", 'sdk.threads.wait: needs exactly one of "status" and "event"', (svc) =>
    svc.sdk.threads.wait({ threadId: "thr", status: "idle", event: "x" }),
  ),
  refuses("a call that is aborted", "AbortError: This operation was aborted", (svc) =>
    svc.sdk.plugins.list({ signal: AbortSignal.abort() }),
  ),
];

export const agents = [...tools, ...ui, ...rest, ...sdk];
