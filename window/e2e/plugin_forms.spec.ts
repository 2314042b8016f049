// What a plugin asks in a thread: declined whatever its form offers, and answered by one window where two show it.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;
let agents: ScriptedAgents;
let threadId: string;

test.beforeAll(async () => {
  agents = scriptedAgents({ talker: { turns: [[{ text: "The door can be painted." }]] } });
  server = await startServer({ config: { agents: agents.config } });
  await server.install(fixture(server.scratch, "asking"));
  const available = async () =>
    (await server.api<{ providers: { available: boolean }[] }>("/providers")).providers.some((each) => each.available);
  await expect.poll(available).toBe(true);
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: "talker",
    input: [{ type: "text", text: "Paint the door" }],
  });
  threadId = thread.id;
  await expect.poll(async () => (await server.api<{ thread: { status: string } }>(`/threads/${threadId}`)).thread.status).toBe("idle");
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});

const card = (page: Page): Locator => page.locator("main").getByRole("group", { name: "Which colour?" });
const message = (page: Page): Locator => page.locator("main").getByRole("textbox", { name: "Message" });

/** Resolves with what the plugin was told, once it was. */
const ask = (rendererId = "colour") =>
  server.api<{ result: unknown }>("/plugins/asking/rpc/ask", { threadId, rendererId }).then(({ result }) => result);

test("a form without a way out is declined with the keyboard, and the message has the focus again", async ({ page }, info) => {
  await open(page, `${server.url}/threads/${threadId}`);
  const answer = ask();
  await expect(card(page)).toBeVisible();
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 720 });
    await expectNoSidewaysScroll(page, "the form of a plugin");
    await expectAccessible(page, `the form of a plugin, ${colorScheme}`);
    await page.screenshot({ path: info.outputPath(`form-${colorScheme}-${width}.png`) });
  }
  await card(page).focus();
  await page.keyboard.press("Tab");
  await expect(card(page).getByRole("button", { name: "Blue" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(card(page).getByRole("button", { name: "Close without answering" })).toBeFocused();
  await page.keyboard.press("Enter");
  expect(await answer).toEqual({ outcome: "cancelled", reason: "user" });
  await expect(card(page)).toHaveCount(0);
  await expect(message(page)).toBeFocused();
});

test("a form that the plugin does not have says so, and is cancelled", async ({ page }) => {
  await open(page, `${server.url}/threads/${threadId}`);
  const answer = ask("nobody");
  await expect(card(page)).toContainText("Asking cannot show its question in this window: the plugin has no form “nobody”.");
  await expectAccessible(page, "a form that is not there");
  await card(page).getByRole("button", { name: "Cancel" }).click();
  expect(await answer).toEqual({ outcome: "cancelled", reason: "user" });
  await expect(card(page)).toHaveCount(0);
});

test("of two windows one answers; the other loses the form, keeps what is written there and says how it ended", async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  await open(page, `${server.url}/threads/${threadId}`);
  await open(other, `${server.url}/threads/${threadId}`);
  await message(other).fill("half a thought");
  const answer = ask();
  await expect(card(other)).toBeVisible();
  await card(page).getByRole("button", { name: "Blue" }).click();
  expect(await answer).toEqual({ outcome: "submitted", value: "blue" });
  await expect(card(page)).toHaveCount(0);
  await expect(card(other)).toHaveCount(0);
  await expect(other.locator("main").getByText("It was answered elsewhere.")).toBeVisible();
  await expect(page.locator("main").getByText("It was answered elsewhere.")).toHaveCount(0);
  await expect(message(other)).toHaveValue("half a thought");
  // A draft is of one window; the other has its own.
  await expect(message(page)).toHaveValue("");
  await other.close();
});
