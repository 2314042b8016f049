// Three machines in network namespaces of their own, one of which loses its network for a minute.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hostProbe, nodeModules, svcHostd } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { post } from "./traffic.mjs";

export const summary = "three machines, one loses its network for a minute (needs root)";

const kMachines = 3;
const kCutMs = 60_000;
const kReconnectMs = 60_000;

const addressOf = (index) => `10.177.${index}.1`;

function ip(...words) {
  const { status, stderr } = spawnSync("ip", words, { encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`ip ${words.join(" ")}: ${stderr}`);
  }
}

/** A pair of interfaces: the server's end has the address .1, the machine's, in its namespace, .2. */
function connect(name, index) {
  ip("netns", "add", name);
  ip("link", "add", `${name}s`, "type", "veth", "peer", "name", `${name}m`, "netns", name);
  ip("addr", "add", `${addressOf(index)}/24`, "dev", `${name}s`);
  ip("link", "set", `${name}s`, "up");
  ip("-n", name, "addr", "add", `10.177.${index}.2/24`, "dev", `${name}m`);
  ip("-n", name, "link", "set", `${name}m`, "up");
  ip("-n", name, "link", "set", "lo", "up");
}

const until = async (what, ms, ask) => {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    if (await ask()) {
      return;
    }
  }
  throw new Error(`${what} did not happen within ${ms / 1000} s`);
};

/** What a test asks of a server with the probe installed. */
function clientOf(url) {
  const get = async (path) => (await fetch(`${url}/api/v1${path}`)).json();
  const rpc = async (method, input) => {
    const { status, body } = await post(`${url}/api/v1/plugins/host-probe/rpc/${method}`, JSON.stringify(input ?? null));
    if (status !== 200) {
      throw new Error(`${method}: ${status} ${body}`);
    }
    return JSON.parse(body).result;
  };
  return {
    rpc,
    call: (hostId, method, input = null, more = {}) => rpc("call", { hostId, method, input, ...more }),
    host: async (id) => (await get(`/hosts/${id}`)).host,
    joinCode: async (name) => JSON.parse((await post(`${url}/api/v1/hosts/join-codes`, JSON.stringify({ name }))).body),
    reload: () => post(`${url}/api/v1/plugins/reload?id=host-probe`),
  };
}

export async function run({ quick, log }) {
  if (process.getuid() !== 0) {
    log("skipped: network namespaces need root");
    return [];
  }
  const dir = await mkdtemp(join(tmpdir(), "svc-partition-"));
  const names = Array.from({ length: kMachines }, (_, index) => `svc${process.pid % 10_000}n${index}`);
  const daemons = [];
  try {
    names.forEach(connect);
    const plugin = join(dir, "host-probe");
    await cp(hostProbe, plugin, { recursive: true });
    await symlink(nodeModules, join(dir, "node_modules"));
    const flags = [
      "--listen.host",
      "0.0.0.0",
      "--listen.allowedHosts",
      names.map((_, index) => addressOf(index)).join(","),
      "--hosts.local=false",
    ];
    return await withSvcd([plugin], (server) => cutOne(server, { dir, plugin, names, daemons, quick, log }), flags);
  } finally {
    await Promise.all(daemons.map((daemon) => stop(daemon)));
    for (const name of names) {
      spawnSync("ip", ["netns", "del", name]);
    }
    await rm(dir, { recursive: true, force: true });
  }
}

function stop(daemon) {
  if (daemon.exitCode !== null || daemon.signalCode !== null) {
    return Promise.resolve();
  }
  const exited = once(daemon, "exit");
  daemon.kill("SIGTERM");
  return exited;
}

