// By keyboard: what one has just done takes its own control away, and one goes on near it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

const kAsk = {
  method: "session/request_permission",
  params: {
    sessionId: "scripted-session",
    toolCall: { toolCallId: "c1", title: "make all", kind: "execute", rawInput: { command: "make all" } },
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  },
};

let agents: ScriptedAgents;
let server: Server;
let folder: string;

test.beforeAll(async () => {
  agents = scriptedAgents({
    worker: { turns: [[{ text: "I am at it" }, { untilCancelled: true }]] },
    asker: { turns: [[{ request: kAsk }, { text: "Done." }]] },
    talker: { turns: [[{ text: "Blue." }]] },
  });
  server = await startServer({ config: { agents: agents.config } });
  folder = mkdtempSync(join(tmpdir(), "svc-e2e-focus-"));
  ["a.txt", "b.txt", "c.txt"].forEach((name) => writeFileSync(join(folder, name), name));
});
test.afterAll(async () => {
  await server.close();
  agents.remove();
  rmSync(folder, { recursive: true, force: true });
});

const startThread = async (agent: string, input: string): Promise<string> => {
  const body = JSON.stringify({ projectId: "proj_personal", providerId: agent, prompt: input });
  const answer = await fetch(`${server.url}/api/v1/threads`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await answer.json()) as { thread: { id: string } }).thread.id;
};

async function press(page: Page, control: Locator): Promise<void> {
  await control.focus();
  await page.keyboard.press("Enter");
}

test("an agent that is stopped leaves the focus in the composer", async ({ page }) => {
  await open(page, `${server.url}/threads/${await startThread("worker", "Go on")}`);
  const stop = page.getByRole("button", { name: "Stop the agent" });
  await press(page, stop);
  await expect(stop).toBeHidden();
  await expect(page.getByRole("button", { name: "Send message" })).toBeFocused();
});

test("the inbox goes on with the next question, and never to what denies it", async ({ page }) => {
  await startThread("asker", "First question");
  await startThread("asker", "Second question");
  await startThread("talker", "Not read");
  await open(page, `${server.url}/inbox`);
  const allow = page.getByRole("button", { name: "Allow once" });
  await expect(allow).toHaveCount(2);
  await press(page, page.getByRole("button", { name: "Mark all as read" }));
  await expect(page.getByRole("button", { name: "Mark all as read" })).toBeHidden();
  const first = page.getByRole("main").locator("li a").first();
  await expect(first).toBeFocused();
  await press(page, allow.first());
  await expect(allow).toHaveCount(1);
  await expect(first).toBeFocused();
});

test("a list of threads goes on with the next thread", async ({ page }) => {
  await startThread("talker", "Stays");
  await startThread("talker", "Archive me");
  await open(page, `${server.url}/threads`);
  const row = page.getByRole("main").getByRole("listitem").filter({ hasText: "Archive me" });
  await press(page, row.getByRole("button", { name: /^More for/ }));
  await press(page, page.getByRole("menuitem", { name: "Archive", exact: true }));
  await expect(row).toBeHidden();
  await expect(page.getByRole("main").locator("li a:focus")).toHaveCount(1);
});

test("a folder goes on with the file beside the one that is renamed or deleted", async ({ page }) => {
  const hosts = (await (await fetch(`${server.url}/api/v1/hosts`)).json()) as { hosts: { id: string }[] };
  await open(page, `${server.url}/files/${hosts.hosts[0]!.id}?path=${encodeURIComponent(folder)}`);
  await press(page, page.getByRole("button", { name: "Actions for b.txt" }));
  await press(page, page.getByRole("menuitem", { name: /Rename/ }));
  await page.keyboard.press("Control+A");
  await page.keyboard.type("bb.txt");
  await page.keyboard.press("Enter");
  await expect(page.getByText("bb.txt", { exact: true })).toBeVisible();
  await expect(page.getByRole("main").locator("a:focus, button:focus")).toHaveCount(1);
  await press(page, page.getByRole("button", { name: "Actions for a.txt" }));
  await press(page, page.getByRole("menuitem", { name: /Delete/ }));
  await press(page, page.getByRole("alertdialog").getByRole("button", { name: "Delete" }));
  await expect(page.getByRole("button", { name: "Actions for a.txt" })).toBeHidden();
  await expect(page.locator("[data-row-link]:focus")).toContainText("bb.txt");
});
