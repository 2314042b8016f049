// How the window and its bundles reach the browser: addresses, base path, what is fetched and what is not.
import { fixture, type PluginDirectory } from "./support/plugins.js";
import { type Proxy, startProxy } from "./support/proxy.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let counter: PluginDirectory;
let proxy: Proxy;

test.beforeAll(async () => {
  proxy = await startProxy("/base");
  server = await startServer({ config: { appUrl: proxy.url } });
  proxy.target = server.url;
  counter = fixture(server.scratch, "counter");
  await server.install(counter);
  await server.install(fixture(server.scratch, "counter", { id: "neighbour", name: "Neighbour" }));
});
test.afterAll(async () => {
  await server?.close();
  await proxy?.close();
});

/** Requests for bundles from now on. */
function bundleRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    if (/assets\/app\.(js|css)/.test(request.url())) {
      requests.push(request.url());
    }
  });
  return requests;
}

test("a change of plugins without another hash fetches no bundle", async ({ page }) => {
  const frames: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  await open(page, `${server.url}/plugins/counter/counter`);
  await expect(page.getByTestId("count")).toHaveText(/\d/);
  const requests = bundleRequests(page);
  const announced = () => frames.filter((frame) => frame.includes("plugins-changed")).length;
  const before = announced();
  // The server entry loads again, twice; the bundle is the same.
  await server.reload(counter);
  await expect.poll(announced).toBeGreaterThan(before);
  await server.reload(counter);
  await expect.poll(announced).toBeGreaterThan(before + 1);
  await page.getByRole("button", { name: "Add one" }).click();
  // The records were looked at again, which a bundle would have followed.
  await page.waitForLoadState("networkidle");
  expect(requests).toEqual([]);
});

test("two plugins with the same panel path have a page each", async ({ page }) => {
  await open(page, `${server.url}/plugins/counter/counter`);
  await page.getByRole("button", { name: "Add one" }).click();
  const count = page.getByTestId("count");
  await expect(count).not.toHaveText("0");
  await open(page, `${server.url}/plugins/neighbour/counter`);
  await expect(count).toHaveText("0");
  const rows = page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Counter" });
  await expect(rows).toHaveCount(2);
});

test("deep links open what they name, and survive a reload of the page", async ({ page }) => {
  const path = `/plugins/counter/counter/some/${encodeURIComponent("päth with/slash")}`;
  await open(page, `${server.url}${path}`);
  await expect(page.getByTestId("sub-path")).toContainText("some/");
  await page.reload();
  await expect(page.getByTestId("sub-path")).toContainText("some/");
  expect(new URL(page.url()).pathname).toBe(path);
});

test("an address without a page says so and leads back", async ({ page }) => {
  await open(page, `${server.url}/no/such/page`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("main")).toContainText(/not found|no page|does not exist/i);
  await page.locator("main").getByRole("link").first().click();
  await expect(page).not.toHaveURL(/no\/such/);
});

test("an unknown plugin and an unknown panel are told apart from one that loads", async ({ page }) => {
  await open(page, `${server.url}/plugins/nobody/page`);
  await expect(page.locator("main")).toContainText(/not installed|no plugin/i);
  await open(page, `${server.url}/plugins/counter/no-such-panel`);
  await expect(page.locator("main")).toContainText(/no (page|panel)|no-such-panel/i);
});

for (const strip of [false, true]) {
  test(`behind a proxy that ${strip ? "takes the path off" : "passes the path on"} everything works below the base path`, async ({
    page,
  }) => {
    proxy.strip = strip;
    const strayed: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.host === new URL(proxy.url).host && !url.pathname.startsWith("/base/")) {
        strayed.push(request.url());
      }
    });
    await open(page, `${proxy.url}plugins/counter/counter`);
    const count = page.getByTestId("count");
    await expect(count).toHaveText(/\d/);
    const before = Number(await count.textContent());
    await page.getByRole("button", { name: "Add one" }).click();
    await expect(count).toHaveText(String(before + 1));
    // Signals come through as well.
    await server.api("/plugins/counter/rpc/add", { by: 5 });
    await expect(count).toHaveText(String(before + 6));
    await page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Plugins" }).first().click();
    await expect(page).toHaveURL(`${proxy.url}plugins`);
    await page.reload();
    await expect(page.locator("main")).toContainText("Neighbour");
    expect(strayed).toEqual([]);
  });
}

test("the page forbids foreign scripts and frames, and says when one was refused", async ({ page, watch }) => {
  const answer = await page.goto(server.url);
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("object-src 'none'");
  expect(policy).not.toContain("'unsafe-eval'");
  expect(/script-src[^;]*'unsafe-inline'/.test(policy)).toBe(false);
  expect(answer?.headers()["x-content-type-options"]).toBe("nosniff");

  // What every test here watches for does happen.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'an inline script ran'";
    document.head.append(script);
  });
  await expect.poll(() => watch.violations.length).toBeGreaterThan(0);
  expect(await page.title()).not.toBe("an inline script ran");
  watch.violations.length = 0;
});
