// Shells on the server's own machine, as people use them: typed into, left, reloaded, flooded and ended.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  await expect.poll(async () => (await machine()).status).toBe("connected");
});
test.afterAll(() => server?.close());

interface Machine {
  id: string;
  name: string;
  status: string;
}

async function machine(): Promise<Machine> {
  return (await server.api<{ hosts: Machine[] }>("/hosts")).hosts[0]!;
}

/** A shell in the scratch directory. */
async function shell(title: string): Promise<string> {
  const scope = { kind: "host_path", hostId: (await machine()).id, cwd: server.scratch };
  const { terminal } = await server.api<{ terminal: { id: string } }>("/terminals", { scope, cols: 80, rows: 24, title });
  return terminal.id;
}

const screenOf = (page: Page): Locator => page.locator(".xterm-rows");
const field = (page: Page, title: string): Locator => page.getByRole("textbox", { name: `Terminal ${title}` });

/** Shows a terminal and waits until it can be typed into. */
async function show(page: Page, id: string, title: string): Promise<void> {
  await open(page, `${server.url}/terminals/${id}`);
  await expect(page.getByText("Reading its output…")).toHaveCount(0);
  await expect(page.getByText("Running")).toBeVisible();
  await field(page, title).focus();
}

async function run(page: Page, command: string): Promise<void> {
  await page.keyboard.type(command);
  await page.keyboard.press("Enter");
}

test("a terminal is opened in a folder from the palette, and says what its shell says", async ({ page }) => {
  await open(page, `${server.url}/`);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search pages, commands and threads").fill("open a terminal");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Open a terminal" });
  const folder = dialog.getByRole("combobox", { name: "Folder" });
  await expect(folder).not.toHaveValue("");
  await folder.fill(`${server.scratch}/da`);
  await expect(dialog.getByRole("option", { name: "data" })).toBeVisible();
  await expectAccessible(page, "the dialog of a new terminal");
  await folder.press("Tab");
  await expect(folder).toHaveValue(`${server.scratch}/data/`);
  await dialog.getByRole("button", { name: "Open terminal" }).click();
  await expect(page).toHaveURL(/\/terminals\/[^?]+$/);
  await expect(page.getByText("Reading its output…")).toHaveCount(0);
  // What is typed next is typed into it.
  await expect(page.locator(".xterm-helper-textarea")).toBeFocused();
  await run(page, "pwd; echo $((6*7))");
  await expect(screenOf(page)).toContainText("42");
  await expect(screenOf(page)).toContainText(/\/data/);
});

test("it goes on without its page, and shows everything again", async ({ page }) => {
  const id = await shell("goes-on");
  await show(page, id, "goes-on");
  await run(page, "for i in 1 2 3; do echo line-$i; done");
  await expect(screenOf(page)).toContainText("line-3");
  await page.goto(`${server.url}/plugins`);
  await show(page, id, "goes-on");
  await expect(screenOf(page)).toContainText("line-1");
  await run(page, "echo again");
  await expect(screenOf(page)).toContainText(/again[\s\S]*again/);
});

test("what is typed before its output is there is not lost, and is no answer to what is drawn again", async ({ page }) => {
  const id = await shell("early");
  await show(page, id, "early");
  // Whoever asks where the cursor is reads the answer; drawn again the question stands there once more.
  await run(page, "printf 'where \\033[6n'; read -rs -d R; echo asked-$((40+2))");
  await expect(screenOf(page)).toContainText("asked-42");
  let readOutput: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => (readOutput = resolve));
  const isAsked = new Promise<void>((resolve) => {
    void page.route(/\/terminals\/[^/]+\/output/, async (route) => {
      resolve();
      await isRead;
      await route.continue();
    });
  });
  await page.reload();
  await isAsked;
  await field(page, "early").focus();
  await run(page, "echo typed-$((40+3))");
  await expect(page.getByText("Reading its output…")).toBeVisible();
  readOutput();
  await expect(screenOf(page)).toContainText("typed-43");
  await expect(screenOf(page)).not.toContainText(/\d;\d+R/);
});

