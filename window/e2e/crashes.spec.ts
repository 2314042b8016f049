// Parts of plugins that throw while the window shows them.
import { fixture, type PluginDirectory } from "./support/plugins.js";
import { logMessages, type Server, startServer } from "./support/server.js";
import { diagnostics, expect, open, test } from "./support/test.js";

let server: Server;
let fragile: PluginDirectory;

test.beforeAll(async () => {
  server = await startServer();
  fragile = fixture(server.scratch, "fragile");
  await server.install(fragile);
  await server.install(fixture(server.scratch, "counter"));
  await server.install(fixture(server.scratch, "restless"));
});
test.afterAll(() => server?.close());

test("a page that throws is replaced by what happened; the rest goes on, and a reload of the plugin brings it back", async ({
  page,
  watch,
}) => {
  await open(page, `${server.url}/plugins/fragile/page`);
  await page.getByRole("button", { name: "Crack it" }).click();
  const pill = page.getByText("Fragile stopped working");
  await expect(pill).toBeVisible();
  const sidebar = page.locator('[data-sidebar="sidebar"]');
  await sidebar.getByRole("link", { name: "Sound" }).click();
  await expect(page.getByText("the other page works")).toBeVisible();
  await sidebar.getByRole("link", { name: "Counter" }).click();
  await expect(page.getByTestId("count")).toHaveText(/\d/);

  expect(await diagnostics(page, "fragile")).toMatchObject({
    lastFailure: { phase: "render", message: expect.stringContaining("the shell cracked") as unknown },
  });
  await page.goBack();
  await page.goBack();
  await expect(pill).toBeVisible();
  await server.reload(fragile);
  await expect(page.getByText("fragile page, first version")).toBeVisible();
  watch.errors.length = 0;
});

test("the fallback shows the error and leads to the plugin", async ({ page, watch }) => {
  await server.reload(fragile);
  await open(page, `${server.url}/plugins/fragile/page`);
  await page.getByRole("button", { name: "Crack it" }).click();
  const fallback = page.getByRole("group", { name: "Fragile stopped working" });
  await fallback.getByText("Stack").click();
  await expect(fallback.getByText("the shell cracked", { exact: true })).toBeVisible();
  await fallback.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByText("fragile page, first version")).toBeVisible();
  await page.getByRole("button", { name: "Crack it" }).click();
  await fallback.getByRole("button", { name: "Open plugin" }).click();
  await expect(page).toHaveURL(`${server.url}/plugins/fragile`);
  await expect(page.locator("main")).toContainText("the shell cracked");
  watch.errors.length = 0;
});

test("a section that throws leaves the sections of others", async ({ page, watch }) => {
  await open(page, server.url);
  await expect(page.getByText("Fragile stopped working")).toBeVisible();
  await expect(page.getByText(/^The count is \d+\.$/)).toBeVisible();
  watch.errors.length = 0;
});

test("a throw outside of rendering is attributed to the plugin and disables nothing", async ({ page, watch }) => {
  await server.reload(fragile);
  await open(page, `${server.url}/plugins/fragile/page`);
  await page.getByRole("button", { name: "Throw in a handler" }).click();
  await expect
    .poll(async () => (await diagnostics(page, "fragile"))?.lastFailure)
    .toMatchObject({ message: expect.stringContaining("thrown by a click") as unknown });
  await expect(page.getByText("fragile page, first version")).toBeVisible();
  expect(watch.errors.join()).toContain("thrown by a click");
  watch.errors.length = 0;
  await expect.poll(async () => (await logMessages(server, fragile)).join("\n")).toContain("thrown by a click");
});

const kLeft = [
  { title: "Waiting", shows: "Loading…" },
  { title: "Looping", shows: "it never rests" },
  { title: "Leaving", shows: "about to leave" },
  { title: "Clinging", shows: "about to be torn off" },
];

for (const { title, shows } of kLeft) {
  test(`a page that is ${title.toLowerCase()} is left like any other`, async ({ page }) => {
    await open(page, `${server.url}/plugins/counter/counter`);
    const sidebar = page.locator('[data-sidebar="sidebar"]');
    await sidebar.getByRole("link", { name: title }).click();
    await expect(page.locator("main").getByText(shows)).toBeVisible();
    await sidebar.getByRole("link", { name: "Sound" }).click();
    await expect(page.getByText("the other page works")).toBeVisible();
    await expect(page.getByText("This page stopped working")).toHaveCount(0);
  });
}

test("a toast that cannot be shown leaves the window as it is", async ({ page }) => {
  await open(page, `${server.url}/plugins/restless/Toasting`);
  await page.getByRole("button", { name: "Say something broken" }).click();
  await expect.poll(() => diagnostics(page, "restless")).toMatchObject({ lastFailure: { slot: "toast", message: "no words" } });
  await page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Sound" }).click();
  await expect(page.getByText("the other page works")).toBeVisible();
});
