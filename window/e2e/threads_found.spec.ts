// From a message that the search has found to its place in a long thread.
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, restOf, test } from "./support/test.js";

/** More than a page of the thread has. */
const kTurns = 31;

let server: Server;
let agents: ScriptedAgents;

test.beforeAll(async () => {
  const lines = Array.from({ length: 12 }, (_, line) => `Line ${line} of what is said.\n\n`).join("");
  const first = [{ text: `It is the hidden brush. ${lines}` }, { thought: "Hm" }, { text: "Painted with the broad brush." }];
  const others = Array.from({ length: kTurns }, (_, turn) => [{ text: `Coat ${turn}. ${lines}` }]);
  agents = scriptedAgents({ painter: { turns: [first, ...others] } });
  server = await startServer({ config: { agents: agents.config } });
  await expect.poll(async () => (await server.api<{ hosts: { status: string }[] }>("/hosts")).hosts[0]?.status).toBe("connected");
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});

test("a message that was found is shown where it was said, and stays in view while the agent goes on", async ({ page }) => {
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: "painter",
    input: [{ type: "text", text: "Paint the door" }],
  });
  const say = (text: string) => server.api(`/threads/${thread.id}/queued-messages`, { input: [{ type: "text", text }] });
  const isSaid = async (text: string) => {
    const { rows } = await server.api<{ rows: { text?: string }[] }>(`/threads/${thread.id}/timeline?segmentLimit=1`);
    return rows.some((row) => row.text?.startsWith(text) === true);
  };
  for (let turn = 0; turn < kTurns - 2; turn += 1) {
    await say(`Coat of number ${turn}`);
  }
  await expect.poll(() => isSaid(`Coat ${kTurns - 3}.`), { timeout: 30_000 }).toBe(true);

  await open(page, `${server.url}/threads?q=${encodeURIComponent("broad brush")}`);
  await page.getByRole("list", { name: "Found in messages" }).getByRole("link").click();
  const answer = page.getByRole("article", { name: "Answer" }).filter({ hasText: "broad brush" });
  await expect(answer).toBeInViewport();
  await expect(answer).toBeFocused();
  await say("One more");
  await expect.poll(() => isSaid(`Coat ${kTurns - 2}.`)).toBe(true);
  await expect(answer).toBeInViewport();

  await page.reload();
  await expect(answer).toBeInViewport();
  const messages = page.getByRole("region", { name: "Messages" });
  await page.getByRole("button", { name: "To the end" }).click();
  await expect(messages).toContainText(`Coat ${kTurns - 2}.`);
  await expect(answer).not.toBeInViewport();

  // A turn that is over folds what was said before its last message.
  await open(page, `${server.url}/threads?q=${encodeURIComponent("hidden brush")}`);
  await page.getByRole("list", { name: "Found in messages" }).getByRole("link").click();
  const folded = page.getByRole("article", { name: "Answer" }).filter({ hasText: "hidden brush" });
  await expect(folded).toBeInViewport();
  await expect(folded).toBeFocused();

  // At the end of the thread, too, what comes after it does not move it out of view.
  await open(page, `${server.url}/threads?q=${encodeURIComponent(`Coat ${kTurns - 2}.`)}`);
  await page.getByRole("list", { name: "Found in messages" }).getByRole("link").click();
  const last = page.getByRole("article", { name: "Answer" }).filter({ hasText: `Coat ${kTurns - 2}.` });
  await expect(last).toBeFocused();
  const before = await restOf(last);
  await say("And the last one");
  const next = page.getByRole("article", { name: "Answer" }).filter({ hasText: `Coat ${kTurns - 1}.` });
  await expect(next).toBeAttached();
  expect(await restOf(last)).toBe(before);
});
