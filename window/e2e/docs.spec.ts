// The documentation that the server brings along: found from the window, searched, copied from, read on narrow screens.
import { expectAccessible, expectEveryLook } from "./support/axe.js";
import { type Proxy, startProxy } from "./support/proxy.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, test } from "./support/test.js";

let server: Server;
let proxy: Proxy;

test.beforeAll(async () => {
  proxy = await startProxy("/base");
  server = await startServer({ config: { appUrl: proxy.url } });
  proxy.target = server.url;
});
test.afterAll(async () => {
  await server?.close();
  await proxy?.close();
});

test("the palette leads there, below the path of a proxy, too", async ({ page, context }) => {
  await open(page, proxy.url);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("documentation");
  const opened = context.waitForEvent("page");
  await page.getByRole("option", { name: "Documentation" }).click();
  const docs = await opened;
  await expect(docs.getByRole("heading", { level: 1, name: "svc" })).toBeVisible();
  expect(docs.url()).toBe(`${proxy.url}docs/`);
  await docs.getByRole("link", { name: "Window" }).click();
  await expect(docs.getByRole("navigation", { name: "Main" })).toBeVisible();
});

test("the search finds a heading, and the keyboard alone goes to it", async ({ page }) => {
  await page.goto(`${server.url}/docs/guide/rpc.html`);
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox", { name: "Search the documentation" });
  await expect(search).toBeFocused();
  await search.fill("reverse proxy");
  const first = page.locator("#results a").first();
  await expect(first).toContainText("Behind a reverse proxy");
  await expectAccessible(page, "the results of a search");
  await page.keyboard.press("ArrowDown");
  await expect(first).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/operations\.html#behind-a-reverse-proxy$/);
  await expect(page.locator("#behind-a-reverse-proxy")).toBeInViewport();
  await search.fill("qqqqqq");
  await expect(page.locator("#results")).toContainText("Nothing is about “qqqqqq”.");
  await page.keyboard.press("Escape");
  await expect(page.locator("#results")).toBeHidden();
});

test("code is copied as it is written", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${server.url}/docs/guide/index.html`);
  const block = page.locator(".code").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy the code" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^\/\/ server\.ts\nimport type .*\n/);
});

test("pages are right in every look", async ({ page }) => {
  for (const name of ["index.html", "guide/app-entry.html"]) {
    await page.goto(`${server.url}/docs/${name}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectEveryLook(page, name);
    await page.setViewportSize({ width: 1280, height: 720 });
  }
});

test("on a narrow screen the pages are listed when they are asked for", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${server.url}/docs/`);
  const tutorial = page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: "Your first plugin" });
  await expect(tutorial).toBeHidden();
  await page.getByText("Pages", { exact: true }).click();
  await tutorial.click();
  await expect(page).toHaveURL(/\/docs\/tutorial\.html$/);
});

test("an address without a page says so, with a search", async ({ page }) => {
  const answer = await page.goto(`${proxy.url}docs/guide/gone.html`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
  await page.getByRole("searchbox").fill("schedules");
  await page.locator("#results a").first().click();
  await expect(page).toHaveURL(/\/base\/docs\/.*schedules/);
});

test("it looks as the window was told to", async ({ page }) => {
  await open(page, server.url);
  await page.evaluate(() => localStorage.setItem("svc.theme", "dark"));
  await page.goto(`${server.url}/docs/`);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(21, 24, 24)");
});