test("a flood of output leaves the page usable, and ends with its end", async ({ page }) => {
  test.setTimeout(120_000);
  const id = await shell("flood");
  await show(page, id, "flood");
  await run(page, "seq 1 600000; echo the-end-$((1+1))");
  // While it pours, the rest of the window answers.
  await page.getByRole("button", { name: "More actions" }).click();
  await expect(page.getByRole("menuitem", { name: "Rename…" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(screenOf(page)).toContainText("the-end-2", { timeout: 90_000 });
});

test("Tab is the shell's, and keys lead out of it", async ({ page }) => {
  const id = await shell("keys");
  await show(page, id, "keys");
  await page.keyboard.type("echo tabbed-");
  await page.keyboard.press("Tab");
  await expect(field(page, "keys")).toBeFocused();
  await page.keyboard.press("Control+Shift+l");
  await expect(page.getByRole("button", { name: "Copy the selection, or all of it" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Paste" })).toBeFocused();
});

test("text is copied and pasted", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const id = await shell("clip");
  await show(page, id, "clip");
  await page.evaluate(() => navigator.clipboard.writeText("echo pas''ted"));
  await page.getByRole("button", { name: "Paste" }).click();
  await expect(screenOf(page)).toContainText("pas''ted");
  await page.keyboard.press("Enter");
  await expect(screenOf(page)).toContainText("pasted");
  await page.getByRole("button", { name: "Copy the selection, or all of it" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("pasted");
});

test("the shell knows the size of the page", async ({ page }) => {
  const id = await shell("size");
  await page.setViewportSize({ width: 1280, height: 800 });
  await show(page, id, "size");
  const size = async () => (await server.api<{ terminal: { cols: number; rows: number } }>(`/terminals/${id}`)).terminal;
  await expect.poll(async () => (await size()).cols).toBeGreaterThan(80);
  const { cols } = await size();
  await run(page, "stty size");
  await expect(screenOf(page)).toContainText(`${(await size()).rows} ${cols}`);
  await page.setViewportSize({ width: 700, height: 500 });
  await expect.poll(async () => (await size()).cols).toBeLessThan(cols);
});

test("of two windows the one that is used sets the size, and the other one says so", async ({ page, context }) => {
  const id = await shell("shared");
  const columns = async () => (await server.api<{ terminal: { cols: number } }>(`/terminals/${id}`)).terminal.cols;
  await page.setViewportSize({ width: 1280, height: 800 });
  await show(page, id, "shared");
  await expect.poll(columns).toBeGreaterThan(80);
  const wide = await columns();
  const other = await context.newPage();
  await other.setViewportSize({ width: 600, height: 500 });
  await show(other, id, "shared");
  await expect.poll(columns).toBeLessThan(wide);
  const hint = page.getByText(/Another window has set the size of this terminal/);
  await expect(hint).toBeVisible();
  await expectAccessible(page, "a terminal with the size of another window");
  await page.locator(".xterm-screen").click();
  await expect.poll(columns).toBe(wide);
  await expect(hint).toHaveCount(0);
  await expect(other.getByText(/Another window has set the size of this terminal/)).toBeVisible();
  await other.getByRole("button", { name: "Use the size of this one" }).click();
  await expect.poll(columns).toBeLessThan(wide);
  await expect(hint).toBeVisible();
  // What is typed counts, not what a program asks the terminal.
  await page.keyboard.type("x");
  await expect.poll(columns).toBe(wide);
  await other.close();
});

test("what runs in a shell is ended only after a question; an ended one says how and starts anew", async ({ page }) => {
  const id = await shell("ends");
  await show(page, id, "ends");
  // What has printed something runs; a shell that has only read its command has nothing to end.
  await run(page, "sh -c 'echo run$((1))s; sleep 1000'");
  await expect(screenOf(page)).toContainText("run1s");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Close" }).click();
  await expect(page.getByRole("alertdialog", { name: "End what runs in ends?" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await field(page, "ends").focus();
  await page.keyboard.press("Control+c");
  await run(page, "exit 3");
  await expect(page.getByText("What ran in it has ended with exit code 3.")).toBeVisible();
  await expectAccessible(page, "a terminal that has ended");
  await page.getByRole("button", { name: "Restart" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Restart" }).click();
  await expect(page).not.toHaveURL(new RegExp(`/terminals/${id}$`));
  await expect(page.getByText("Running")).toBeVisible();
});

for (const scheme of ["light", "dark"] as const) {
  for (const width of [1280, 320]) {
    test(`list and terminal are accessible, ${scheme}, ${width} pixels wide`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 720 });
      const title = `look-${scheme}-${width}`;
      const id = await shell(title);
      await open(page, `${server.url}/settings/machines`);
      await expect(page.getByRole("link", { name: title })).toBeVisible();
      await expectNoSidewaysScroll(page, "the list");
      await expectAccessible(page, "the list");
      await show(page, id, title);
      await run(page, "printf '\\033[31mred \\033[93mbright yellow \\033[90mgrey\\033[0m done\\n'");
      await expect(screenOf(page)).toContainText("grey done");
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      await expectNoSidewaysScroll(page, "a terminal");
      await expectAccessible(page, "a terminal");
      // Its colours are those of the page, also when that changes under it.
      const background = () => page.locator(".xterm-scrollable-element").evaluate((e) => getComputedStyle(e).backgroundColor);
      const before = await background();
      await page.emulateMedia({ colorScheme: scheme === "light" ? "dark" : "light" });
      await expect.poll(background).not.toBe(before);
    });
  }
}

test("screen reader mode keeps the text where screen readers find it", async ({ page }) => {
  const id = await shell("reader");
  await show(page, id, "reader");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Screen reader mode" }).click();
  await field(page, "reader").focus();
  await run(page, "echo heard-$((40+2))");
  await expect(page.getByRole("list").filter({ hasText: "heard-42" })).toBeAttached();
  await expectAccessible(page, "a terminal in screen reader mode");
});
