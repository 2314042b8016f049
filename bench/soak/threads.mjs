import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import WebSocket from "ws";

import { agentIsThere, api } from "../lib/api.mjs";
import { loadPlugin, pacingAgent } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { steadyCalls, usageOf } from "./traffic.mjs";

export const summary = "threads whose agents all stream at once, with windows that follow them: nothing is lost, doubled or out of order";

const kWindows = 3;
const kPerSecond = 50;
/** Of the server, above what it used before the threads began. Their logs are on disk, what streams is in memory until it ends. */
const kMostAboveMiB = 300;
/** Calls to another plugin while the agents stream, to those before. Both in the same run. */
const kSlower = 2;
/** What a short call may take on a machine that is busy with the agents themselves. */
const kAlwaysFineMs = 50;
/** Without a word of any thread: on a busy machine the agents take longer. */
const kSilenceMs = 60_000;

export async function run({ quick, log }) {
  const dir = await mkdtemp(join(tmpdir(), "svc-soak-"));
  try {
    const folder = join(dir, "load");
    await mkdir(folder);
    const manifest = { name: "svc-plugin-load", version: "1.0.0", type: "module", svc: { server: "server.ts" } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await copyFile(loadPlugin, join(folder, "server.ts"));
    const config = join(dir, "config.json");
    const pacing = { command: process.execPath, args: [pacingAgent, String(kPerSecond)], displayName: "Pacing" };
    await writeFile(config, JSON.stringify({ agents: { pacing } }));
    const plan = quick ? { threads: 10, words: 500 } : { threads: 50, words: 1500 };
    return await withSvcd([folder], (server) => stream(server, { ...plan, log }), ["--config", config]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const callsOf = (server) =>
  steadyCalls({ perSecond: 100, next: () => ({ url: `${server.url}/api/v1/plugins/load/rpc/length`, body: '"abc"' }) });

async function stream(server, { threads, words, log }) {
  const problems = [];
  await agentIsThere(server, "pacing");
  const before = usageOf(server.pid).rssMiB;
  const quiet = callsOf(server);
  await sleep(5000);
  const alone = await quiet.stop();

  const windows = await Promise.all(Array.from({ length: kWindows }, () => openWindow(server)));
  const prompt = `Say ${words} words`;
  const environment = { type: "host", workspace: { type: "personal" } };
  const { projects } = await api(server, "/projects?includePersonal=true");
  const projectId = projects.find(({ isPersonal, kind }) => isPersonal === true || kind === "personal").id;
  const busy = callsOf(server);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, usageOf(server.pid).rssMiB)), 250);
  const ids = [];
  for (let at = 0; at < threads; ++at) {
    const { thread } = await api(server, "/threads", { projectId, prompt, environment, providerId: "pacing" });
    ids.push(thread.id);
    windows.forEach((window) => window.follow(thread.id));
  }
  const started = performance.now();
  await ended(server, { ids, words: () => windows.reduce((sum, window) => sum + window.frames, 0), problems });
  clearInterval(watch);
  const beside = await busy.stop();
  log(`${threads} threads said ${threads * words} words in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  log(`other calls: p99 ${alone.p99Ms} ms before, ${beside.p99Ms} ms beside; ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most`);
  problems.push(...quiet.failures.slice(0, 3), ...busy.failures.slice(0, 3));
  if (beside.p99Ms > Math.max(kSlower * alone.p99Ms, kAlwaysFineMs)) {
    problems.push(`calls to another plugin took ${beside.p99Ms} ms (p99), ${alone.p99Ms} ms without the threads`);
  }
  if (most > before + kMostAboveMiB) {
    problems.push(`${most.toFixed(0)} MiB are more than ${kMostAboveMiB} above the ${before.toFixed(0)} before`);
  }
  problems.push(...(await compare(server, ids, windows, words)));
  const frames = windows.reduce((sum, window) => sum + window.frames, 0);
  const gaps = windows.reduce((sum, window) => sum + window.gaps, 0);
  log(`${frames} frames to ${kWindows} windows, ${gaps} gaps after which a window fetches`);
  windows.forEach((window) => window.close());
  return problems.slice(0, 10);
}

async function ended(server, { ids, words, problems }) {
  const open = new Set(ids);
  let heard = { words: words(), at: performance.now() };
  while (open.size > 0 && performance.now() < heard.at + kSilenceMs) {
    await sleep(500);
    if (words() !== heard.words) {
      heard = { words: words(), at: performance.now() };
    }
    for (const id of open) {
      const { events } = await api(server, `/threads/${id}/events?types=turn/completed`);
      if (events.length > 0) {
        open.delete(id);
        const { status } = events[0].data;
        if (status !== "completed") {
          problems.push(`${id}: its turn was ${status}: ${JSON.stringify(events[0].data)}`);
        }
      }
    }
  }
  for (const id of open) {
    const { thread } = await api(server, `/threads/${id}`);
    const { events } = await api(server, `/threads/${id}/events?order=desc&limit=1`);
    problems.push(`${id}: its turn has not ended; it is ${thread.status}, the log ends with ${JSON.stringify(events[0])}`);
  }
}

/** What a window knows of a thread by frames alone, and how often it would have had to fetch. */
async function openWindow(server) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/v1/ws`);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const threads = new Map();
  const window = { frames: 0, gaps: 0, threads, close: () => socket.close() };
  window.follow = (threadId) => {
    threads.set(threadId, { seq: null, items: new Map(), wrong: [] });
    socket.send(JSON.stringify({ type: "subscribe", target: { kind: "thread-detail", threadId } }));
  };
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    const thread = message.type === "changed" && message.entity === "thread" ? threads.get(message.id) : undefined;
    if (thread !== undefined && message.metadata?.throughSeq !== undefined) {
      ++window.frames;
      window.gaps += take(thread, message.metadata);
    }
  });
  return window;
}

