import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inFreshWindow, withBrowser } from "../lib/browser.mjs";
import { followed, mustRun, scaffold } from "../lib/dev_loop.mjs";
import { svc } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";
import { withDevServer } from "../lib/window_peer.mjs";

export const name = "window_reload";
export const summary =
  "from a save of app.tsx to the new page in Chromium, with `svc plugin dev`; against Vite's hot replacement of an equal page";

const kHeading = />\s*Todos\s*</;

/** Median of the milliseconds from saving `file` with another heading until the page shows it. */
async function saves(page, file, rounds) {
  const text = readFileSync(file, "utf8");
  if (!kHeading.test(text)) {
    throw new Error(`${file} has no heading to change`);
  }
  const times = [];
  for (let round = 0; round <= rounds; ++round) {
    const heading = `Todos ${round}`;
    const shown = page.waitForFunction((want) => document.querySelector("h2")?.textContent?.trim() === want, heading, { polling: "raf" });
    const start = performance.now();
    writeFileSync(file, text.replace(kHeading, `>${heading}<`));
    await shown;
    times.push(performance.now() - start);
  }
  // The first one pays for caches on both sides.
  return median(times.slice(1));
}

/** Requests for bundles while the plugin's server entry is loaded again `reloads` times. */
async function requestsOfReloads(page, env, reloads) {
  let requests = 0;
  let announced = () => undefined;
  page.on("request", (request) => (requests += /assets\/app\.(js|css)/.test(request.url()) ? 1 : 0));
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => String(payload).includes("plugins-changed") && announced()));
  await page.reload();
  await page.locator("h2").first().waitFor();
  await page.waitForLoadState("networkidle");
  requests = 0;
  for (let count = 0; count < reloads; ++count) {
    const heard = new Promise((resolve) => (announced = resolve));
    mustRun(svc, ["plugin", "reload", "bench"], { env });
    await heard;
    await page.waitForLoadState("networkidle");
  }
  return requests;
}

async function ours(browser, plugin, rounds) {
  return withSvcd([plugin], ({ url, clientEnv }) =>
    inFreshWindow(browser, async (page) => {
      await page.goto(`${url}/plugins/bench/todos`);
      await page.locator("h2").first().waitFor();
      const ms = await followed(svc, ["plugin", "dev", plugin], { env: clientEnv }, async (next) => {
        await next(/^initial build .*reloaded bench$/);
        return saves(page, join(plugin, "app.tsx"), rounds);
      });
      return { ms, requests: await requestsOfReloads(page, clientEnv, 3) };
    }),
  );
}

async function theirs(browser, dir, rounds) {
  return withDevServer(dir, 1, (url, root) =>
    inFreshWindow(browser, async (page) => {
      await page.goto(url);
      await page.locator("h2").first().waitFor();
      return saves(page, join(root, "page.tsx"), rounds);
    }),
  );
}

export async function run({ quick }) {
  const rounds = quick ? 5 : 21;
  const dir = mkdtempSync(join(tmpdir(), "svc-window-reload-"));
  try {
    return await withBrowser(async (browser) => {
      const { ms, requests } = await ours(browser, scaffold(dir), rounds);
      const peer = await theirs(browser, dir, rounds);
      return [
        result({ scenario: `${name}_save`, unit: "ms", better: "lower", ours: ms, peer, peerName: "Vite dev server" }),
        result({ scenario: `${name}_unchanged`, unit: "bundle requests of 3 reloads", better: "lower", ours: requests }),
      ];
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
