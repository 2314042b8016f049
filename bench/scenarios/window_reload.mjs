import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inFreshWindow, mainThread, pageUse, withBrowser } from "../lib/browser.mjs";
import { followed, mustRun, scaffold } from "../lib/dev_loop.mjs";
import { svc } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";
import { withDevServer } from "../lib/window_peer.mjs";

export const name = "window_reload";
export const summary =
  "from a save of app.tsx to the new page in Chromium, with `svc plugin dev`; against Vite's hot replacement of an equal page";

const kHeading = />\s*Todos\s*</;

/** A turn: saves `file` with another heading and waits until the page shows it. */
async function saving(page, file) {
  const text = readFileSync(file, "utf8");
  if (!kHeading.test(text)) {
    throw new Error(`${file} has no heading to change`);
  }
  const thread = await mainThread(page);
  let saved = 0;
  return async () => {
    const heading = `Todos ${++saved}`;
    let ms;
    const use = await pageUse(thread, async () => {
      const shown = page.waitForFunction((want) => document.querySelector("h2")?.textContent?.trim() === want, heading, { polling: "raf" });
      const start = performance.now();
      writeFileSync(file, text.replace(kHeading, `>${heading}<`));
      await shown;
      ms = performance.now() - start;
    });
    return { ms, ...use };
  };
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

/** Runs `work(save)` with a page of a plugin that `svc plugin dev` watches. */
async function withOurs(browser, plugin, work) {
  return withSvcd([plugin], ({ url, clientEnv }) =>
    inFreshWindow(browser, async (page) => {
      await page.goto(`${url}/plugins/bench/todos`);
      await page.locator("h2").first().waitFor();
      await followed(svc, ["plugin", "dev", plugin], { env: clientEnv }, async (next) => {
        await next(/^initial build .*reloaded bench$/);
        return work(await saving(page, join(plugin, "app.tsx")));
      });
      return { requests: await requestsOfReloads(page, clientEnv, 3) };
    }),
  );
}

async function withTheirs(browser, dir, work) {
  return withDevServer(dir, 1, (url, root) =>
    inFreshWindow(browser, async (page) => {
      await page.goto(url);
      await page.locator("h2").first().waitFor();
      return work(await saving(page, join(root, "page.tsx")));
    }),
  );
}

export async function run({ form, log }) {
  const rounds = form === "full" ? 21 : 5;
  const dir = mkdtempSync(join(tmpdir(), "svc-window-reload-"));
  try {
    return await withBrowser(async (browser) => {
      const sides = { ours: { runs: [] }, peer: { runs: [] } };
      const { requests } = await withOurs(browser, scaffold(dir), (save) =>
        withTheirs(browser, dir, async (replace) => {
          // The first one pays for caches on both sides.
          await save();
          await replace();
          for (let round = 1; round <= rounds; ++round) {
            sides.ours.runs.push(await save());
            sides.peer.runs.push(await replace());
            log(`round ${round}: ${[sides.ours, sides.peer].map(({ runs }) => `${runs.at(-1).ms.toFixed(0)} ms`).join(" and ")}`);
          }
        }),
      );
      return [
        line(sides, { scenario: `${name}_save`, member: "ms", unit: "ms", better: "lower", peerName: "Vite dev server", useOf: "page" }),
        line(
          { ours: { runs: [{ requests }] } },
          { scenario: `${name}_unchanged`, member: "requests", unit: "bundle requests of 3 reloads", better: "lower" },
        ),
      ];
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
