// The server goes away and comes back; the window stays and catches up.
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "counter"));
});
test.afterAll(() => server?.close());

test("while the server is away the page stays and says so; afterwards it is current again", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  const count = page.getByTestId("count");
  await expect(count).toHaveText("0");
  await server.stop();
  await expect(page.getByText(/Connecting again/)).toBeVisible();
  await expect(page.getByRole("heading", { name: "first version" })).toBeVisible();
  await server.start();
  // The server answers before its plugins run.
  await expect.poll(() => server.api("/plugins/counter/rpc/add", { by: 3 }).then(() => "added", String)).toBe("added");
  // A page that becomes visible, or a network that comes back, connects at once.
  await page.evaluate(() => globalThis.dispatchEvent(new Event("online")));
  await expect(count).toHaveText("3");
  await expect(page.getByText(/Connecting again/)).toHaveCount(0);
});

test("another run of the server offers a reload and does not do it", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  await expect(page.getByTestId("count")).toHaveText(/\d/);
  await page.evaluate(() => void ((globalThis as { __samePage?: boolean }).__samePage = true));
  await server.restart();
  await page.evaluate(() => globalThis.dispatchEvent(new Event("online")));
  const notice = page.getByText("Reload to update");
  await expect(notice.first()).toBeVisible();
  expect(await page.evaluate(() => (globalThis as { __samePage?: boolean }).__samePage)).toBe(true);
  await page
    .getByRole("button", { name: /Reload/ })
    .first()
    .click();
  await expect(page.getByTestId("count")).toHaveText(/\d/);
  await expect.poll(() => page.evaluate(() => (globalThis as { __samePage?: boolean }).__samePage)).toBeUndefined();
  await expect(notice).toHaveCount(0);
});

test("a window opened while the server does not answer shows the shell and recovers", async ({ page }) => {
  await page.route("**/api/v1/plugins", (route) => route.abort("connectionrefused"));
  await page.goto(`${server.url}/plugins`);
  const again = page.locator("main").getByRole("button", { name: /again|retry/i });
  await expect(again).toBeVisible();
  await expect(page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "New thread" })).toBeVisible();
  await page.unroute("**/api/v1/plugins");
  await again.click();
  await expect(page.locator("main")).toContainText("Counter");
});
