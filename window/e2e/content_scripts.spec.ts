import { fixture, type PluginDirectory } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { diagnostics, expect, open, test } from "./support/test.js";

let server: Server;
let scripts: PluginDirectory;

test.beforeAll(async () => {
  server = await startServer();
  scripts = fixture(server.scratch, "scripts");
  await server.install(scripts);
});
test.afterAll(() => server?.close());

const kRoot = "html";

test("a script that hangs has ten seconds, then it is aborted; the others and the page go on", async ({ page }) => {
  await page.clock.install();
  await open(page, `${server.url}/plugins/scripts/page`);
  await expect(page.locator(kRoot)).toHaveAttribute("data-scripts-marker", /\d+/);
  await expect(page.getByText("odd number of items")).toBeVisible();
  // The clock also runs by itself: what a slow machine took for the page so far counts.
  await page.clock.runFor(4_000);
  await expect(page.locator(kRoot)).not.toHaveAttribute("data-scripts-aborted");
  await page.clock.runFor(7_000);
  await expect(page.locator(kRoot)).toHaveAttribute("data-scripts-aborted", "yes");
  await expect
    .poll(async () => (await diagnostics(page, "scripts"))?.lastFailure)
    .toMatchObject({ phase: "mount", message: expect.stringContaining("10000 ms") as unknown });
  expect(await diagnostics(page, "scripts")).toMatchObject({ state: "active" });
  await page.getByRole("button", { name: "Drop the first" }).click();
  await expect(page.getByRole("list", { name: "Items" }).getByRole("listitem")).toHaveCount(2);
});

test("a script that moves what React rendered breaks nothing", async ({ page }) => {
  await open(page, `${server.url}/plugins/scripts/page`);
  await expect(page.getByText("odd number of items")).toBeVisible();
  await expect(page.locator(kRoot)).toHaveAttribute("data-scripts-marker", /\d+/);
  const items = page.getByRole("list", { name: "Items" }).getByRole("listitem");
  await page.evaluate(() => {
    document.dispatchEvent(new Event("scripts-move"));
  });
  await expect(page.locator(kRoot)).toHaveAttribute("data-scripts-moved", "yes");
  await page.getByRole("button", { name: "Drop the first" }).click();
  await expect(items).toHaveText(["b", "c"]);
  await page.getByRole("button", { name: "Drop the first" }).click();
  await expect(items).toHaveText(["c"]);
  await expect(page.getByText("odd number of items")).toBeVisible();
});

test("scripts are disposed with their version and with their plugin", async ({ page }) => {
  await open(page, `${server.url}/plugins/scripts/page`);
  const marker = page.locator(kRoot);
  await expect(marker).toHaveAttribute("data-scripts-marker", /\d+/);
  const before = await marker.getAttribute("data-scripts-marker");
  scripts.edit("app.tsx", "odd number of items", "an odd number of items");
  await server.reload(scripts);
  await expect(page.getByText("an odd number of items")).toBeVisible();
  await expect(marker).not.toHaveAttribute("data-scripts-marker", before ?? "");
  await expect(marker).toHaveAttribute("data-scripts-marker", /\d+/);
  await server.mustRun("plugin", "disable", "scripts");
  await expect(marker).not.toHaveAttribute("data-scripts-marker");
  await server.mustRun("plugin", "enable", "scripts");
});
