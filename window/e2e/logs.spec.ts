// A long log: what is drawn, what stays in its place, what the keyboard reaches.
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, restOf, test, topOf } from "./support/test.js";

let server: Server;
/** Numbers below it are in the log. */
let written = 0;

/** More than the page reads at first. */
const kMany = 9000;

async function count(more: number): Promise<void> {
  await server.api("/plugins/busy/rpc/count", { from: written, end: written + more });
  written += more;
}

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "busy"));
  await count(kMany);
});
test.afterAll(() => server?.close());

const lines = (page: Page) => page.getByRole("region", { name: "Log lines" });
const line = (page: Page, number: number) => lines(page).getByText(`number ${number}`, { exact: true });
const follow = (page: Page) => page.getByRole("button", { name: "Follow" });
const last = (page: Page) => line(page, written - 1);
async function openLog(page: Page): Promise<void> {
  await open(page, `${server.url}/settings/plugins/busy/logs`);
  await expect(last(page)).toBeInViewport();
}

test("a long log begins at its end, follows, and stays where somebody reads", async ({ page }) => {
  await openLog(page);
  expect(await lines(page).getByRole("listitem").count()).toBeLessThan(100);
  await expect(follow(page)).toHaveAttribute("aria-pressed", "true");
  await count(50);
  await expect(last(page)).toBeInViewport();

  await lines(page).focus();
  await page.keyboard.press("PageUp");
  await expect(follow(page)).toHaveAttribute("aria-pressed", "false");
  const read = written - 60;
  // As people do: where the list corrects what it had estimated, a page is a little less than one.
  await expect(async () => {
    await page.keyboard.press("PageUp");
    await expect(line(page, read)).toBeInViewport({ timeout: 1000 });
  }).toPass();
  const before = await restOf(line(page, read));
  await count(500);
  await expect(page.getByText(/^1,55\d lines$/)).toBeVisible();
  expect(await topOf(line(page, read))).toBe(before);

  await page.keyboard.press("End");
  await expect(last(page)).toBeInViewport();
  await expect(follow(page)).toHaveAttribute("aria-pressed", "true");
});

test("older lines come in above what is read, and all of them can be reached", async ({ page }) => {
  await openLog(page);
  await lines(page).focus();
  await page.keyboard.press("Home");
  const first = written - 1000;
  await expect(line(page, first)).toBeInViewport();
  const before = await restOf(line(page, first));
  await page.getByRole("button", { name: "Load older lines" }).click();
  await expect(page.getByText(/^9,\d{3} lines$/)).toBeVisible();
  // The bar of the button has gone, and the list begins where it was.
  const bar = await lines(page).boundingBox();
  expect(await restOf(line(page, first))).toBeGreaterThanOrEqual(Math.round(bar?.y ?? Number.NaN));
  expect(Math.abs((await topOf(line(page, first))) - before)).toBeLessThan(60);

  await lines(page).focus();
  await page.keyboard.press("Home");
  await expect(lines(page).getByText("busy is loaded")).toBeInViewport();
  await page.keyboard.press("End");
  await expect(last(page)).toBeInViewport();
});

test("a line is expanded in its place, keeps the focus out of view, and is measured", async ({ page }) => {
  await openLog(page);
  // Of the last lines, so that there is a view's height before the end.
  const number = Math.floor((written - 5) / 5) * 5;
  const toggle = lines(page)
    .getByRole("listitem")
    .filter({ hasText: `number ${number}` })
    .getByRole("button", { name: /the line of/ });
  await toggle.focus();
  const before = await restOf(line(page, number));
  await page.keyboard.press("Enter");
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await expect(follow(page)).toHaveAttribute("aria-pressed", "false");
  expect(await topOf(line(page, number))).toBe(before);
  // What follows it begins below it.
  const text = await lines(page).getByText("more").boundingBox();
  const next = await line(page, number + 1).boundingBox();
  expect(next?.y).toBeGreaterThan((text?.y ?? Number.NaN) + (text?.height ?? Number.NaN));

  await lines(page).evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(toggle).not.toBeInViewport();
  await expect(toggle).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
});

test("the log of everything has the lines of plugins and of the server", async ({ page }) => {
  // The server's log has so many lines a minute of each plugin, and this one has none yet.
  await server.install(fixture(server.scratch, "busy", { id: "calm" }));
  await server.api("/plugins/calm/rpc/say", { level: "warn", text: "the shelf is full" });
  await open(page, `${server.url}/settings/log`);
  await expect(page.getByRole("heading", { name: "Log", exact: true })).toBeVisible();
  await expect(lines(page).getByText("the shelf is full")).toBeInViewport();
  await server.api("/plugins/calm/rpc/say", { level: "error", text: "the shelf broke" });
  await expect(lines(page).getByText("the shelf broke")).toBeInViewport();

  await page.getByRole("combobox", { name: "Source" }).selectOption({ label: "kernel" });
  await expect(lines(page).getByText(/^svcd .* starts/)).toBeVisible();
  await expect(lines(page).getByText("the shelf broke")).toBeHidden();
});
