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

async function openFailed(page: Page, agent: string): Promise<void> {
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: agent,
    input: [{ type: "text", text: "Paint the door" }],
  });
  await expect.poll(async () => (await server.api<{ thread: { status: string } }>(`/threads/${thread.id}`)).thread.status).toBe("error");
  await open(page, `${server.url}/threads/${thread.id}`);
}

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
