// What stands beside a thread, and the way through it without a mouse: files that its texts name, another thread, its workspace.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expectAccessible, expectContrast, expectNoSidewaysScroll } from "./support/axe.js";
import { example, type PluginDirectory } from "./support/plugins.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;
let agents: ScriptedAgents;
let projectId: string;

/** Higher than the view, and each kind of text in it. */
const kAnswer = `The door is **blue** now, and $x^2$ is drawn.

- sand it
- paint it

\`\`\`ts
const door = "blue";
\`\`\`

${Array.from({ length: 30 }, (_, at) => `Paragraph ${at + 1} of a long answer.`).join("\n\n")}

The last words.
`;

test.beforeAll(async () => {
  const edit = {
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "Edit",
    kind: "edit",
    status: "completed",
    content: [{ type: "diff", path: "door.txt", oldText: "green", newText: "blue" }],
  };
  agents = scriptedAgents({
    painter: { turns: [[{ update: edit }, { text: "See `door.txt:1`, not `gone.txt`." }]] },
    worker: { turns: [[{ text: "I am at it" }, { untilCancelled: true }]] },
    writer: { turns: [[{ text: kAnswer }]] },
  });
  server = await startServer({ config: { agents: agents.config } });
  const folder = join(server.scratch, "site");
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.com");
  writeFileSync(join(folder, "door.txt"), "green\n");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(join(folder, "door.txt"), "blue\n");
  const available = async () =>
    (await server.api<{ providers: { available: boolean }[] }>("/providers")).providers.filter((each) => each.available).length;
  await expect.poll(available).toBe(3);
  const { hosts } = await server.api<{ hosts: { id: string }[] }>("/hosts");
  const source = { type: "local_path", hostId: hosts[0]!.id, path: folder };
  projectId = (await server.api<{ project: { id: string } }>("/projects", { name: "Site", source })).project.id;
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});

async function spawn(providerId: string, text: string): Promise<string> {
  const environment = { type: "project-default" };
  const body = { projectId, environment, providerId, input: [{ type: "text", text }] };
  return (await server.api<{ thread: { id: string } }>("/threads", body)).thread.id;
}

const main = (page: Page): Locator => page.locator("main");
const message = (page: Page): Locator => main(page).getByRole("textbox", { name: "Message" });
const answer = (page: Page): Locator => main(page).getByRole("article", { name: "Answer" });

test("a file that a message names opens beside it at its line, and its step opens it too", async ({ page }) => {
  const id = await spawn("painter", "Paint it");
  await open(page, `${server.url}/threads/${id}`);
  await page.getByRole("button", { name: "door.txt:1" }).click();
  const panel = page.getByRole("complementary", { name: "Right panel" });
  await expect(panel.getByText("blue")).toBeVisible();
  await expect(answer(page).locator("code", { hasText: "gone.txt" })).toBeVisible();
  await expect(page.getByRole("button", { name: "gone.txt" })).toHaveCount(0);
  await expectAccessible(page, "a thread with a file beside it");
  await panel.getByRole("button", { name: "Hide right panel" }).click();
  await page.getByRole("button", { name: "1 step" }).click();
  await page.getByRole("button", { name: /^Open .*door\.txt$/ }).click();
  await expect(panel.getByText("blue")).toBeVisible();
});

