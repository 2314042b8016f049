import { AxeBuilder } from "@axe-core/playwright";

import { expect, type Page } from "./test.js";

/** Fails with the rules and elements when the page breaks a rule of WCAG 2.2 AA in a serious or critical way. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expectNoFindings(page, what, (axe) => axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]));
}

/** The one rule that another colour scheme of the same page can break. */
export async function expectContrast(page: Page, what: string): Promise<void> {
  await expectNoFindings(page, what, (axe) => axe.withRules(["color-contrast"]));
}

async function expectNoFindings(page: Page, what: string, choose: (axe: AxeBuilder) => AxeBuilder): Promise<void> {
  // What is still fading in has the contrast of a moment.
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const { violations } = await choose(new AxeBuilder({ page })).analyze();
  const found = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ""}`).join("\n")}`,
    );
  // All that is wrong in one run.
  expect.soft(found, `serious findings of axe on ${what}`).toEqual([]);
}

/** Nothing is wider than the page, which would scroll it sideways. */
export async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  const [content, visible] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect.soft(content, `width of ${what}`).toBeLessThanOrEqual(visible ?? 0);
}
