// The examples in the window: each family of slots where people meet it.
import { example, fixture, type PluginDirectory } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let nightDesk: PluginDirectory;

test.beforeAll(async () => {
  server = await startServer();
  nightDesk = example(server.scratch, "night-desk");
  for (const name of ["reading-list", "focus-timer", "prompt-kit", "csv-view", "approvals"]) {
    await server.install(example(server.scratch, name));
  }
  await server.install(nightDesk);
  await server.install(fixture(server.scratch, "busy"));
  await server.api("/plugins/reading-list/rpc/add", { title: "A book", url: "https://example.org/book" });
});
test.afterAll(() => server?.close());

const sidebar = (page: Page) => page.locator('[data-sidebar="sidebar"]');
const composer = (page: Page) => page.getByRole("textbox", { name: "New thread" });

test("a page with a title bar of its own, a count in the sidebar and tabs at the right", async ({ page }) => {
  await open(page, `${server.url}/plugins/reading-list/reading`);
  await expect(sidebar(page).getByRole("link", { name: /Reading list/ })).toContainText("1 unread");
  // The first fixed tab is open on the first visit, and shows what the page hands to it.
  const panel = page.getByRole("tabpanel");
  await expect(panel).toContainText("Choose an entry of the list.");
  await page.getByRole("button", { name: "Details of A book" }).click();
  await expect(panel).toContainText("https://example.org/book");
  await page.getByRole("tab", { name: "Help" }).click();
  await expect(panel).toContainText("Add what you want to read");

  await page.getByRole("checkbox", { name: "Read A book" }).click();
  await expect(sidebar(page)).not.toContainText("unread");
  await page.getByRole("button", { name: "Only unread" }).click();
  await expect(page).toHaveURL(`${server.url}/plugins/reading-list/reading/unread`);
  await expect(page.getByText("Everything is read.")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("link", { name: "A book" })).toHaveAttribute("rel", /noopener/);

  // Closing the panel is remembered.
  await page.getByRole("button", { name: "Hide right panel" }).last().click();
  await page.reload();
  await expect(page.getByRole("link", { name: "A book" })).toBeVisible();
  await expect(page.getByRole("tabpanel")).toHaveCount(0);
});

test("the composer: snippets, words, text that stands out, the plus menu; a refused message stays", async ({ page }) => {
  await open(page, server.url);
  await page.getByRole("button", { name: /^Review/ }).click();
  await expect(composer(page)).toHaveValue(/Review the latest change/);
  await expect(composer(page)).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.type(" TODO");
  await expect(page.getByText(/^\d+ words$/)).toHaveText("10 words");
  await page.getByRole("button", { name: "Add to message" }).click();
  await page.getByRole("menuitem", { name: /Checklist/ }).click();
  await expect(composer(page)).toHaveValue(/First make a plan/);

  await page.getByRole("button", { name: "Send message" }).click();
  await expect(page.locator("main").getByRole("alert").first()).toBeVisible();
  await expect(composer(page)).toHaveValue(/First make a plan/);
  // The draft belongs to the window.
  await page.reload();
  await expect(composer(page)).toHaveValue(/First make a plan/);
});

test("a replaced header is chosen in the settings, and given back when it crashes", async ({ page }) => {
  await open(page, `${server.url}/settings/appearance`);
  const header = page.locator('[data-sidebar="header"]');
  await expect(header).toContainText("Night desk");
  const choice = page.getByRole("combobox", { name: "Sidebar header" });
  await choice.selectOption({ label: "The window's own" });
  await expect(header).not.toContainText("Night desk");
  await page.reload();
  await expect(header).toBeVisible();
  await expect(header).not.toContainText("Night desk");
  await choice.selectOption({ label: "Automatic: Night desk" });
  await expect(header).toContainText("Night desk");

  const source = nightDesk.read("app.tsx");
  nightDesk.edit(
    "app.tsx",
    "function Header({ controlSize }: { controlSize: number }) {",
    'function Header({ controlSize }: { controlSize: number }) {\n  if (controlSize > 0) throw new Error("the lamp went out");',
  );
  await server.reload(nightDesk);
  await expect(page.locator("[data-sonner-toast]").filter({ hasText: "Night desk" })).toBeVisible();
  await expect(header).not.toContainText("Night desk");
  await expect(header.getByRole("button", { name: "Hide sidebar" })).toBeVisible();
  nightDesk.write("app.tsx", source);
  await server.reload(nightDesk);
  await expect(header).toContainText("Night desk");
});

test("a plugin's theme is chosen for every window, and goes with its plugin", async ({ page, context }) => {
  const other = await context.newPage();
  const canvas = (window: Page) => window.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--canvas").trim());
  await open(page, `${server.url}/settings/appearance`);
  await open(other, server.url);
  const before = await canvas(other);
  await page.getByRole("combobox", { name: "Palette" }).selectOption({ label: "Night desk" });
  await expect.poll(() => canvas(page)).toBe("#fbf7ef");
  await expect.poll(() => canvas(other)).toBe("#fbf7ef");
  await server.mustRun("plugin", "disable", "night-desk");
  await expect.poll(() => canvas(other)).toBe(before);
  await server.mustRun("plugin", "enable", "night-desk");
  await expect.poll(() => canvas(other)).toBe("#fbf7ef");
  await server.api("/theme", { themeId: "default" }, "PUT");
  await expect.poll(() => canvas(other)).toBe(before);
});

test("Markdown, code and differences are drawn by the window", async ({ page }) => {
  await open(page, `${server.url}/plugins/csv-view/csv`);
  await expect(page.getByRole("cell", { name: "Ulm, an der Donau" })).toBeVisible();
  await expect(page.locator("strong", { hasText: "table" })).toBeVisible();
  await expect(page.locator(".katex").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "As code" })).toContainText("Ulm, an der Donau");
  const change = page.getByRole("region", { name: "As a change" });
  await expect(change).toContainText("127089");
  await page.getByLabel("Comma-separated text").fill("only,two\n1,2\n");
  await expect(page.getByRole("region", { name: "As code" })).toContainText("only,two");
});

test("two plugins with scripts, overlays and commands do not get into each other's way", async ({ page }) => {
  await open(page, `${server.url}/plugins/busy/desk`);
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").first().pressSequentially("start a focus");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("timer")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-focus-session", "");
  // An overlay leaves the page below it usable.
  await page.getByRole("button", { name: "Tidy up" }).click();
  await expect(page.getByText("Desk is tidy").first()).toBeVisible();
  await server.mustRun("plugin", "disable", "focus-timer");
  await expect(page.getByRole("timer")).toHaveCount(0);
  await expect(page.locator("html")).not.toHaveAttribute("data-focus-session");
  await server.mustRun("plugin", "enable", "focus-timer");
});