test("the tabs beside a thread are those of the service, in both directions", async ({ page }) => {
  const id = await spawn("painter", "Paint it");
  interface Tabs {
    revision: number;
    tabs: { id: string; kind: string; path?: string }[];
  }
  const kept = () => server.api<Tabs>(`/threads/${id}/tabs`);
  const file = { id: "1", kind: "workspace-file-preview", path: "door.txt", source: { kind: "working-tree" }, lineRange: null };
  const strange = { id: "2", kind: "of another window" };
  await server.api(`/threads/${id}/tabs`, { expectedRevision: (await kept()).revision, tabs: [file, strange] }, "PUT");
  await open(page, `${server.url}/threads/${id}`);
  const panel = page.getByRole("complementary", { name: "Right panel" });
  await expect(panel.getByRole("tab")).toHaveText(["door.txt"]);
  await expect(panel.getByText("blue")).toBeVisible();
  await panel.getByRole("button", { name: "Open another tab" }).click();
  await panel.getByRole("button", { name: "Changes" }).click();
  await expect.poll(async () => (await kept()).tabs.map(({ kind }) => kind)).toEqual(["workspace-file-preview", strange.kind, "git-diff"]);
  await panel.getByRole("tab", { name: "Changes" }).press("Delete");
  await expect.poll(async () => (await kept()).tabs.map(({ kind }) => kind)).toEqual(["workspace-file-preview", strange.kind]);
});

