// A server with one plugin, one project and one thread, for the tests of the HTTP reference.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { WebSocket } from "ws";

import { plainEnvironment, root } from "./guide_examples.mjs";

const binaries = process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin");
const kAgent = join(root, "tests/support/scripted_agent/scripted_agent.mjs");
/** What the agent does in every turn. */
const kTurns = { turns: [[{ thought: "Thinking" }, { text: "Done" }]] };

/** One of everything that a plugin registers and a route lists. */
const kServer = `
export default function sample(svc) {
  svc.settings.define({ greeting: { type: "string", default: "hello" }, key: { type: "string", secret: true } });
  svc.background.schedule("nightly", "0 3 * * *", () => {});
  svc.background.service("watch", { start: (signal) => new Promise((end) => signal.addEventListener("abort", () => end())) });
  svc.cli.register({
    name: "sample", summary: "Says hello", commands: [{ name: "hello", summary: "Says it", usage: "hello" }],
    run: () => ({ exitCode: 0, stdout: "hello\\n" }),
  });
  svc.agents.registerTool({
    name: "sample_hello", description: "Says hello", parameters: { type: "object", properties: {} }, execute: () => "hello",
  });
  svc.ui.registerMentionProvider({
    id: "words", label: "Words", search: () => [{ id: "1", title: "hello" }], resolve: () => ({ context: "hello" }),
  });
  const any = { "~standard": { version: 1, vendor: "sample", validate: (value) => ({ value }) } };
  const askUser = (threadId) => void svc.ui.requestInput({ threadId, rendererId: "confirm", title: "Sure?", payload: {} }).catch(() => {});
  svc.rpc.register({ hello: { input: any, output: any }, ask: { input: any, output: any } }, { hello: () => "hello", ask: askUser });
  svc.http.route("GET", "/hello", (c) => c.text("hello"));
  svc.log.info("sample is loaded");
}
`;

function writePlugin(folder) {
  mkdirSync(join(folder, "skills/greet"), { recursive: true });
  const themes = [{ id: "dusk", name: "Dusk", css: "dusk.css" }];
  const manifest = { name: "svc-plugin-sample", version: "1.0.0", type: "module", svc: { server: "./server.ts", themes } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "server.ts"), kServer);
  writeFileSync(join(folder, "dusk.css"), ":root { --primary: #345; }\n");
  writeFileSync(join(folder, "PLUGIN_OVERVIEW.md"), "Says hello.\n");
  writeFileSync(join(folder, "skills/greet/SKILL.md"), "---\nname: greet\ndescription: Greets\n---\nSay hello.\n");
}

function writeRepository(folder) {
  mkdirSync(folder, { recursive: true });
  const git = (...args) => execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], { cwd: folder });
  git("init", "-q", "-b", "main");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git("add", ".");
  git("commit", "-q", "-m", "First");
  writeFileSync(join(folder, "a.txt"), "two\n");
}

/** Asks `find` now and after every change, until it has an answer. */
async function eventually(url, kinds, find) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  try {
    await once(socket, "open");
    kinds.forEach((kind) => socket.send(JSON.stringify({ type: "subscribe", target: { kind } })));
    for (;;) {
      const changed = once(socket, "message");
      const found = await find();
      if (found !== undefined) {
        return found;
      }
      await changed;
    }
  } finally {
    socket.close();
  }
}

async function read(url, path) {
  return (await fetch(`${url}/api/v1${path}`)).json();
}

/** Starts it in a folder of its own; `stop()` ends it and removes the folder. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), "svc-http-"));
  writePlugin(join(folder, "sample"));
  writeRepository(join(folder, "shop"));
  writeFileSync(join(folder, "script.json"), JSON.stringify(kTurns));
  const agents = { scripted: { command: process.execPath, args: [kAgent, join(folder, "script.json")], displayName: "Scripted" } };
  const flags = ["--data-dir", join(folder, "data"), "--listen", "127.0.0.1:0", `--agents=${JSON.stringify(agents)}`];
  const child = spawn(join(binaries, "svcd"), flags, { env: { ...plainEnvironment(), HOME: folder }, stdio: ["ignore", "pipe", "ignore"] });
  const [first] = await Promise.race([once(createInterface(child.stdout), "line"), once(child, "exit")]);
  const [, url] = /^listening on (http:\S+)$/.exec(String(first)) ?? assert.fail(`svcd gave no ready line: ${first}`);
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url,
    folder,
    stop,
    /** The machine of the server, when it is connected. */
    machine: () =>
      eventually(url, ["host-list"], async () => (await read(url, "/hosts")).hosts.find(({ status }) => status === "connected")),
    /** The agent, when it is known that the machine has it. */
    agent: () =>
      eventually(url, ["system", "host-list"], async () => (await read(url, "/providers")).providers.find(({ available }) => available)),
  };
}
