import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inFreshWindow, mainThread, pageUse, todoPlugins, withBrowser } from "../lib/browser.mjs";
import { svc } from "../lib/paths.mjs";
import { withSvcdAt } from "../lib/processes.mjs";
import { withPrograms } from "../lib/programs.mjs";
import { runningAt } from "../lib/running.mjs";
import { line } from "../lib/stats.mjs";

export const name = "many_plugins";
export const summary = "a server with 60 plugins that have pages: until all of them run, their list, the sidebar, the palette";

const kPlugins = 60;
/** What is typed is in one title only. */
const kWanted = "Todos 47";

/**
 * Has the page tell milliseconds from an event of the user to the first frame behind which `isThere()` holds and the main thread
 * takes the next task, so what the person sees and can go on with.
 */
async function watch(page) {
  await page.addInitScript((rows) => {
    const tell = (what, begun) =>
      requestAnimationFrame(() => setTimeout(() => console.info(`measured ${what} ${performance.now() - begun}`)));
    const once = (what, begun, isThere) => {
      const observer = new MutationObserver(() => {
        if (isThere()) {
          observer.disconnect();
          tell(what, begun);
        }
      });
      observer.observe(document, { childList: true, subtree: true, attributes: true });
    };
    const options = () => [...document.querySelectorAll('[role="dialog"] [role="option"]')];
    once("sidebar", 0, () => document.querySelectorAll('[data-sidebar="sidebar"] a[href*="/todos"]').length >= rows);
    addEventListener(
      "keydown",
      ({ key, ctrlKey, timeStamp }) => ctrlKey && key.toLowerCase() === "k" && once("palette", timeStamp, () => options().length >= rows),
      true,
    );
    addEventListener(
      "input",
      ({ target, timeStamp }) =>
        once("typed", timeStamp, () => target.value !== "" && options()[0]?.textContent.includes(target.value) === true),
      true,
    );
  }, kPlugins);
}

async function told(page, what, act) {
  const [message] = await Promise.all([
    page.waitForEvent("console", { predicate: (one) => one.text().startsWith(`measured ${what} `) }),
    act(),
  ]);
  return Number(message.text().split(" ")[2]);
}

/** The first visit, and what a person does who comes again. */
async function visit(page, url) {
  await watch(page);
  const sidebar = await told(page, "sidebar", () => page.goto(url));
  await page.waitForLoadState("networkidle");
  // Its chunk.
  await told(page, "palette", () => page.keyboard.press("Control+K"));
  await page.keyboard.press("Escape");
  await page.locator('[role="dialog"]').waitFor({ state: "detached" });
  const times = {};
  const use = await pageUse(await mainThread(page), async () => {
    times.palette = await told(page, "palette", () => page.keyboard.press("Control+K"));
    times.typed = await told(page, "typed", () => page.keyboard.insertText(kWanted));
  });
  await page.keyboard.press("Enter");
  await page.locator("main h1").filter({ hasText: kWanted }).waitFor();
  const again = await told(page, "sidebar", () => page.goto(url));
  return { sidebar, again, ...times, ...use };
}

export async function run({ form, log }) {
  const [starts, visits, lists] = form === "full" ? [7, 11, 40] : [2, 3, 10];
  const dir = mkdtempSync(join(tmpdir(), "svc-many-"));
  try {
    // The first start has everything to compile.
    await withSvcdAt(dir, todoPlugins(dir, kPlugins), (server) => runningAt(server, kPlugins));
    const started = [];
    for (let round = 0; round < starts; ++round) {
      await withSvcdAt(dir, [], async (server) =>
        started.push({ seconds: ((await runningAt(server, kPlugins)) - server.startedAt) / 1000 }),
      );
    }
    return await withPrograms({ command: "lib/command.c" }, ({ command }) =>
      withSvcdAt(dir, [], async (server) => {
        await runningAt(server, kPlugins);
        const listed = Array.from({ length: lists }, () => {
          const child = spawnSync(command, [svc, "plugin", "list"], { env: server.clientEnv, encoding: "utf8" });
          return JSON.parse(child.stdout);
        });
        const visited = [];
        await withBrowser(async (browser) => {
          await inFreshWindow(browser, (page) => visit(page, server.url));
          for (let round = 0; round < visits; ++round) {
            visited.push(await inFreshWindow(browser, (page) => visit(page, server.url)));
          }
        });
        log(`${kPlugins} plugins, each with a page`);
        const row = (what, runs, member, unit, useOf) =>
          line(
            { ours: { runs } },
            { scenario: `${name}_${what}`, member, unit, better: "lower", ...(useOf === undefined ? {} : { useOf }) },
          );
        return [
          row("start", started, "seconds", "s"),
          row("list", listed, "ms", "ms", "command"),
          row("sidebar", visited, "sidebar", "ms"),
          row("sidebar_again", visited, "again", "ms"),
          row("palette", visited, "palette", "ms", "page"),
          row("palette_typed", visited, "typed", "ms", "page"),
        ];
      }),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