function take(thread, { fromSeq, throughSeq, deltas }) {
  let gaps = 0;
  if (thread.seq !== null) {
    if (fromSeq > thread.seq + 1) {
      ++gaps;
    } else if (throughSeq < thread.seq) {
      thread.wrong.push(`a frame through ${throughSeq} after ${thread.seq}`);
    }
  }
  thread.seq = throughSeq;
  for (const { itemId, field, offset, text } of deltas ?? []) {
    if (field !== "text") {
      continue;
    }
    const item = thread.items.get(itemId) ?? { text: "", whole: offset === 0 };
    thread.items.set(itemId, item);
    if (offset !== item.text.length && item.whole) {
      item.whole = false;
      if (offset < item.text.length) {
        thread.wrong.push(`${itemId}: offset ${offset} after ${item.text.length}`);
      }
      ++gaps;
    }
    if (item.whole) {
      item.text += text;
    }
  }
  return gaps;
}

/** The log has each word once and in order, and what a window has seen without a gap is the same text. */
async function compare(server, ids, windows, words) {
  const problems = [];
  const expected = Array.from({ length: words }, (_, at) => `${at} `).join("");
  for (const id of ids) {
    const events = [];
    for (let afterSeq = 0; ;) {
      const page = (await api(server, `/threads/${id}/events?limit=500&afterSeq=${afterSeq}`)).events;
      events.push(...page);
      if (page.length < 500) {
        break;
      }
      afterSeq = page.at(-1).seq;
    }
    events.forEach(({ seq }, at) => {
      if (seq !== at + 1) {
        problems.push(`${id}: event ${at + 1} has the number ${seq}`);
      }
    });
    const texts = events
      .filter(({ type, data }) => type === "item/completed" && data.item.type === "agentMessage")
      .map(({ data }) => data.item);
    if (texts.map(({ text }) => text).join("") !== expected) {
      problems.push(`${id}: the log does not have what the agent said`);
    }
    for (const window of windows) {
      const seen = window.threads.get(id);
      problems.push(...seen.wrong.map((text) => `${id}: ${text}`));
      for (const { id: item, text } of texts) {
        const streamed = seen.items.get(item);
        if (streamed?.whole === true && !text.startsWith(streamed.text)) {
          problems.push(`${id}: a window has seen another text of ${item}`);
        }
      }
    }
  }
  return problems;
}
