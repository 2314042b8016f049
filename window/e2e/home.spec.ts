// The first page: what waits, works, failed and comes next, and the pages of plugins.
import { expectEveryLook } from "./support/axe.js";
import { example, fixture } from "./support/plugins.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let agents: ScriptedAgents;

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

test.beforeAll(async () => {
  agents = scriptedAgents({ asker: { turns: [[{ request: kAsk }, { text: "Made." }]] } });
  server = await startServer({ config: { agents: agents.config } });
  await server.install(example(server.scratch, "heartbeat"));
  await server.install(example(server.scratch, "todo"));
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});

const part = (page: Page, name: string) => page.locator("main").getByRole("region", { name, exact: true });

test("what goes on is on the first page, which follows it and leads there", async ({ page }) => {
  await expect
    .poll(async () => (await server.api<{ providers: { available: boolean }[] }>("/providers")).providers.some((each) => each.available))
    .toBe(true);
  await open(page, server.url);
  await expect(part(page, "Next").getByRole("link", { name: /weekly-report/ })).toBeVisible();
  await expect(part(page, "Did not work")).toHaveCount(0);
  await expect(part(page, "Waits for you")).toHaveCount(0);

  const broken = fixture(server.scratch, "failing");
  await server.install(broken).catch(() => undefined);
  await expect(part(page, "Did not work").getByRole("link", { name: /the factory refuses/ })).toBeVisible();

  await server.mustRun("thread", "start", "Make all of it", "--provider", "asker", "--title", "Make", "--project", "Personal");
  await expect(part(page, "Waits for you").getByRole("link", { name: /Make/ })).toBeVisible();
  await expectEveryLook(page, "the first page");
  await page.setViewportSize({ width: 1280, height: 800 });
  await part(page, "Waits for you").getByRole("link", { name: /Make/ }).click();
  await expect(page).toHaveURL(/\/threads\/[^/]+$/);
  await page.locator("main").getByRole("button", { name: "Allow once" }).click();
  await page.goBack();
  await expect(part(page, "Waits for you")).toHaveCount(0);

  await part(page, "Pages").getByRole("link", { name: "Todos" }).click();
  await expect(page).toHaveURL(/\/plugins\/todo\//);
});