/** The daemon's standard error, for whoever asks why. */
function startDaemon(name, words) {
  const daemon = spawn("ip", ["netns", "exec", name, svcHostd, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  daemon.said = "";
  daemon.stderr.on("data", (chunk) => (daemon.said += chunk));
  return daemon;
}

async function cutOne(server, { dir, plugin, names, daemons, quick, log }) {
  const url = server.url.replace("0.0.0.0", "127.0.0.1");
  const { port } = new URL(url);
  const client = clientOf(url);
  const problems = [];
  const expect = (what, is) => is || problems.push(what);

  const ids = [];
  for (const [index, name] of names.entries()) {
    const { joinCode, hostId } = await client.joinCode(name);
    const words = ["join", "--server", `http://${addressOf(index)}:${port}`, "--code", joinCode, "--data-dir", join(dir, name)];
    daemons.push(startDaemon(name, words));
    ids.push(hostId);
  }
  for (const [index, id] of ids.entries()) {
    await until(`machine ${index} connecting`, kReconnectMs, async () => (await client.host(id))?.status === "connected").catch((error) => {
      throw new Error(`${error.message}\n${daemons[index].said}`);
    });
    const { ok, error } = await client.call(id, "echo", index);
    expect(`machine ${index} does not answer: ${error?.code} ${error?.message}`, ok);
  }
  log("three machines answer");

  const lost = ids[1];
  const before = (await client.call(lost, "report")).output;
  void client.call(lost, "emit", { name: "tick", payload: { n: 1 }, times: 10_000, everyMs: 50 }, { timeoutMs: 600_000 });
  const pending = client.rpc("many", { hostId: lost, method: "sleep", count: 100, input: { ms: 300_000 }, timeoutMs: 40_000 });
  ip("link", "set", `${names[1]}s`, "down");
  const cutAt = Date.now();
  const seconds = () => `${((Date.now() - cutAt) / 1000).toFixed(1)} s`;
  log("one is cut off");
  const ended = pending.then((outcome) => {
    log(`after ${seconds()} its hundred calls have ended: ${JSON.stringify(outcome.counts)}`);
    expect(
      `pending calls ended as ${JSON.stringify(outcome.counts)}`,
      Object.keys(outcome.counts).every((code) => code === "host_unavailable"),
    );
  });
  for (const id of [ids[0], ids[2]]) {
    const { ok } = await client.call(id, "report");
    expect("another machine does not answer", ok);
  }
  await ended;
  await writeFile(join(plugin, "version.ts"), 'export const version = "2";\n');
  const reload = await client.reload();
  expect(`the plugin does not reload: ${reload.status} ${reload.body}`, reload.status === 200);
  log(`after ${seconds()} the plugin is reloaded`);
  for (const id of [ids[0], ids[2]]) {
    const { output } = await client.call(id, "report");
    expect("another machine serves an old version", output?.version === "2");
  }
  await until("the host being disconnected", kCutMs, async () => (await client.host(lost)).status === "disconnected");
  log(`after ${seconds()} it is disconnected`);
  const { error } = await client.call(lost, "echo", 1);
  expect(`a call to it answers ${error?.code}`, error?.code === "host_unavailable");

  await new Promise((resolve) => setTimeout(resolve, Math.max(0, (quick ? 0 : kCutMs) - (Date.now() - cutAt))));
  await client.rpc("events", { clear: true });
  ip("link", "set", `${names[1]}s`, "up");
  const restoredAt = Date.now();
  log(`restored after ${seconds()}`);
  await until("the session resuming", kReconnectMs, async () => (await client.host(lost)).status === "connected");
  log(`connected again ${((Date.now() - restoredAt) / 1000).toFixed(1)} s later`);
  const after = (await client.call(lost, "report", null)).output;
  expect(`it serves version ${after?.version}`, after?.version === "2");
  expect("the worker is the old one", after?.pid !== before.pid);
  await until("the end of the old worker", 15_000, () => spawnSync("kill", ["-0", String(before.pid)]).status !== 0);
  const events = await client.rpc("events");
  expect(`${events.counts.tick} signals of the old generation arrived`, events.counts.tick === undefined);
  return problems;
}
