// Two pages side by side: how a split opens, what it keeps to itself, and when there is none.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  for (const name of ["counter", "busy", "fragile"]) {
    await server.install(fixture(server.scratch, name));
  }
});
test.afterAll(() => server?.close());

const row = (page: Page, name: string) => page.getByRole("list", { name: "Plugin pages" }).getByRole("link", { name });
const pane = (page: Page) => page.locator("[data-split]");
const title = (page: Page) => pane(page).getByRole("heading", { name: "Counter" });

async function openSplit(page: Page): Promise<void> {
  await open(page, `${server.url}/plugins/busy`);
  await row(page, "Counter").click({ modifiers: ["Alt"] });
  await expect(pane(page).getByTestId("count")).toBeVisible();
}

test("Alt and a click open a page beside the one of the address, which stays", async ({ page }) => {
  await openSplit(page);
  await expect(page).toHaveURL(`${server.url}/plugins/busy`);
  await expect(page.getByRole("heading", { level: 1, name: "Busy" })).toBeVisible();
  await expect(title(page)).toBeFocused();
  // The page beside it goes its own way, and the split stays.
  await page.getByRole("link", { name: "Plugins", exact: true }).first().click();
  await expect(page).toHaveURL(`${server.url}/plugins`);
  await expect(pane(page).getByTestId("count")).toBeVisible();
  // Of this tab, over a reload, which takes no focus.
  await page.reload();
  await expect(pane(page).getByTestId("count")).toBeVisible();
  await expect(title(page)).not.toBeFocused();
});

test("with the keyboard: Alt and Enter open it, arrows move the edge, the button closes it", async ({ page }) => {
  await open(page, `${server.url}/plugins/busy`);
  await row(page, "Counter").focus();
  await page.keyboard.press("Alt+Enter");
  await expect(title(page)).toBeFocused();
  const edge = page.getByRole("separator", { name: "Width of the split" });
  const width = async () => (await pane(page).boundingBox())?.width ?? 0;
  await edge.focus();
  const before = await width();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(width).toBeCloseTo(before + 16, 0);
  await page.keyboard.press("Home");
  await expect.poll(width).toBeCloseTo(320, 0);
  await pane(page)
    .getByRole("button", { name: /^Close/ })
    .focus();
  await page.keyboard.press("Enter");
  await expect(pane(page)).toHaveCount(0);
  await expect(row(page, "Counter")).toBeFocused();
});

test("the edge is dragged, and leaves both pages what they need", async ({ page }) => {
  await openSplit(page);
  const edge = (await page.getByRole("separator", { name: "Width of the split" }).boundingBox())!;
  await page.mouse.move(edge.x + edge.width / 2, 400);
  await page.mouse.down();
  await page.mouse.move(10, 400, { steps: 4 });
  await page.mouse.up();
  const main = (await page.locator("main").boundingBox())!;
  expect(main.width).toBeGreaterThanOrEqual(319);
  expect((await pane(page).boundingBox())!.width).toBeGreaterThan(320);
});

test("the browser keeps Ctrl and Shift: a tab, not a split", async ({ page, context }) => {
  await open(page, `${server.url}/plugins/busy`);
  const [tab] = await Promise.all([context.waitForEvent("page"), row(page, "Counter").click({ modifiers: ["Control"] })]);
  await expect(tab).toHaveURL(/\/plugins\/counter\/counter$/);
  await expect(pane(page)).toHaveCount(0);
});

test("is accessible in both themes, and not there where there is no room", async ({ page }) => {
  await openSplit(page);
  for (const colorScheme of ["light", "dark"] as const) {
    // The window follows the system while it is open: one load is enough for both.
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    await expectAccessible(page, `the split, ${colorScheme}`);
    await expectNoSidewaysScroll(page, `the split, ${colorScheme}`);
    await page.screenshot({ path: test.info().outputPath(`split-${colorScheme}.png`) });
  }
  await page.setViewportSize({ width: 320, height: 720 });
  await expect(pane(page)).toHaveCount(0);
  await expectNoSidewaysScroll(page, "the page of a hidden split");
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(pane(page)).toBeVisible();
});

test("is named in the shortcut help", async ({ page }) => {
  await open(page, `${server.url}/settings/shortcuts`);
  await expect(page.locator("main").getByRole("listitem").filter({ hasText: "Open the page in a split" })).toContainText("Alt");
  await expectAccessible(page, "the shortcut help");
});
