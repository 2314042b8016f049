// Chromium for the scenarios of the window, and plugins to fill it with.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "@playwright/test";

import { nodeModules, todoPlugin } from "./paths.mjs";

/** Runs `work(browser)` with Debian's Chromium. */
export async function withBrowser(work) {
  const browser = await chromium.launch({
    executablePath: process.env.SVC_CHROMIUM ?? "/usr/bin/chromium",
    args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Runs `work(page)` in a window that has seen nothing yet: no cache, no storage. */
export async function inFreshWindow(browser, work) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** What the main thread of the page takes: of the processor alone, so who else wants it does not count; and its heap. */
export async function mainThread(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const metric = async (name) => (await client.send("Performance.getMetrics")).metrics.find((one) => one.name === name).value;
  return {
    ms: async () => 1000 * (await metric("TaskDuration")),
    heapMiB: async () => (await metric("JSHeapUsedSize")) / 1024 / 1024,
  };
}

/** What `act()` takes of the page, as runs tell it. */
export async function pageUse(thread, act) {
  const before = await thread.ms();
  await act();
  const took = (await thread.ms()) - before;
  // A page that was loaded anew meanwhile counts from its beginning.
  return { cpuUs: took < 0 ? null : 1000 * took, rssMiB: await thread.heapMiB() };
}

/** Copies of the todo example below `dir`, each with a page of its own. Their directories. */
export function todoPlugins(dir, count) {
  return Array.from({ length: count }, (_, index) => {
    const id = `todo-${String(index + 1).padStart(2, "0")}`;
    const copy = join(dir, `svc-plugin-${id}`);
    mkdirSync(copy);
    for (const file of ["server.ts", "app.tsx"]) {
      cpSync(join(todoPlugin, file), join(copy, file));
    }
    writeFileSync(
      join(copy, "app.tsx"),
      readFileSync(join(copy, "app.tsx"), "utf8").replace('title: "Todos"', `title: "Todos ${index + 1}"`),
    );
    const manifest = JSON.parse(readFileSync(join(todoPlugin, "package.json"), "utf8"));
    manifest.name = `svc-plugin-${id}`;
    manifest.svc = { ...manifest.svc, name: `Todo ${index + 1}`, skills: [] };
    writeFileSync(join(copy, "package.json"), JSON.stringify(manifest));
    symlinkSync(nodeModules, join(copy, "node_modules"));
    return copy;
  });
}