test("keys go through the messages and stop the agent", async ({ page }) => {
  const id = await spawn("worker", "Work");
  await open(page, `${server.url}/threads/${id}`);
  await expect(answer(page)).toContainText("I am at it");
  await message(page).click();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(answer(page)).toBeFocused();
  await expect(answer(page)).toHaveCSS("outline-style", "solid");
  await page.keyboard.press("Alt+ArrowUp");
  await expect(main(page).getByRole("article", { name: "Your message" })).toBeFocused();
  await page.keyboard.press("Alt+ArrowDown");
  await page.keyboard.press("Alt+ArrowDown");
  await expect(message(page)).toBeFocused();
  // An open menu takes the key first.
  await page.getByRole("button", { name: "Add to message" }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Stop the agent" })).toBeVisible();
  await message(page).focus();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Stop the agent" })).toHaveCount(0);
});

/** An example that offers something with messages, and with one more such action that fails. */
async function installApprovals(): Promise<PluginDirectory> {
  const plugin = example(server.scratch, "approvals");
  const fails =
    'app.slots.messageAction({ id: "fail", title: "Explain what this is about", run: () => Promise.reject(new Error("no idea")) });';
  plugin.edit("app.tsx", /(?=  app\.slots\.messageAction)/, `  ${fails}\n`);
  await server.install(plugin);
  return plugin;
}

const menu = (page: Page): Locator => page.getByRole("toolbar", { name: "Selected text" });

async function expectWithin(page: Page, inner: Locator): Promise<void> {
  await expect
    .poll(async () => {
      const [box, { width, height }] = [await inner.boundingBox(), page.viewportSize()!];
      return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
    })
    .toBe(true);
}

test("text that is selected in a message has a menu with what plugins do with it", async ({ page }, info) => {
  const plugin = await installApprovals();
  const id = await spawn("writer", "Paint the door");
  await expect.poll(async () => (await server.api<{ thread: { status: string } }>(`/threads/${id}`)).thread.status).toBe("idle");
  await open(page, `${server.url}/threads/${id}`);
  await expect(answer(page).locator(".katex")).toBeAttached();
  const last = answer(page).getByText("The last words.");

  // With three clicks the browser selects as far as the next paragraph, which is none of this message.
  await last.click({ clickCount: 3 });
  await expect(menu(page).getByRole("button")).toHaveText(["Copy", "Quote", "Explain what this is about", "Question this"]);
  await expect(menu(page)).not.toContainText("Copied");
  await menu(page).getByRole("button", { name: "Question this" }).click();
  await expect(message(page)).toHaveValue("> The last words.\n\n");
  await expect(message(page)).toBeFocused();
  await expect(menu(page)).toHaveCount(0);
  await message(page).fill("");

  await last.click({ clickCount: 3 });
  await menu(page).getByRole("button", { name: "Explain what this is about" }).click();
  await expect(page.getByText("Approvals: “Explain what this is about” failed", { exact: true })).toBeVisible();

  // From key to key: the selection grows, Tab goes in, Escape gives everything back.
  await last.dblclick({ position: { x: 20, y: 8 } });
  await page.keyboard.press("Shift+ArrowRight");
  const before = await page.evaluate(() => String(document.getSelection()));
  expect(before.trim()).not.toBe("");
  await page.keyboard.press("Tab");
  await expect(menu(page).getByRole("button", { name: "Copy" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(menu(page).getByRole("button", { name: "Quote" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu(page)).toHaveCount(0);
  await expect(answer(page)).toBeFocused();
  expect(await page.evaluate(() => String(document.getSelection()))).toBe(before);

  // All of an answer that is higher than the view, in every look; then of one line only.
  await message(page).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Control+a");
  await expect(menu(page)).toBeVisible();
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 720 });
    await expectWithin(page, menu(page));
    await expectNoSidewaysScroll(page, "selected text");
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    await (colorScheme === "light" ? expectAccessible : expectContrast)(page, `selected text, ${colorScheme}`);
    await page.screenshot({ path: info.outputPath(`selection-${colorScheme}-${width}.png`) });
  }
  await menu(page).getByRole("button", { name: "Quote" }).click();
  // As it is seen, formulas as they were written; without the frame of the code.
  const quoted = '> The door is blue now, and $x^2$ is drawn.\n> \n> sand it\n> paint it\n> \n> const door = "blue";\n> \n> Paragraph 1 of';
  await expect.poll(() => message(page).inputValue()).toContain(quoted);
  await message(page).fill("");

  await last.click({ clickCount: 3 });
  await expectWithin(page, menu(page));
  await page.screenshot({ path: info.outputPath("selection-line-dark-390.png") });
  await page.getByRole("region", { name: "Messages" }).evaluate((list) => list.scrollTo({ top: 0 }));
  await expect(menu(page)).toHaveCount(0);

  // What the plugin offered goes with it.
  await answer(page).getByText("The door is").click({ clickCount: 3 });
  await expect(menu(page).getByRole("button")).toHaveCount(4);
  await server.mustRun("plugin", "disable", plugin.id);
  await expect(menu(page).getByRole("button")).toHaveText(["Copy", "Quote"]);
});

test("two threads stand side by side, each with its composer", async ({ page }) => {
  const first = await spawn("painter", "The first");
  await spawn("painter", "The second");
  await page.setViewportSize({ width: 1440, height: 800 });
  await open(page, `${server.url}/threads/${first}`);
  await expect(answer(page)).toBeVisible();
  await page
    .locator("[data-sidebar-thread-id]")
    .filter({ hasText: "The second" })
    .getByRole("link")
    .click({ modifiers: ["Alt"] });
  const beside = page.getByRole("region", { name: "The second" });
  await expect(beside.getByRole("article", { name: "Answer" })).toBeVisible();
  await beside.getByRole("textbox", { name: "Message" }).fill("Once more");
  await beside.getByRole("textbox", { name: "Message" }).press("Enter");
  await expect(beside.getByRole("article", { name: "Answer" })).toHaveCount(2);
  await expect(answer(page)).toHaveCount(1);
  await expect(page).toHaveURL(`${server.url}/threads/${first}`);
  await expectAccessible(page, "two threads side by side");
  await page.reload();
  await expect(beside.getByRole("article", { name: "Answer" })).toHaveCount(2);
  await beside.getByRole("button", { name: "Close The second" }).click();
  await expect(beside).toHaveCount(0);
});

test("a workspace has a page with its changes, which are committed there", async ({ page }) => {
  await spawn("painter", "Look at it");
  await open(page, `${server.url}/settings/projects/${projectId}`);
  await page.getByRole("list", { name: "Workspaces" }).getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1, name: "main" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Threads of the workspace" })).toContainText("Look at it");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  await expectNoSidewaysScroll(page, "a workspace");
  await expectAccessible(page, "a workspace");
  await page.getByRole("textbox", { name: "Message of the commit" }).fill("The door is blue");
  await page.getByRole("button", { name: "Commit all" }).click();
  await expect(page.getByText("Nothing has changed")).toBeVisible();
});
