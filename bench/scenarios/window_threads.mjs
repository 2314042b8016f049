import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { api } from "../lib/api.mjs";
import { inFreshWindow, mainThread, withBrowser } from "../lib/browser.mjs";
import { pacingAgent } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { line, median } from "../lib/stats.mjs";

export const name = "window_threads";
export const summary = "a thread of 10,000 rows in Chromium: opening and scrolling; the main thread while many threads stream";

/** Tool calls of one turn; with what is said between them, some 10,000 rows of two events each. */
const kSteps = 9000;
const kEvents = 19_000;
const kPerSecond = 50;
const kWaitMs = 300_000;
const kScrolls = 5;
const kShares = 5;

async function until(what, isThere) {
  const end = performance.now() + kWaitMs;
  while (!(await isThere())) {
    if (performance.now() > end) {
      throw new Error(`${what}: not within ${kWaitMs} ms`);
    }
    await sleep(250);
  }
}

async function start(server, prompt) {
  const environment = { type: "host", workspace: { type: "personal" } };
  return (await api(server, "/threads", { projectId: "proj_personal", prompt, environment, providerId: "pacing", title: prompt })).thread
    .id;
}

/** From the click until the last row is painted and the main thread takes the next task; what of that was the answer of the service. */
async function openThread(page, url, id) {
  await page.goto(`${url}/threads`);
  const link = page.locator(`main a[href$="/threads/${id}"]`).first();
  await link.waitFor();
  // Chunks of the page, and the place of the answer in the caches of the service.
  await link.click();
  await page.locator('main [role="region"][aria-label="Messages"] li').first().waitFor();
  await page.goBack();
  await link.waitFor();
  const client = await mainThread(page);
  const before = await client.ms();
  const times = await page.evaluate(async (path) => {
    const anchor = document.querySelector(`main a[href$="${path}"]`);
    performance.clearResourceTimings();
    const begun = performance.now();
    const shown = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector('main [role="region"][aria-label="Messages"] li') !== null) {
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(resolve));
        }
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    anchor.click();
    await shown;
    const all = performance.now() - begun;
    const answer = performance.getEntriesByType("resource").find((entry) => entry.name.includes("/timeline"));
    return { all, service: answer === undefined ? 0 : answer.responseEnd - answer.startTime, kib: (answer?.decodedBodySize ?? 0) / 1024 };
  }, `/threads/${id}`);
  const work = (await client.ms()) - before;
  return { ...times, inWindow: times.all - times.service, work, cpuUs: work * 1000, rssMiB: await client.heapMiB() };
}

/** Scrolls by a screen a frame, there and back; the share of frames that came in time, and the longest. */
const scroll = (page) =>
  page.evaluate(async () => {
    const region = document.querySelector('main [role="region"][aria-label="Messages"]');
    const frames = [];
    let last = await new Promise(requestAnimationFrame);
    const end = last + 4000;
    let by = -120;
    while (last < end) {
      region.scrollTop += by;
      if (region.scrollTop <= 0 || region.scrollTop + region.clientHeight >= region.scrollHeight - 1) {
        by = region.scrollTop <= 0 ? 120 : -120;
      }
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
    frames.sort((a, b) => a - b);
    return { perSecond: (1000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0), p95: frames[Math.floor(frames.length * 0.95)] };
  });

async function long(server, browser, { rounds, log }) {
  const id = await start(server, `Do ${kSteps} steps`);
  // Not the timeline itself: asking for so much of it again and again would hold up what is waited for.
  await until("the rows", async () => (await api(server, `/threads/${id}/events?order=desc&limit=1`)).events[0].seq >= kEvents);
  const { rows } = await api(server, `/threads/${id}/timeline`);
  const samples = [];
  const scrolls = [];
  for (let round = 0; round < rounds; ++round) {
    await inFreshWindow(browser, async (page) => {
      samples.push(await openThread(page, server.url, id));
      if (scrolls.length < kScrolls) {
        scrolls.push(await scroll(page));
      }
    });
  }
  await api(server, `/threads/${id}/stop`, {});
  const of = (what) => median(samples.map((sample) => sample[what]));
  log(
    `${rows.length} rows, ${Math.round(of("kib"))} KiB; the service answers in ${Math.round(of("service"))} ms; frames of a scroll: p95 ${median(scrolls.map(({ p95 }) => p95)).toFixed(1)} ms`,
  );
  const row = (what, runs, member, unit, better) =>
    line({ ours: { runs } }, { scenario: `${name}_${what}`, member, unit, better, useOf: "page" });
  return [
    row("open", samples, "all", "ms", "lower"),
    row("open_in_window", samples, "inWindow", "ms", "lower"),
    row("open_work", samples, "work", "ms of the processor", "lower"),
    row("scroll", scrolls, "perSecond", "frames/s", "higher"),
  ];
}

async function streaming(server, browser, { threads, seconds, log }) {
  const ids = [];
  for (let at = 0; at < threads; ++at) {
    ids.push(await start(server, `Say ${kPerSecond * (seconds + 60)} words`));
  }
  await until("the agents", async () => {
    const { threads: all } = await api(server, "/threads");
    return all.filter(({ id, status }) => ids.includes(id) && status === "active").length === threads;
  });
  const runs = await inFreshWindow(browser, async (page) => {
    const client = await mainThread(page);
    await page.goto(`${server.url}/threads/${ids[0]}`);
    await page.locator('main [role="region"][aria-label="Messages"] article').first().waitFor();
    await sleep(3000);
    const shares = [];
    for (let round = 0; round < kShares; ++round) {
      const before = await client.ms();
      const begun = performance.now();
      await sleep((seconds * 1000) / kShares);
      shares.push({ share: (100 * ((await client.ms()) - before)) / (performance.now() - begun), rssMiB: await client.heapMiB() });
    }
    return shares;
  });
  log(`${threads} threads that say ${kPerSecond} words a second each`);
  await Promise.all(ids.map((id) => api(server, `/threads/${id}/stop`, {})));
  return [
    line(
      { ours: { runs } },
      { scenario: `${name}_streaming`, member: "share", unit: "% of the main thread", better: "lower", useOf: "page" },
    ),
  ];
}

export async function run({ form, log }) {
  const dir = mkdtempSync(join(tmpdir(), "svc-bench-threads-"));
  try {
    const config = join(dir, "config.json");
    const pacing = { command: process.execPath, args: [pacingAgent, String(kPerSecond)], displayName: "Pacing" };
    writeFileSync(config, JSON.stringify({ agents: { pacing } }));
    const plan = form === "full" ? { rounds: 9, threads: 50, seconds: 15 } : { rounds: 3, threads: 10, seconds: 5 };
    return await withSvcd(
      [],
      (server) =>
        withBrowser(async (browser) => {
          await until("the agent", async () => (await api(server, "/providers")).providers.some(({ available }) => available));
          return [...(await long(server, browser, { ...plan, log })), ...(await streaming(server, browser, { ...plan, log }))];
        }),
      ["--config", config],
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
