// Every route, in both themes and both widths: axe, one heading, nothing that scrolls sideways.
import { expectAccessible, expectContrast, expectNoSidewaysScroll } from "./support/axe.js";
import { example, fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  for (const name of ["busy", "vault", "counter"]) {
    await server.install(fixture(server.scratch, name));
  }
  await server.install(example(server.scratch, "reading-list"));
  await server.install(example(server.scratch, "csv-view"));
  await server.install(example(server.scratch, "prompt-kit"));
  await server.cli("plugin", "install", "--yes", fixture(server.scratch, "failing").dir);
  await server.api("/plugins/reading-list/rpc/add", {
    title: "A long title that goes on and on, past what a narrow window has room for",
    url: "https://example.org/an/address/that/is/long/too",
  });
  await server.api("/plugins/busy/rpc/say", { level: "error", text: "a line of the log" });
  await expect(server.api("/plugins/busy/rpc/fail", null)).rejects.toThrow("busy failed on purpose");
});
test.afterAll(() => server?.close());

/** Routes with something that shows that they are there. */
const kRoutes: { path: string; ready: (page: Page) => ReturnType<Page["locator"]> }[] = [
  { path: "/", ready: (page) => page.getByText(/^The count is \d+\.$/) },
  { path: "/plugins", ready: (page) => page.locator("main").getByRole("link", { name: "Busy" }) },
  { path: "/plugins?view=browse", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/plugins/busy", ready: (page) => page.getByText("nightly").first() },
  { path: "/plugins/failing", ready: (page) => page.getByText("the factory refuses").first() },
  { path: "/plugins/counter/counter", ready: (page) => page.getByTestId("count") },
  { path: "/plugins/reading-list/reading", ready: (page) => page.getByRole("link", { name: /^A long title/ }) },
  { path: "/plugins/csv-view/csv", ready: (page) => page.getByRole("cell", { name: "Ulm, an der Donau" }) },
  {
    path: "/plugins/nobody",
    ready: (page) =>
      page
        .locator("main")
        .getByText(/not installed|no plugin/i)
        .first(),
  },
  { path: "/settings", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/settings/appearance", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/settings/plugins/vault", ready: (page) => page.getByRole("textbox", { name: "Greeting" }) },
  { path: "/settings/plugins/busy/logs", ready: (page) => page.getByText("a line of the log") },
  { path: "/settings/agents", ready: (page) => page.getByRole("heading", { name: "Recent calls" }) },
  { path: "/settings/machines", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/terminals", ready: (page) => page.locator("main").getByText("No terminal is open") },
  { path: "/settings/about", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/settings/projects", ready: (page) => page.getByRole("heading", { level: 1, name: "Projects" }) },
  { path: "/files?path=/", ready: (page) => page.getByRole("link", { name: "tmp" }) },
  { path: "/skills", ready: (page) => page.locator("main").getByRole("link", { name: "busy-work" }) },
  { path: "/skills/plugin%3Abusy%3Abusy-work", ready: (page) => page.locator("main").getByText("Run svc busy") },
  { path: "/inbox", ready: (page) => page.locator("main").getByText("Nothing waits for you") },
  { path: "/threads", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/threads/unknown", ready: (page) => page.locator("main").getByRole("heading").first() },
  { path: "/no/such/page", ready: (page) => page.locator("main").getByRole("heading").first() },
];

for (const width of [1280, 320]) {
  test(`every route is accessible, light and dark, ${width} pixels wide`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.setViewportSize({ width, height: 720 });
    for (const { path, ready } of kRoutes) {
      await test.step(path, async () => {
        await page.emulateMedia({ colorScheme: "light" });
        await open(page, `${server.url}${path}`);
        await expect.soft(ready(page), `content of ${path}`).toBeVisible();
        await expect.soft(page.locator("html"), path).toHaveAttribute("data-theme", "light");
        await expect.soft(page.getByRole("heading", { level: 1 }), `headings of ${path}`).toHaveCount(1);
        await expectNoSidewaysScroll(page, path);
        await expectAccessible(page, path);
        await page.emulateMedia({ colorScheme: "dark" });
        await expect.soft(page.locator("html"), path).toHaveAttribute("data-theme", "dark");
        await expectContrast(page, `${path}, dark`);
      });
    }
  });
}

test("dialogs, palette, menus and drawers are accessible, wide and narrow", async ({ page }) => {
  test.setTimeout(90_000);
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 720 });
    await open(page, `${server.url}/plugins`);
    await page
      .locator("main")
      .getByRole("button", { name: /Install/ })
      .first()
      .click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page, `the install dialog at ${width}`);
    await expectNoSidewaysScroll(page, `the install dialog at ${width}`);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);

    await page.keyboard.press("Control+Shift+P");
    await expect(page.getByRole("combobox").first()).toBeFocused();
    await expectAccessible(page, `the palette at ${width}`);
    await page.keyboard.press("Escape");

    if (width === 320) {
      await page.getByRole("button", { name: "Open navigation" }).click();
      await expect(page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "New thread" })).toBeVisible();
      await expectAccessible(page, "the navigation drawer");
    }
    await page.getByRole("button", { name: /^Notifications/ }).click();
    await expect(page.getByRole("dialog").last()).toBeVisible();
    await expectAccessible(page, `the notification centre at ${width}`);
    await page.keyboard.press("Escape");
  }
});

test("a narrow window has all of the wide one: navigation, palette, a plugin's page", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, server.url);
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Counter" }).click();
  await expect(page.getByTestId("count")).toHaveText(/\d/);
  // The drawer closed with the choice.
  await expect(page.locator('[data-sidebar="sidebar"]')).toHaveCount(0);
  await page.getByRole("button", { name: "Edit note" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.getByLabel("Text of the note").fill("narrow");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the theme follows the system until one is chosen, and the choice is kept", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, server.url);
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-theme", "dark");
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  await expect(root).toHaveAttribute("data-theme", "light");
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).not.toBe(dark);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(root).toHaveAttribute("data-theme", "dark");
  expect(await page.evaluate(() => localStorage.getItem("svc.theme"))).toContain("dark");
  await page.reload();
  await expect(root).toHaveAttribute("data-theme", "dark");
});

test("a size that a script sets is there at once where motion is reduced", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, server.url);
  const width = await page.evaluate(() => {
    const element = document.body.appendChild(document.createElement("div"));
    element.style.width = "10px";
    const before = element.offsetWidth;
    element.style.width = "200px";
    return [before, element.offsetWidth];
  });
  expect(width).toEqual([10, 200]);
});
