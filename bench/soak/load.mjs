import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { WebSocket } from "ws";

import { loadPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { post, usageOf } from "./traffic.mjs";

export const summary = "every way into a plugin at full speed, with texts of 100 B to 7 MiB: no call fails, memory stays";

const kKiB = 1024;
const kMiB = 1024 * kKiB;
/** What each way in gets, one after the other. */
const kLoads = [
  { connections: 64, bytes: 100 },
  { connections: 64, bytes: 4 * kKiB },
  { connections: 64, bytes: 16 * kKiB },
  { connections: 64, bytes: 64 * kKiB },
  { connections: 8, bytes: kMiB },
  { connections: 8, bytes: 7 * kMiB },
];
const kQuickLoads = [
  { connections: 64, bytes: 64 * kKiB },
  { connections: 8, bytes: 7 * kMiB },
];
const kPlugin = "/api/v1/plugins/load";
/** Connections with `call()`, which resolves with the text of the answer, and `close()`. */
const kWays = {
  rpc: (server, text) => httpCalls(server, `${kPlugin}/rpc/length`, JSON.stringify(text)),
  cli: (server, text) => httpCalls(server, `${kPlugin}/cli`, JSON.stringify({ argv: [text] })),
  http: (server, text) => httpCalls(server, `${kPlugin}/http/length`, JSON.stringify(text)),
  websocket: (server, text) => socketCalls(server, `${kPlugin}/http/length`, text),
  plugin: (server, text) => httpCalls(server, `${kPlugin}/rpc/pass`, JSON.stringify(text)),
};

/** Beside what is in flight; V8 alone lets garbage grow to some dozen MiB before it collects. */
const kMostAboveMiB = 250;
/** What may be left of that some seconds after the load. */
const kMostKeptMiB = 125;
const kSampleMs = 250;
const kIdleMs = 10_000;

export async function run({ quick, log }) {
  const dir = await mkdtemp(join(tmpdir(), "svc-soak-"));
  try {
    const manifest = { name: "svc-plugin-load", version: "1.0.0", type: "module", svc: { server: "server.ts" } };
    const folder = join(dir, "load");
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await copyFile(loadPlugin, join(folder, "server.ts"));
    const problems = [];
    for (const way of Object.keys(kWays)) {
      problems.push(...(await withSvcd([folder], (server) => loadWay(server, way, { quick, log }))));
    }
    return problems;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** All loads on one way in, on a server of its own. */
async function loadWay(server, way, { quick, log }) {
  const problems = [];
  const loads = quick ? kQuickLoads : kLoads;
  const seconds = quick ? 4 : 10;
  const curve = memoryCurve(server.pid);
  const before = curve.last();
  let inFlight = 0;
  for (const { connections, bytes } of loads) {
    inFlight = Math.max(inFlight, (connections * bytes * (way === "plugin" ? 2 : 1)) / kMiB); // a call that makes a call
    const from = curve.samples.length;
    const { calls, failures } = await fullSpeed(server, way, { connections, bytes, seconds });
    const rate = Math.round(calls / seconds);
    log(`${way.padEnd(9)} ${String(bytes).padStart(8)} B x ${String(connections).padStart(2)}: ${rate} calls/s, MiB ${curve.text(from)}`);
    problems.push(...failures.slice(0, 3).map((failure) => `${way} with ${bytes} bytes: ${failure}`));
  }
  const loaded = curve.samples.length;
  await new Promise((resolve) => setTimeout(resolve, kIdleMs));
  curve.stop();
  const most = Math.max(...curve.samples.map(({ mib }) => mib));
  const allowed = before + inFlight + kMostAboveMiB;
  log(`${way.padEnd(9)} idle: MiB ${curve.text(loaded)}; before ${before.toFixed(0)}, at most ${most.toFixed(0)}`);
  if (most > allowed) {
    problems.push(
      `${way}: ${most.toFixed(0)} MiB are more than ${allowed.toFixed(0)} (${before.toFixed(0)} before, ${inFlight} in flight, ${kMostAboveMiB} beside them)`,
    );
  }
  if (curve.last() > before + kMostKeptMiB) {
    problems.push(
      `${way}: ${(kIdleMs / 1000).toFixed(0)} s after the load ${curve.last().toFixed(0)} MiB are left, more than ${kMostKeptMiB} above the ${before.toFixed(0)} before`,
    );
  }
  const { plugin } = JSON.parse((await post(`${server.url}${kPlugin}`, "", undefined, "GET")).body);
  if (plugin.counters.terminations > 0) {
    problems.push(`${way}: the plugin was terminated: ${plugin.lastError?.message}`);
  }
  return problems;
}

/** Whether an answer is the count of the bytes sent and nothing else, as each way in says it: texts of errors name byte counts, too. */
function isCount(answer, bytes) {
  const envelopes = [
    { ok: true, result: bytes },
    { ok: true, exitCode: 0, stdout: String(bytes), stderr: "" },
  ];
  return [String(bytes), ...envelopes.map((envelope) => JSON.stringify(envelope))].includes(answer.trim());
}

/** Calls on all connections, one at a time on each, as fast as the answers come. */
async function fullSpeed(server, way, { connections, bytes, seconds }) {
  const text = "x".repeat(bytes);
  const until = performance.now() + seconds * 1000;
  const failures = [];
  let calls = 0;
  const caller = async () => {
    const connection = await kWays[way](server, text);
    while (performance.now() < until) {
      const answer = await connection.call();
      ++calls;
      if (!isCount(answer, bytes)) {
        failures.push(answer.slice(0, 200));
      }
    }
    connection.close();
  };
  const callers = await Promise.allSettled(Array.from({ length: connections }, caller));
  failures.push(...callers.filter(({ status }) => status === "rejected").map(({ reason }) => reason.message));
  return { calls, failures };
}

/** HTTP calls on a plain socket: the client must not be slower than the server. */
async function httpCalls({ url }, path, body) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const request = Buffer.from(head + body);
  let waiting;
  let text = "";
  socket.setEncoding("latin1");
  socket.setNoDelay(true);
  socket.on("data", (piece) => {
    text += piece;
    const end = text.indexOf("\r\n\r\n");
    const length = Number(/\ncontent-length: (\d+)/i.exec(text)?.[1]);
    if (end >= 0 && text.length >= end + 4 + length) {
      const answer = text;
      text = "";
      waiting?.resolve(answer.startsWith("HTTP/1.1 200") ? answer.slice(end + 4) : answer.replaceAll(/\s+/g, " "));
    }
  });
  const lost = (why) => waiting?.reject(new Error(why));
  socket.on("error", (error) => lost(error.message));
  socket.on("close", () => lost("the server closed the connection"));
  return {
    call: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

async function socketCalls({ url }, path, text) {
  const socket = new WebSocket(url.replace("http", "ws") + path);
  let waiting;
  socket.on("message", (data) => waiting?.resolve(String(data)));
  socket.on("error", (error) => waiting?.reject(error));
  socket.on("close", (code) => waiting?.reject(new Error(`the server closed the socket with ${code}`)));
  await new Promise((resolve, reject) => (socket.on("open", resolve), socket.on("error", reject)));
  return {
    call: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.send(text);
      }),
    close: () => socket.terminate(),
  };
}

/** Memory of the process, looked at again and again. */
function memoryCurve(pid) {
  const samples = [];
  const sample = () => samples.push({ at: performance.now(), mib: usageOf(pid).rssMiB });
  sample();
  const timer = setInterval(sample, kSampleMs);
  return {
    samples,
    last: () => (sample(), samples.at(-1).mib),
    stop: () => clearInterval(timer),
    /** Eight points of the curve from a sample on. */
    text(from) {
      const part = samples.slice(from);
      const step = Math.max(1, (part.length - 1) / 7);
      const points = Array.from({ length: Math.min(8, part.length) }, (_, index) => part[Math.round(index * step)]);
      return points.map(({ mib }) => mib.toFixed(0)).join(" ");
    },
  };
}
