// Threads whose agents want a login, die at their start or give up: why stands in the conversation.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let agents: ScriptedAgents;

test.beforeAll(async () => {
  agents = scriptedAgents({
    login: { on: { "session/new": [{ error: { code: -32000, message: "run `robot login`" } }] } },
    dying: { first: [{ stderr: "cannot load libdoor.so\n" }, { exit: 3 }] },
    worker: { turns: [[{ text: "I am at it" }, { untilCancelled: true }], [{ text: "Done after all." }]] },
    tired: {
      turns: [[{ thought: "Hm" }, { error: { code: -32603, message: "the model is out of memory" } }], [{ text: "Now it is blue." }]],
    },
  });
  server = await startServer({ config: { agents: agents.config } });
  await expect.poll(async () => (await server.api<{ hosts: { status: string }[] }>("/hosts")).hosts[0]?.status).toBe("connected");
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});

const statusOf = async (id: string) => (await server.api<{ thread: { status: string } }>(`/threads/${id}`)).thread.status;

async function openStarted(page: Page, agent: string, until: string): Promise<string> {
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: agent,
    input: [{ type: "text", text: "Paint the door" }],
  });
  await expect.poll(() => statusOf(thread.id)).toBe(until);
  await open(page, `${server.url}/threads/${thread.id}`);
  return thread.id;
}

const openFailed = (page: Page, agent: string): Promise<string> => openStarted(page, agent, "error");

test("a message that the agent did not take says why", async ({ page }) => {
  await openFailed(page, "login");
  const messages = page.getByLabel("Messages");
  await expect(messages).toContainText("The agent wants somebody to sign in");
  await expect(messages).toContainText("run `robot login`");
  await expect(messages.getByRole("button", { name: "Retry" })).toBeVisible();
  // Nowhere else, and under no other name.
  await expect(page.getByRole("button", { name: /^(Retry|Try again)$/ })).toHaveCount(1);
  await page.setViewportSize({ width: 390, height: 720 });
  await expectNoSidewaysScroll(page, "a message that was not taken");
  await expectAccessible(page, "a message that was not taken");
  await openFailed(page, "dying");
  await expect(messages).toContainText("The agent did not start");
  await expect(messages).toContainText("cannot load libdoor.so");
});

test("a turn that failed says why, and is tried again where it says so", async ({ page }) => {
  await openFailed(page, "tired");
  const messages = page.getByLabel("Messages");
  await expect(messages).toContainText("the model is out of memory");
  await messages.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("article", { name: "Answer" })).toContainText("Now it is blue.");
  await expect(messages.getByRole("button", { name: "Retry" })).toHaveCount(0);
});

test("a turn that was stopped, and one that a restart of the service has interrupted, are tried again where they end", async ({
  page,
}, info) => {
  const id = await openStarted(page, "worker", "active");
  const messages = page.getByLabel("Messages");
  const answers = page.getByRole("article", { name: "Answer" });
  await expect(answers).toContainText("I am at it");
  await page.getByRole("button", { name: "Stop the agent" }).click();
  await expect(messages.getByRole("button", { name: "Retry" })).toBeVisible();
  await page.screenshot({ path: info.outputPath("stopped.png") });
  await expectAccessible(page, "a turn that was stopped");
  await messages.getByRole("button", { name: "Retry" }).click();
  // Another process of the agent, which begins its script again.
  await expect(answers).toHaveCount(2);
  await expect.poll(() => statusOf(id)).toBe("active");
  await expect(messages.getByRole("button", { name: "Retry" })).toHaveCount(0);
  await server.restart();
  await expect(messages).toContainText("The service was restarted while the agent worked");
  await expect(messages).toContainText("What was said stays. Retry sends the message again.");
  await page.setViewportSize({ width: 390, height: 720 });
  await expectNoSidewaysScroll(page, "a turn that was interrupted");
  await page.screenshot({ path: info.outputPath("interrupted.png") });
  await messages.getByRole("button", { name: "Retry" }).click();
  await expect(answers).toHaveCount(3);
  await server.api(`/threads/${id}/stop`, {});
});
