// `test` of every file here: a page that watches for what no page of the window may ever do.
import { type BrowserContext, expect, type Locator, type Page, test as base } from "@playwright/test";

export { expect } from "@playwright/test";
export type { Locator, Page } from "@playwright/test";

/** What a page complained about while it was open. */
export interface PageWatch {
  /** Reports of the Content-Security-Policy. Never allowed. */
  readonly violations: string[];
  /** Uncaught errors. A test that provokes some empties the list. */
  readonly errors: string[];
}

interface Fixtures {
  watch: PageWatch;
}

export const test = base.extend<Fixtures>({
  watch: [
    async ({ context }, use) => {
      const watch: PageWatch = { violations: [], errors: [] };
      await watchContext(context, watch);
      await use(watch);
      expect(watch.violations, "reports of the Content-Security-Policy").toEqual([]);
      expect(watch.errors, "uncaught errors of the page").toEqual([]);
    },
    { auto: true },
  ],
});

/** Watches every page of a context, those that open later included. */
export async function watchContext(context: BrowserContext, watch: PageWatch): Promise<void> {
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`CSP-VIOLATION ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  context.on("page", (page) => watchPage(page, watch));
}

function watchPage(page: Page, watch: PageWatch): void {
  page.on("console", (message) => {
    if (/CSP-VIOLATION|Content.Security.Policy/i.test(message.text())) {
      watch.violations.push(message.text());
    }
  });
  page.on("pageerror", (error) => void watch.errors.push(String(error.stack ?? error)));
}

/** Opens a route and waits until the shell answers. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.locator('[data-sidebar="sidebar"], [data-sidebar="header"], main').first()).toBeVisible();
}

/** Where something is from the top of the window, in whole pixels. */
export const topOf = async (locator: Locator): Promise<number> => Math.round((await locator.boundingBox())?.y ?? Number.NaN);

/** The same, once the view has come to rest: lists correct what they have estimated. */
export async function restOf(locator: Locator): Promise<number> {
  let top = Number.NaN;
  await expect
    .poll(async () => {
      const before = top;
      top = await topOf(locator);
      return top === before;
    })
    .toBe(true);
  return top;
}

/** What the window knows about a plugin (`window.__svcDiagnostics`). */
export function diagnostics(page: Page, pluginId: string): Promise<Record<string, unknown> | undefined> {
  return page.evaluate((id) => {
    const all = (globalThis as { __svcDiagnostics?: unknown }).__svcDiagnostics;
    const found = all instanceof Map ? all.get(id) : (all as Record<string, unknown> | undefined)?.[id];
    return found === undefined ? undefined : (JSON.parse(JSON.stringify(found)) as Record<string, unknown>);
  }, pluginId);
}
