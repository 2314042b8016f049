import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { inFreshWindow, mainThread, pageUse, todoPlugins, withBrowser } from "../lib/browser.mjs";
import { windowFiles } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";
import { withPreview } from "../lib/window_peer.mjs";

export const name = "window_start";
export const summary =
  "the window with 20 plugins in Chromium: first paint, interactive, bytes; against a built React page with Vite preview";

const kPlugins = 20;

/** Loads until the browser has compiled code of the scripts in its cache. */
const kVisitsUntilCompiled = 3;

/**
 * Has every visit of `page` tell milliseconds since its navigation. `interactive`: the sidebar is painted and the main thread takes
 * the next task, so that a click is answered. `idle`: nothing waits on the main thread for the first time after that. `complete`:
 * the sidebar has a row for every plugin.
 */
async function watch(page) {
  await page.addInitScript((rows) => {
    const marks = {};
    let isThere = false;
    const mark = (name, time = performance.now()) => {
      if (marks[name] === undefined) {
        marks[name] = time;
        if (Object.keys(marks).length === 4) {
          console.info(`measured ${JSON.stringify(marks)}`);
        }
      }
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntriesByName("first-contentful-paint")) {
        mark("paint", entry.startTime);
      }
    }).observe({ type: "paint", buffered: true });
    new MutationObserver(() => {
      if (document.querySelector('[data-sidebar="sidebar"]') === null) {
        return;
      }
      if (!isThere) {
        isThere = true;
        requestAnimationFrame(() => setTimeout(() => mark("interactive")));
        requestIdleCallback(() => mark("idle"));
      }
      if (document.querySelectorAll('[data-sidebar="sidebar"] a[href*="/todos"]').length >= rows) {
        mark("complete");
      }
    }).observe(document, { childList: true, subtree: true });
  }, kPlugins);
}

async function visit(page, url) {
  // The page tells when it is done: asking it would cost the main thread that is measured.
  const [told] = await Promise.all([
    page.waitForEvent("console", { predicate: (message) => message.text().startsWith("measured ") }),
    page.goto(url),
  ]);
  return JSON.parse(told.text().slice("measured ".length));
}

/** The first visit, one that finds everything in the cache, and what such a one takes of the page. */
async function measure(page, url) {
  await watch(page);
  const first = await visit(page, url);
  let again;
  for (let visits = 0; visits < kVisitsUntilCompiled; ++visits) {
    again = await visit(page, url);
  }
  // Who counts takes a little time itself, so this is a visit of its own.
  const use = await pageUse(await mainThread(page), () => visit(page, url));
  return { ...first, ...Object.fromEntries(Object.entries(again).map(([what, time]) => [`again_${what}`, time])), ...use };
}

/** KiB of the scripts that index.html names, which is everything the shell needs for its first paint. */
function bootKiB(folder, compress) {
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const files = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, file]) => join(folder, file));
  return files.reduce((sum, file) => sum + compress(readFileSync(file)).length, 0) / 1024;
}

export async function run({ form, log }) {
  const rounds = form === "full" ? 21 : 5;
  const dir = mkdtempSync(join(tmpdir(), "svc-window-"));
  try {
    const plugins = todoPlugins(dir, kPlugins);
    const sides = { ours: { runs: [] }, peer: { runs: [] } };
    await withSvcd(plugins, (server) =>
      withPreview(dir, kPlugins, (peerUrl) =>
        withBrowser(async (browser) => {
          // The first page of a browser pays for the browser.
          await inFreshWindow(browser, (page) => measure(page, server.url));
          await inFreshWindow(browser, (page) => measure(page, peerUrl));
          for (let round = 0; round < rounds; ++round) {
            sides.ours.runs.push(await inFreshWindow(browser, (page) => measure(page, server.url)));
            sides.peer.runs.push(await inFreshWindow(browser, (page) => measure(page, peerUrl)));
          }
        }),
      ),
    );
    const row = (what) =>
      line(sides, {
        scenario: `${name}_${what}`,
        member: what,
        unit: "ms",
        better: "lower",
        peerName: "React page, Vite preview",
        useOf: "page, when it is visited again",
      });
    const bytes = (what, compress) =>
      line(
        { ours: { runs: [{ kib: bootKiB(windowFiles, compress) }] } },
        { scenario: `${name}_boot_${what}`, member: "kib", unit: "KiB of JavaScript", better: "lower" },
      );
    log(`${readdirSync(join(dirname(windowFiles), "window/assets")).length} files in the window`);
    const kinds = ["paint", "interactive", "idle", "complete"];
    const times = [...kinds, ...kinds.map((kind) => `again_${kind}`)];
    return [...times.map(row), bytes("gzip", gzipSync), bytes("brotli", brotliCompressSync)];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
