import axe, { type RunOptions } from "axe-core";

import { expect, type Page } from "./test.js";

/** Fails with the rules and elements when the page breaks a rule of WCAG 2.2 AA in a serious or critical way. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expectNoFindings(page, what, ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]);
}

/** The one rule that another colour scheme of the same page can break. */
export async function expectContrast(page: Page, what: string): Promise<void> {
  await expectNoFindings(page, what, ["color-contrast"]);
}

/**
 * In every look: wide and narrow, light and dark, nothing breaks a rule and nothing scrolls sideways. The page is opened once, as the
 * window follows all of them while it is open; it is left narrow and dark.
 */
export async function expectEveryLook(page: Page, what: string): Promise<void> {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 720 });
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await expect(page.locator("html")).toHaveAttribute("data-theme", scheme);
      const look = `${what}, ${width} wide, ${scheme}`;
      if (scheme === "light") {
        await expectNoSidewaysScroll(page, look);
        await expectAccessible(page, look);
      } else {
        await expectContrast(page, look);
      }
    }
  }
}

/**
 * axe stays in the page from its first look on: put there anew and asked from a page of its own, as its adapter for Playwright does,
 * it takes ten times as long. What is in a frame is not the window's.
 */
async function expectNoFindings(page: Page, what: string, runOnly: string[]): Promise<void> {
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    await page.evaluate(axe.source);
  }
  const look = () => page.evaluate(findings, { runOnly, resultTypes: ["violations"] } satisfies RunOptions);
  // Code is coloured anew some time after the scheme has changed. All that is wrong in one run.
  await expect.configure({ soft: true }).poll(look, `serious findings of axe on ${what}`).toEqual([]);
}

/** In the page: what is wrong there now. */
async function findings(options: RunOptions): Promise<string[]> {
  // What is still fading in has the contrast of a moment.
  const ending = document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map(({ finished }) => finished));
  const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, options);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ""}`).join("\n")}`,
    );
}

/** Nothing is wider than the page, which would scroll it sideways. A page that was just resized has the next frame to follow. */
export async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.configure({ soft: true }).poll(beyond, `what ${what} is wider than the page`).toBeLessThanOrEqual(0);
}
