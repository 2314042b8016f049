// Every state that a thread can be in is said in words, for everybody. States that last a moment only, or need a machine that is lost, are put
// into the service's answers.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;
let bare: Server;
let agents: ScriptedAgents;
let threadId: string;

const kAskForChange = {
  method: "session/request_permission",
  params: {
    sessionId: "scripted-session",
    toolCall: {
      toolCallId: "c1",
      title: "Edit",
      kind: "edit",
      content: [{ type: "diff", path: "src/a_folder_with_a_long_name/door.txt", oldText: "green", newText: "blue" }],
    },
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  },
};

test.beforeAll(async () => {
  agents = scriptedAgents({
    talker: { turns: [[{ text: "The door is blue now." }]] },
    changer: { turns: [[{ request: kAskForChange, say: true }]] },
  });
  server = await startServer({ config: { agents: agents.config } });
  bare = await startServer();
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
  await bare?.close();
  agents?.remove();
});

type Change = Record<string, unknown> & { displayStatus?: string; grace?: number };

/** Has the service say something else of the thread, and of what waits in it. */
async function pretend(page: Page, { displayStatus, grace, ...record }: Change, waiting: readonly object[] = []): Promise<void> {
  await page.route(`**/api/v1/threads/${threadId}`, async (route) => {
    const answer = (await (await route.fetch()).json()) as { thread: { runtime: object } };
    const runtime = {
      ...answer.thread.runtime,
      ...(displayStatus === undefined ? {} : { displayStatus }),
      ...(grace === undefined ? {} : { hostReconnectGraceExpiresAt: Date.now() + grace }),
    };
    await route.fulfill({ json: { ...answer, thread: { ...answer.thread, ...record, runtime } } });
  });
  await page.route(`**/api/v1/threads/${threadId}/queued-messages`, (route) =>
    route.fulfill({ json: { ok: true, queuedMessages: waiting } }),
  );
}

const kQueued = {
  id: "qm_1",
  content: [{ type: "text", text: "Then the roof" }],
  sendAt: null,
  groupWithNext: false,
  payload: { kind: "inline" },
  editable: true,
  createdAt: 1,
  updatedAt: 1,
};
const queued = (waitingOn: object | null, more: object = {}) => [{ ...kQueued, threadId, waitingOn, ...more }];

const kBusy = { status: "active", displayStatus: "active" };
const kStates: readonly [name: string, change: Change, words: string | RegExp, waiting?: () => object[]][] = [
  ["starting", { status: "starting", displayStatus: "starting" }, "The agent starts"],
  [
    "provisioning",
    { status: "starting", displayStatus: "provisioning" },
    "Waits until the agent begins",
    () => queued({ kind: "thread-busy" }),
  ],
  ["machine-away", { status: "active", displayStatus: "host-reconnecting", grace: 55_000 }, /goes on when it is back within \d+ s/],
  ["machine-not-connected", { status: "starting", displayStatus: "waiting-for-host" }, "The machine is not connected"],
  ["stopping", { status: "stopping", displayStatus: "stopping" }, "The agent is being stopped"],
  ["failed", { status: "error", displayStatus: "error" }, "The last turn failed"],
  ["archived", { archivedAt: 1 }, "This thread is archived"],
  ["deleted", { deletedAt: 1 }, "This thread is deleted"],
  ["agent-gone", { providerId: "nobody" }, "The agent “nobody” is gone"],
  ["queued-busy", kBusy, "Waits until the agent is done", () => queued({ kind: "thread-busy" })],
  [
    "queued-plugin",
    kBusy,
    "Held by gate: the budget is used up",
    () => queued({ kind: "plugin", pluginId: "gate", reason: "the budget is used up" }),
  ],
  [
    "queued-together",
    kBusy,
    "Together with the one before",
    () => [...queued({ kind: "thread-busy" }, { groupWithNext: true }), ...queued({ kind: "thread-busy" }, { id: "qm_2" })],
  ],
];

for (const [name, change, words, waiting] of kStates) {
  test(`a thread says that it is ${name}`, async ({ page }, info) => {
    await pretend(page, change, waiting?.() ?? []);
    await open(page, `${server.url}/threads/${threadId}`);
    const said = page.locator("main").getByText(words).first();
    await expect(said).toBeVisible();
    await page.screenshot({ path: info.outputPath(`${name}-light-1280.png`) });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 720 });
    await expect(said).toBeVisible();
    await expectNoSidewaysScroll(page, name);
    await expectAccessible(page, `a thread that is ${name}`);
    await page.screenshot({ path: info.outputPath(`${name}-dark-390.png`) });
  });
}

test("a thread that is not there says so, as does one that is deleted while it is shown", async ({ page }) => {
  await open(page, `${server.url}/threads/thr_nobody`);
  await expect(page.getByText("This thread is not here")).toBeVisible();
  await expectAccessible(page, "a thread that is not there");
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: "talker",
    input: [{ type: "text", text: "For a moment" }],
  });
  await open(page, `${server.url}/threads/${thread.id}`);
  await expect(page.getByRole("article", { name: "Answer" })).toContainText("blue");
  await server.api(`/threads/${thread.id}`, undefined, "DELETE");
  await expect(page.getByText("This thread has been deleted")).toBeVisible();
});

test("without an agent, the first page says what to do", async ({ page }) => {
  await open(page, bare.url);
  await expect(page.getByRole("heading", { name: "No agent is connected" })).toBeVisible();
});

test("on a narrow screen a change that waits still says of which file", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 720 });
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: "changer",
    input: [{ type: "text", text: "Paint the door" }],
  });
  await open(page, `${server.url}/threads/${thread.id}`);
  const row = page.getByRole("button", { name: /^Wants to change/ });
  const box = async (part: Locator) => (await part.boundingBox())!;
  await expect(row).toBeVisible();
  const path = await box(row.getByText("src/a_folder_with_a_long_name/door.txt"));
  expect(path.width).toBeGreaterThan(150);
  const [whole, arrow] = [await box(row), await box(row.locator("svg").last())];
  expect(arrow.x + arrow.width).toBeLessThanOrEqual(whole.x + whole.width);
});
