import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

import { failureOf, readAnswer, type ContractHost, type Failure, type HttpInit, type Outcome, type Socket } from "./host.ts";

/** What nobody acts on as long as a server has no threads. */
const kOfThreads = /^(agents\.c|events\.on\("(thread|turn|message|interaction)\.|experimental_hooks\.on|providers\.register)/;

type Json = any;

/** A server on a data directory of its own, at a port the system picks. */
class Server {
  private constructor(
    readonly child: ChildProcess,
    readonly folder: string,
    readonly url: string,
  ) {}

  static async start(binaries: string): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), "svc-contract-"));
    const flags = ["--data-dir", join(folder, "data"), "--listen", "127.0.0.1:0"];
    const probe = [`--modules.path=${join(binaries, "../tests/modules")}`, "--modules.add=agentprobe"];
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_)|^HOME$/.test(name)));
    const child = spawn(join(binaries, "svcd"), [...flags, ...probe], { env: { ...env, HOME: folder }, stdio: ["ignore", "pipe", "pipe"] });
    let failures = "";
    child.stderr!.on("data", (text: Buffer) => (failures += text.toString()));
    const lines = createInterface(child.stdout!);
    const first = await Promise.race([once(lines, "line"), once(child, "exit")]);
    const url = /^listening on (http:\S+)$/.exec(String(first[0]))?.[1];
    if (url === undefined) {
      throw new Error(`svcd gave no ready line: ${String(first[0])}\n${failures}`);
    }
    return new Server(child, folder, url);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  async call(method: string, path: string, body?: unknown): Promise<Json> {
    const init = { method, headers: { "content-type": "application/json" }, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await fetch(this.url + path, init)).json();
  }
}

function outcomeOf(answer: Json, member?: string): Outcome {
  if (answer.ok === false) {
    return failureOf(answer.error as Failure);
  }
  const { ok: _, ...members } = answer;
  return { result: member === undefined ? members : answer[member] };
}

export async function startRealHost(binaries: string, folder: string): Promise<ContractHost> {
  const server = await Server.start(binaries);
  const signals: { channel: string; payload: unknown }[] = [];
  const listener = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
  listener.on("message", (data) => {
    const message = JSON.parse(String(data)) as Json;
    if (message.type === "plugin-signal") {
      signals.push({ channel: message.channel, payload: message.payload });
    }
  });
  await once(listener, "open");
  const installed = await server.call("POST", "/api/v1/plugins/install", { source: `path:${folder}` });
  if (installed.plugin?.status !== "running") {
    await server.stop();
    throw new Error(`the plugin does not run: ${JSON.stringify(installed.error ?? installed.plugin?.statusDetail)}`);
  }
  const plugin = "/api/v1/plugins/contract";
  const record = async (): Promise<Json> => (await server.call("GET", plugin)).plugin;
  const probe = (action: string, body: object): Promise<Json> => server.call("POST", `/test/agents/${action}`, body);

  return {
    rpc: async (method, input) => outcomeOf(await server.call("POST", `${plugin}/rpc/${method}`, input), "result"),
    http: async (method, path, init: HttpInit = {}) =>
      readAnswer(await fetch(`${server.url}${plugin}/http${path}`, { method, redirect: "manual", ...init })),
    socket: (path, headers = {}) => openSocket(`${server.url.replace("http", "ws")}${plugin}/http${path}`, headers),
    cli: async (argv, context = {}) => outcomeOf(await server.call("POST", `${plugin}/cli`, { argv, ...context })),
    settings: async (values) => outcomeOf(await server.call("PUT", `${plugin}/settings`, { values })),
    async schedule(name) {
      const answer = await server.call("POST", `${plugin}/schedules/${name}/run`);
      if (!answer.ok) {
        return failureOf(answer.error);
      }
      const { lastStatus, lastError } = answer.schedule;
      return lastStatus === "ok" ? { result: undefined } : failureOf({ message: lastError });
    },
    async tool(name, params, threadId) {
      const { content, isError } = await probe("call", { name, arguments: params ?? {}, threadId });
      return { content, isError };
    },
    async configuration(threadId, projectId) {
      const { tools, instructions } = await probe("open", { threadId, projectId });
      return { tools: tools.map((name: string) => name.split(":")[1]), instructions };
    },
    async mentions(query, trigger, projectId) {
      const parameters = new URLSearchParams({ q: query, trigger, ...(projectId !== undefined && { projectId }) });
      const { groups } = await server.call("GET", `/api/v1/plugins/mentions/search?${parameters}`);
      return groups.map(({ pluginId: _, ...group }: Json) => group);
    },
    mention: async (providerId, itemId) => outcomeOf(await probe("resolve", { pluginId: "contract", providerId, itemId }), "resolved"),
    emit: async (name, payload) =>
      void (await probe("emit", { name, payload: { lastAssistantText: null, ...payload, thread: { id: "thr_1" } } })),
    async decide(text) {
      const { kind, text: words } = await probe("decide", { input: { text } });
      return [kind, words];
    },
    async reload() {
      const answer = await server.call("POST", "/api/v1/plugins/reload?id=contract");
      return answer.ok ? null : answer.error.message;
    },
    disable: async () => void (await server.call("POST", `${plugin}/disable`)),
    enable: async () => void (await server.call("POST", `${plugin}/enable`)),
    async status() {
      const { status, statusDetail } = await record();
      return { status, statusDetail };
    },
    problems: async () => (await record()).problems.map(({ message }: Json) => message),
    // The test host plays the part of the threads that a server may not have.
    unsupported: async () => (await record()).unsupported.filter((member: string) => !kOfThreads.test(member)).sort(),
    async registrations() {
      const { cliCommands, mentionProviders } = await server.call("GET", "/api/v1/plugins/contributions");
      const { schema } = await server.call("GET", `${plugin}/settings`);
      const { tools } = await probe("list", {});
      const { commands } = cliCommands.find(({ pluginId }: Json) => pluginId === "contract") ?? {};
      return {
        commands,
        mentionProviders: mentionProviders.map(({ pluginId: _, ...provider }: Json) => provider),
        settings: schema,
        tools: tools.map((name: string) => name.split(":")[1]),
      };
    },
    signals: () => [...signals],
    async log() {
      const { lines } = await server.call("GET", `${plugin}/logs?tail=10000`);
      return lines.map((line: string) => JSON.parse(line)).map(({ level, message }: Json) => `${level} ${message}`);
    },
    async stop() {
      listener.close();
      await server.stop();
    },
  };
}

function openSocket(url: string, headers: Record<string, string>): Promise<Socket | Failure> {
  const socket = new WebSocket(url, { headers });
  const messages: (string | number[])[] = [];
  const waiting: ((message: string | number[]) => void)[] = [];
  socket.on("message", (data: Buffer, binary) => {
    const message = binary ? [...data] : data.toString();
    const waiter = waiting.shift();
    if (waiter === undefined) {
      messages.push(message);
    } else {
      waiter(message);
    }
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => resolve(failureOf(JSON.parse(text).error)));
    });
    socket.on("open", () =>
      resolve({
        next: async () => messages.shift() ?? new Promise((take) => waiting.push(take)),
        send: async (data) => socket.send(data),
        close: async (code, reason) => socket.close(code, reason),
        closed,
      }),
    );
  });
}
