import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { slowPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { post, steadyCalls, usageOf } from "./traffic.mjs";

export const summary = "clients that do not read, that send a byte a second, or that all send 7 MiB at once: the others notice nothing";

const kMiB = 1024 * 1024;
const kPlugin = "/api/v1/plugins/slow";
const kHeapMiB = 128;
/** Buffers, what waits for the plugin, and garbage of all of that. */
const kMostAboveMiB = 2 * kHeapMiB + 128 + 250;
const kSlowestMs = 5000;

/** Each has `open(server)`, which resolves with sockets that stay as they are until they are closed. */
const kPhases = {
  "slow readers": ({ server, count }) => sockets(server, count, `GET ${kPlugin}/http/stream HTTP/1.1\r\n`, { pause: true }),
  "slow headers": ({ server, count }) => sockets(server, count, `GET ${kPlugin}/http/stream HTTP/1.1\r\n`, { drip: "x", half: true }),
  "slow writers": ({ server, count }) =>
    sockets(server, count, `POST ${kPlugin}/http/collect HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${kMiB}\r\n`, {
      drip: " ",
    }),
};

export async function run({ quick, log }) {
  const dir = await mkdtemp(join(tmpdir(), "svc-soak-"));
  try {
    const folder = join(dir, "slow");
    await mkdir(folder);
    const manifest = { name: "svc-plugin-slow", version: "1.0.0", type: "module", svc: { server: "server.ts" } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await copyFile(slowPlugin, join(folder, "server.ts"));
    return await withSvcd([folder], (server) => bePatient(server, { quick, log }), ["--plugins.heapMiB", String(kHeapMiB)]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function bePatient(server, { quick, log }) {
  const problems = [];
  const before = usageOf(server.pid).rssMiB;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, usageOf(server.pid).rssMiB)), 100);
  const calls = steadyCalls({ perSecond: 50, next: () => ({ url: `${server.url}${kPlugin}/rpc/quick`, body: "null" }) });
  const seconds = quick ? 5 : 40;
  for (const [name, open] of Object.entries(kPhases)) {
    const clients = await open({ server, count: quick ? 300 : 1000 });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    log(
      `${name}: ${clients.length} for ${seconds} s, ${clients.filter(({ destroyed }) => destroyed).length} were cut off, ${most.toFixed(0)} MiB at most`,
    );
    clients.forEach((client) => client.destroy());
  }
  problems.push(...(await sendAtOnce(server, { count: quick ? 100 : 600, log })));
  clearInterval(watch);
  const { made, slowestMs } = await calls.stop();
  log(`${made} other calls, the slowest took ${slowestMs} ms; ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most`);
  problems.push(...calls.failures.slice(0, 5));
  if (slowestMs > kSlowestMs) {
    problems.push(`another call took ${slowestMs} ms, more than ${kSlowestMs}`);
  }
  if (most > before + kMostAboveMiB) {
    problems.push(`${most.toFixed(0)} MiB are more than ${kMostAboveMiB} above the ${before.toFixed(0)} before`);
  }
  const { plugin } = JSON.parse((await post(`${server.url}${kPlugin}`, "", undefined, "GET")).body);
  if (plugin.counters.terminations > 0) {
    problems.push(`the plugin was terminated: ${plugin.lastError?.message}`);
  }
  return problems;
}

/** Calls of 7 MiB, all at once: each is answered, with its result or with the reason why there is no room. */
async function sendAtOnce(server, { count, log }) {
  // Bytes, because Node copies a text into its own heap for each call, which has no room for all of them.
  const body = Buffer.from(JSON.stringify("x".repeat(7 * kMiB)));
  const answers = await Promise.allSettled(Array.from({ length: count }, () => post(`${server.url}${kPlugin}/rpc/wait`, body)));
  const statuses = {};
  const problems = [];
  for (const { value, reason } of answers) {
    // The server does not read what it has refused: the client may see the end of the connection first.
    const refused = value?.status === 503 && value.body.includes('"overloaded"');
    const kind = value?.status ?? reason.code;
    statuses[kind] = (statuses[kind] ?? 0) + 1;
    if (value !== undefined && value.status !== 200 && !refused) {
      problems.push(`a call of 7 MiB: ${value.status} ${value.body.slice(0, 200)}`);
    }
  }
  log(`${count} calls of 7 MiB at once: ${JSON.stringify(statuses)}`);
  if (!(statuses[200] > 0)) {
    problems.push("no call of 7 MiB was answered");
  }
  return problems.slice(0, 3);
}

/** Connections that send `head` and then nothing, or `drip` once a second, and read nothing when they are paused. */
async function sockets({ url }, count, head, { pause = false, drip = "", half = false } = {}) {
  const { hostname, port, host } = new URL(url);
  const one = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}host: ${host}\r\n${half ? "x-slow: " : "\r\n"}`);
        resolve(socket);
      });
      socket.once("error", reject);
      socket.on("error", () => undefined);
      if (pause) {
        socket.pause();
      } else {
        socket.resume();
      }
      if (drip === "") {
        return;
      }
      const timer = setInterval(() => socket.write(drip), 1000);
      socket.on("close", () => clearInterval(timer));
    });
  return Promise.all(Array.from({ length: count }, one));
}
