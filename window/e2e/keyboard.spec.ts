// Without a mouse.
import { example, fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  for (const name of ["busy", "vault", "counter"]) {
    await server.install(fixture(server.scratch, name));
  }
  await server.install(example(server.scratch, "focus-timer"));
});
test.afterAll(() => server?.close());

const sidebar = (page: Page) => page.locator('[data-sidebar="sidebar"]');

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator, limit = 60): Promise<void> {
  for (let presses = 0; presses < limit; ++presses) {
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`${String(target)} is not reached with ${limit} presses of Tab`);
}

/** The focused element looks focused. */
async function expectFocusVisible(page: Page): Promise<void> {
  // Rings fade in.
  const missing = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) {
        return "nothing has the focus";
      }
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      // A separator shows it by its line.
      const line = element.getAttribute("role") === "separator" ? getComputedStyle(element, "::after").backgroundColor : "rgba(0, 0, 0, 0)";
      const isVisible = (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none" || line !== "rgba(0, 0, 0, 0)";
      return isVisible ? "" : `no focus ring on ${element.outerHTML.slice(0, 200)}`;
    });
  await expect.poll(missing).toBe("");
}

test("the first stop skips to the content", async ({ page }) => {
  await open(page, `${server.url}/plugins`);
  await expect(page.locator("main").getByRole("link", { name: "Busy" })).toBeVisible();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("Tab");
  const skip = page.locator(":focus");
  await expect(skip).toHaveText(/skip/i);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.querySelector("main")?.contains(document.activeElement))).toBe(true);
  await expect(page).toHaveURL(`${server.url}/plugins`);
});

test("every stop on the way through a page has a visible focus and a name", async ({ page }) => {
  await open(page, `${server.url}/plugins/busy`);
  await expect(page.getByText("nightly").first()).toBeVisible();
  const seen = new Set<string>();
  for (let presses = 0; presses < 45; ++presses) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 400) ?? "");
    if (stop.startsWith("<body")) {
      break;
    }
    seen.add(stop);
    await expectFocusVisible(page);
  }
  expect(seen.size).toBeGreaterThan(10);
});

test("the sidebar: to a plugin's page, the focus lands on its heading", async ({ page }) => {
  await open(page, server.url);
  const row = sidebar(page).getByRole("link", { name: "Counter" });
  await expect(row).toBeVisible();
  await tabTo(page, row);
  await expectFocusVisible(page);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${server.url}/plugins/counter/counter`);
  await expect(row).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("heading", { level: 1, name: "Counter" })).toBeFocused();
});

test("rows of the sidebar are moved and hidden, and stay so", async ({ page }) => {
  await open(page, server.url);
  const rows = sidebar(page).getByRole("list", { name: "Plugin pages" }).getByRole("link");
  await expect(rows).toHaveText([/Desk/, /Counter/]);
  await sidebar(page).getByRole("link", { name: "Counter" }).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(rows).toHaveText([/Counter/, /Desk/]);
  await expect(sidebar(page).getByRole("link", { name: "Counter" })).toBeFocused();

  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "More for Counter" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Hide under More" }).focus();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveText([/Desk/]);
  await page.reload();
  await expect(rows).toHaveText([/Desk/]);
  const more = sidebar(page).getByRole("button", { name: /^More \(1\)/ });
  await more.focus();
  await page.keyboard.press("Enter");
  await expect(sidebar(page).getByRole("link", { name: "Counter" })).toBeVisible();
});

test("the palette: found by typing, run after it closed, the focus back where it was", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  const button = page.getByRole("button", { name: "Add one" });
  await button.focus();
  await page.keyboard.press("Control+K");
  const input = page.getByRole("combobox").first();
  await expect(input).toBeFocused();
  // The plugin's name groups its commands; one whose isAvailable throws is left out.
  await input.pressSequentially("hur");
  await expect(page.getByRole("option", { name: /Hurry up/ })).toBeVisible();
  await expect(page.getByText("Never offered")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Hurrying").first()).toBeVisible();
  await expect(input).toHaveCount(0);
  await expect(button).toBeFocused();

  await page.keyboard.press("Control+Shift+P");
  await expect(input).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(input).toHaveCount(0);
  await expect(button).toBeFocused();
});

test("the palette goes to pages, with arrows and Enter", async ({ page }) => {
  await open(page, server.url);
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("dialog").getByRole("combobox").pressSequentially("plugins");
  const first = page.getByRole("dialog").getByRole("option").first();
  await expect(first).toHaveText("Plugins");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/plugins/);
});

test("a dialog keeps the focus inside, and gives it back", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  const opener = page.getByRole("button", { name: "Edit note" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  for (let presses = 0; presses < 8; ++presses) {
    await page.keyboard.press("Tab");
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test("a plugin is installed", async ({ page }) => {
  const fragile = fixture(server.scratch, "fragile");
  await open(page, `${server.url}/plugins`);
  const install = page
    .locator("main")
    .getByRole("button", { name: /Install/ })
    .first();
  await expect(install).toBeVisible();
  await tabTo(page, install);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Source")).toBeFocused();
  await page.keyboard.type(fragile.dir);
  await page.keyboard.press("Enter");
  const trust = page.getByRole("checkbox", { name: /trust/i });
  await expect(trust).toBeVisible();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Install", exact: true });
  await expect(confirm).toBeDisabled();
  await tabTo(page, trust);
  await page.keyboard.press("Space");
  await expect(confirm).toBeEnabled();
  await tabTo(page, confirm);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${server.url}/plugins/fragile`);
  await expect(page.getByRole("heading", { level: 1, name: "Fragile" })).toBeVisible();
});

test("settings are changed", async ({ page }) => {
  await open(page, `${server.url}/settings/plugins/vault`);
  const shout = page.getByRole("switch", { name: "Shout" });
  await expect(shout).toBeVisible();
  await tabTo(page, shout);
  await page.keyboard.press("Space");
  const values = async () => (await server.api<{ values: Record<string, unknown> }>("/plugins/vault/settings")).values;
  await expect.poll(async () => (await values()).shout).toBe(true);
  const language = page.getByRole("combobox", { name: "Language" });
  await language.focus();
  await page.keyboard.press("End");
  await expect.poll(async () => (await values()).language).toBe("nl");
  await expect(language).toBeFocused();
});

test("a plugin's shortcut works, and a disclosure of the sidebar's footer", async ({ page }) => {
  await open(page, server.url);
  const footer = page.getByTestId("plugin-sidebar-footer-action-focus-timer-session");
  await expect(footer).toBeVisible();
  await page.keyboard.press("Control+Alt+F");
  await expect(page.getByRole("timer")).toHaveText(/^2[45]:/);
  await footer.focus();
  await page.keyboard.press("Enter");
  await expect(footer).toHaveAttribute("aria-expanded", "true");
  const stop = page.getByRole("button", { name: "Stop the session" });
  await stop.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("timer")).toHaveCount(0);
});
