// New versions of plugins arrive in open pages.
import { fixture, type PluginDirectory } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { diagnostics, expect, open, type Page, test } from "./support/test.js";

let server: Server;
let counter: PluginDirectory;
let neighbour: PluginDirectory;

test.beforeAll(async () => {
  server = await startServer();
  counter = fixture(server.scratch, "counter");
  neighbour = fixture(server.scratch, "counter", { id: "neighbour", name: "Neighbour" });
  await server.install(counter);
  await server.install(neighbour);
});
test.afterAll(() => server?.close());

const versionOf = (page: Page, version: string) => page.getByRole("heading", { name: `${version} version` });

async function openNote(page: Page, text: string) {
  await page.getByRole("button", { name: "Edit note" }).click();
  await page.getByLabel("Text of the note").fill(text);
}

test("another plugin's new version leaves an open dialog alone", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  await openNote(page, "half a thought");
  const generation = async () => (await diagnostics(page, "neighbour"))?.generation as number;
  const before = await generation();
  neighbour.edit("app.tsx", 'const kVersion = "first"', 'const kVersion = "second"');
  await server.reload(neighbour);
  await expect.poll(generation).toBe(before + 1);
  await expect(page.getByLabel("Text of the note")).toHaveValue("half a thought");
  await expect(page.getByLabel("Text of the note")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the plugin's own new version replaces its page, dialog included, and the window stays", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  await openNote(page, "gone with its version");
  await page.evaluate(() => void ((globalThis as { __samePage?: boolean }).__samePage = true));
  counter.edit("app.tsx", /const kVersion = "\w+"/, 'const kVersion = "third"');
  await server.reload(counter);
  await expect(versionOf(page, "third")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  // The page was not loaded again, and nothing is left over the new one.
  expect(await page.evaluate(() => (globalThis as { __samePage?: boolean }).__samePage)).toBe(true);
  await page.getByRole("button", { name: "Edit note" }).click();
  await expect(page.getByLabel("Text of the note")).toHaveValue("");
});

test("a save during `svc plugin dev` shows in the open page", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  await expect(page.getByTestId("count")).toHaveText(/\d/);
  await page.evaluate(() => void ((globalThis as { __samePage?: boolean }).__samePage = true));
  const dev = server.dev(counter);
  try {
    await dev.line(/^initial build .*reloaded counter/);
    counter.edit("app.tsx", /const kVersion = "\w+"/, 'const kVersion = "saved"');
    await expect(versionOf(page, "saved")).toBeVisible();
    expect(await page.evaluate(() => (globalThis as { __samePage?: boolean }).__samePage)).toBe(true);
  } finally {
    await dev.stop();
  }
});

test("new styles come with the new version", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  const heading = page.getByRole("heading", { name: /version$/ });
  await expect(heading).toBeVisible();
  counter.edit("app.tsx", 'className="text-lg font-semibold"', 'className="text-[37px] font-semibold"');
  await server.reload(counter);
  await expect(heading).toHaveCSS("font-size", "37px");
});

test("a removed plugin leaves its page with an explanation, and the sidebar", async ({ page }) => {
  const guest = fixture(server.scratch, "counter", { id: "guest", name: "Guest" });
  guest.edit("app.tsx", 'title: "Counter", icon', 'title: "Guest panel", icon');
  await server.install(guest);
  await open(page, `${server.url}/plugins/guest/counter`);
  const row = page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Guest panel" });
  await expect(row).toBeVisible();
  await server.mustRun("plugin", "disable", "guest");
  await expect(page.locator("main")).toContainText(/disabled/i);
  await server.mustRun("plugin", "enable", "guest");
  await expect(page.getByTestId("count")).toBeVisible();
  await server.mustRun("plugin", "remove", "guest", "--yes");
  await expect(row).toHaveCount(0);
  await expect(page.locator("main")).toContainText(/not installed|removed|no plugin/i);
});
