// What an administrator does: installs, looks, runs, follows logs, saves the day with safe mode.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "busy"));
  await server.cli("plugin", "install", "--yes", fixture(server.scratch, "branded").dir);
  await server.cli("plugin", "install", "--yes", fixture(server.scratch, "failing").dir);
});
test.afterAll(() => server?.close());

const main = (page: Page) => page.locator("main");

async function openInstall(page: Page, source: string) {
  await open(page, `${server.url}/plugins`);
  await main(page)
    .getByRole("button", { name: /Install/ })
    .first()
    .click();
  await page.getByLabel("Source").fill(source);
  await page.getByRole("button", { name: "Continue" }).click();
}

test("a plugin is installed from a directory: what it is, the choice, then its page", async ({ page }) => {
  const counter = fixture(server.scratch, "counter");
  await openInstall(page, counter.dir);
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("svc-plugin-counter");
  await expect(dialog).toContainText("0.1.0");
  await expect(dialog).toContainText(counter.dir);
  await expect(dialog).toContainText(/full access/i);
  const install = dialog.getByRole("button", { name: "Install", exact: true });
  await expect(install).toBeDisabled();
  await dialog.getByRole("checkbox", { name: /trust/i }).click();
  await install.click();
  await expect(page).toHaveURL(`${server.url}/plugins/counter`);
  await expect(page.getByRole("heading", { level: 1, name: "Counter" })).toBeVisible();
  await expect(page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Counter" })).toBeVisible();
});

test("a package that an address names is fetched after a click only, one that was typed here at once", async ({ page }) => {
  const { dir } = fixture(server.scratch, "busy");
  const asked: string[] = [];
  page.on("request", (request) => request.url().endsWith("/plugins/install/about") && asked.push(request.postData() ?? ""));
  await open(page, `${server.url}/plugins?about=${encodeURIComponent(dir)}`);
  await expect(page.getByLabel("Source")).toHaveText(dir);
  expect(asked).toEqual([]);
  await main(page).getByRole("button", { name: "Look at it" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Readme" })).toBeVisible();
  expect(asked).toEqual([JSON.stringify({ source: dir })]);
  await openInstall(page, dir);
  await page.getByRole("dialog").getByRole("link", { name: "What it says of itself" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Readme" })).toBeVisible();
  expect(asked).toHaveLength(2);
});

test("an example that comes with the service is looked at and installed", async ({ page, context }) => {
  await open(page, `${server.url}/plugins?view=browse`);
  const opened = context.waitForEvent("page");
  await main(page).getByRole("link", { name: "View source of Reading list" }).click();
  const source = await opened;
  await expect(source.getByRole("heading", { level: 3, name: "server.ts" })).toBeVisible();
  expect(source.url()).toBe(`${server.url}/docs/examples/reading-list.html#source`);
  await source.close();
  await main(page).getByRole("button", { name: "Install Reading list" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("this service");
  await dialog.getByRole("checkbox", { name: /trust/i }).click();
  await dialog.getByRole("button", { name: "Install", exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/plugins/reading-list`);
  await expect(page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Reading list" })).toBeVisible();
});

test("a source that is no plugin is refused in the dialog, with the server's words", async ({ page }) => {
  const empty = join(server.scratch, "empty");
  mkdirSync(empty, { recursive: true });
  await openInstall(page, empty);
  await expect(page.getByRole("dialog")).toContainText(/package\.json/);
  // The source can be corrected at once.
  await expect(page.getByLabel("Source")).toHaveValue(empty);
  await page.getByLabel("Source").fill(join(server.scratch, "nowhere"));
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("dialog")).toContainText("nowhere");
});

test("an app entry that does not build fails the install, with its place", async ({ page }) => {
  const broken = fixture(server.scratch, "fragile", { id: "broken", name: "Broken" });
  broken.write("app.tsx", "export default <<<;\n");
  await openInstall(page, broken.dir);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: /trust/i }).click();
  await dialog.getByRole("button", { name: "Install", exact: true }).click();
  await expect(dialog.getByText("The install failed")).toBeVisible();
  await expect(dialog).toContainText("app.tsx:1");
  await expect(dialog.getByRole("button", { name: "Back" })).toBeVisible();
});

test("the list has one signal per plugin, a search, and a switch", async ({ page }) => {
  await open(page, `${server.url}/plugins`);
  const row = (name: string) => main(page).getByRole("listitem").filter({ hasText: name });
  await expect(row("Failing")).toContainText(/error/i);
  await expect(row("Failing")).toContainText("the factory refuses");
  await page.getByRole("searchbox", { name: "Search installed plugins" }).fill("keeps nothing");
  await expect(main(page)).toContainText(/No plugin matches/);
  await page.getByRole("searchbox", { name: "Search installed plugins" }).fill("busy");
  await expect(row("Failing")).toHaveCount(0);
  const toggle = row("Busy").getByRole("switch");
  await toggle.click();
  await expect
    .poll(
      async () =>
        (await server.api<{ plugins: { id: string; status: string }[] }>("/plugins")).plugins.find(({ id }) => id === "busy")?.status,
    )
    .toBe("disabled");
  await toggle.click();
  await expect
    .poll(
      async () =>
        (await server.api<{ plugins: { id: string; status: string }[] }>("/plugins")).plugins.find(({ id }) => id === "busy")?.status,
    )
    .toBe("running");
});

test("a branding image with a script is refused with its line, and never runs", async ({ page }) => {
  await open(page, `${server.url}/plugins/branded`);
  await expect(main(page)).toContainText("the element <script> is not allowed");
  await expect(page.getByRole("heading", { level: 1, name: "Branded" })).toBeVisible();
  expect(await page.title()).not.toContain("branding script ran");
});

test("the page of a plugin: overview without its script, services, schedules, includes, statistics", async ({ page, watch }) => {
  await expect(server.api("/plugins/busy/rpc/fail", null)).rejects.toThrow("busy failed on purpose");
  await open(page, `${server.url}/plugins/busy`);
  await expect(main(page).getByText("Keeps busy and says so in its log.")).toBeVisible();
  await expect(main(page).getByRole("listitem").filter({ hasText: "beat" }).first()).toContainText("Running");
  await expect(main(page)).toContainText("svc busy");
  await expect(main(page)).toContainText("busy-work");
  await expect(main(page)).toContainText("busy failed on purpose");
  expect(await page.title()).not.toMatch(/ran$/);
  await expect(main(page).getByRole("img", { name: /CPU/ })).toBeVisible();
  watch.errors.length = 0;

  await page.getByRole("button", { name: "Run nightly now" }).click();
  await expect(main(page).getByRole("listitem").filter({ hasText: "nightly" })).toContainText("Succeeded");
  await page.getByRole("button", { name: "Run failing now" }).click();
  await expect(main(page).getByRole("listitem").filter({ hasText: "nobody is there at four" })).toContainText("Failed");
});

test("the log follows, across a reload of the plugin, and is filtered", async ({ page }) => {
  await open(page, `${server.url}/settings/plugins/busy/logs`);
  const line = (text: string) => main(page).getByText(text, { exact: true });
  await server.api("/plugins/busy/rpc/say", { level: "info", text: "before the reload" });
  await expect(line("before the reload")).toBeVisible();
  await server.mustRun("plugin", "reload", "busy");
  await server.api("/plugins/busy/rpc/say", { level: "warn", text: "after the reload" });
  await expect(line("after the reload")).toBeVisible();
  // Nothing is lost and nothing comes twice.
  await expect(line("before the reload")).toHaveCount(1);
  await expect(line("after the reload")).toHaveCount(1);

  await page.getByRole("searchbox").fill("before the");
  await expect(line("after the reload")).toHaveCount(0);
  await expect(line("before the reload")).toBeVisible();
  await page.getByRole("searchbox").fill("");
  await expect(line("after the reload")).toBeVisible();
});

test("toasts of plugins stay readable in the notification centre, with the plugin's name", async ({ page }) => {
  await open(page, `${server.url}/plugins/busy/desk`);
  await page.getByRole("button", { name: "Tidy up" }).click();
  await expect(page.getByText("Desk is tidy").first()).toBeVisible();
  await page.getByRole("button", { name: /^Notifications, 1 unread/ }).click();
  const centre = page.getByRole("dialog", { name: "Notifications" });
  await expect(centre).toContainText("Desk is tidy");
  await expect(centre).toContainText("Nothing left on it.");
  await expect(centre).toContainText("Busy");
  await centre.getByRole("button", { name: "Clear all" }).click();
  await expect(centre).toContainText("Nothing new");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Notifications", exact: true })).toBeFocused();
});

test("safe mode stops plugins, is announced on every page, and its end brings them back", async ({ page, context }) => {
  const banner = (window: Page) => window.getByRole("status").filter({ hasText: "Plugins are stopped, except" });
  const other = await context.newPage();
  await open(other, `${server.url}/plugins/busy/desk`);
  await expect(other.getByRole("button", { name: "Tidy up" })).toBeVisible();
  await open(page, `${server.url}/plugins`);
  await page.getByRole("switch", { name: "Safe mode" }).click();
  await page.getByRole("alertdialog").getByRole("button").last().click();
  await expect(banner(page)).toBeVisible();
  // Another window hears of it: the plugin's page is gone there.
  await expect(banner(other)).toBeVisible();
  await expect(other.getByRole("button", { name: "Tidy up" })).toHaveCount(0);
  await page.goto(`${server.url}/settings`);
  await expect(banner(page)).toBeVisible();
  await page.getByRole("button", { name: "Turn off" }).click();
  await expect(banner(page)).toHaveCount(0);
  await expect(other.getByRole("button", { name: "Tidy up" })).toBeVisible();
  // Those that do not start are named.
  await expect(page.getByText("These plugins did not start after safe mode")).toBeVisible();
  await expect(page.getByRole("link", { name: "failing" })).toBeVisible();
});

test("a plugin is removed after a question that says what stays", async ({ page }) => {
  const guest = fixture(server.scratch, "counter", { id: "guest", name: "Guest" });
  await server.install(guest);
  await open(page, `${server.url}/plugins/guest`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: /Remove/ }).click();
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText(/kept/);
  await expect(question).toContainText("not touched");
  await question.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/plugins`);
  await expect(main(page).getByRole("link", { name: "Guest" })).toHaveCount(0);
});

test("the token of a plugin's routes is shown when asked for, and rotated", async ({ page }) => {
  await open(page, `${server.url}/plugins/busy`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: /Token/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).not.toContainText(/[0-9a-f]{64}/);
  await dialog
    .getByRole("button", { name: /show|create/i })
    .first()
    .click();
  const token = (await server.mustRun("plugin", "token", "busy")).trim();
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  await expect.poll(async () => (await dialog.innerHTML()).includes(token)).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await page.content()).includes(token)).toBe(false);
});

test("without plugins the window says what to do next", async ({ page }) => {
  const empty = await startServer();
  try {
    await open(page, empty.url);
    await expect(main(page)).toContainText("svc plugin new");
    await expect(main(page)).toContainText("svc plugin install");
    await open(page, `${empty.url}/plugins`);
    await expect(main(page)).toContainText("No plugins installed");
  } finally {
    await empty.close();
  }
});
