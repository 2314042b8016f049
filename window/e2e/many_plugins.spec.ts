// A window with sixty plugins: everything is still a few presses away.
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

const kNames = [
  ...["Release notes", "Release train", "Review queue", "Focus timer", "Key vault", "Stand-up"],
  ...Array.from({ length: 54 }, (_, index) => `Board ${index + 1}`),
];

let server: Server;

test.beforeAll(async () => {
  test.setTimeout(300_000); // sixty installations
  server = await startServer();
  for (const name of kNames) {
    const plugin = fixture(server.scratch, "page", { id: name.toLowerCase().replaceAll(" ", "-"), name });
    plugin.edit("app.tsx", '"Page"', JSON.stringify(name));
    await server.install(plugin);
  }
});
test.afterAll(() => server?.close());

const sidebar = (page: Page) => page.locator('[data-sidebar="sidebar"]');

/** Goes where `presses` lead from the page of all plugins. */
async function press(page: Page, presses: readonly string[]): Promise<void> {
  expect(presses.length).toBeLessThanOrEqual(6);
  for (const key of presses) {
    await page.keyboard.press(key);
  }
}

test("the keyboard reaches each page in six presses", async ({ page }) => {
  await open(page, `${server.url}/plugins`);
  await expect(sidebar(page).getByRole("list", { name: "Plugin pages" }).getByRole("link")).toHaveCount(kNames.length);
  const ways: [string, string[]][] = [
    ["Release notes", ["Control+K", "r", "n", "Enter"]],
    ["Release train", ["Control+K", "r", "t", "Enter"]],
    ["Review queue", ["Control+K", "r", "e", "v", "Enter"]],
    ["Key vault", ["Control+K", "k", "e", "Enter"]],
    ["Stand-up", ["Control+K", "s", "u", "Enter"]],
    ["Board 47", ["Control+K", "4", "7", "Enter"]],
  ];
  for (const [title, presses] of ways) {
    await press(page, presses);
    await expect(page.getByText(`All of ${title}`)).toBeVisible();
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
  await press(page, ["Control+K", "l", "o", "f", "t", "Enter"]);
  await expect(page).toHaveURL(/focus-timer/);
  await press(page, ["Control+K", "i", "n", "b", "Enter"]);
  await expect(page.getByRole("heading", { level: 1, name: "Inbox" })).toBeVisible();
});

test("the sidebar finds one of them, and keeps threads in sight", async ({ page }) => {
  await open(page, server.url);
  const filter = sidebar(page).getByRole("searchbox", { name: "Filter the pages of plugins" });
  await filter.fill("train");
  await expect(sidebar(page).getByRole("list", { name: "Plugin pages that match" }).getByRole("link")).toHaveText([/Release train/]);
  await filter.press("Enter");
  await expect(page.getByText("All of Release train")).toBeVisible();
  const threads = sidebar(page).getByRole("region", { name: "Threads" });
  await expect(threads).toBeInViewport();
});

test("all of them are listed, and found by their names", async ({ page }) => {
  const { plugins } = JSON.parse(await server.mustRun("plugin", "list", "--json")) as { plugins: { status: string }[] };
  expect(plugins).toHaveLength(kNames.length);
  expect(plugins.every(({ status }) => status === "running")).toBe(true);
  await open(page, `${server.url}/plugins`);
  const main = page.locator("main");
  await expect(main.getByRole("link", { name: "Board 54" })).toBeVisible();
});
