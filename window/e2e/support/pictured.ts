// What pictures show: real plugins and threads on a real server, the same every time.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { example } from "./plugins.js";
import { scriptedAgents } from "./scripted_agents.js";
import { type Server, startServer } from "./server.js";
import { expect, type Page } from "./test.js";

/** Any moment will do; the same one each time keeps what is shown the same. */
const kNow = Date.parse("2026-03-02T09:30:00Z");
/** When the schedules of the pictured plugins run next, as seen at `kNow`, a Monday. */
const kNextRuns: { readonly [cron: string]: number } = {
  "* * * * *": kNow + 60_000,
  "0 9 * * mon": Date.parse("2026-03-09T09:00:00Z"),
};
const kRead = {
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "npm test -- cart",
  kind: "execute",
  status: "completed",
  rawInput: { command: "npm test -- cart" },
  content: [{ type: "content", content: { type: "text", text: "1 failed: the total of an empty cart is NaN" } }],
};
const kEdit = {
  toolCallId: "t2",
  title: "Edit cart.ts",
  kind: "edit",
  content: [
    {
      type: "diff",
      path: "src/cart.ts",
      oldText: "export const total = (items) =>\n  items.map(({ price }) => price).reduce((sum, price) => sum + price);\n",
      newText: "export const total = (items) =>\n  items.map(({ price }) => price).reduce((sum, price) => sum + price, 0);\n",
    },
  ],
};
/** Of an agent that has the modes which the service asks for. */
const kSession = [
  {
    answer: {
      sessionId: "scripted-session",
      modes: {
        currentModeId: "default",
        availableModes: [
          { id: "default", name: "Default" },
          { id: "acceptEdits", name: "Accept edits" },
          { id: "bypassPermissions", name: "Bypass permissions" },
        ],
      },
    },
  },
];
/** What an agent says before it asks whether it may change a file. */
const kTurn = [
  { update: kRead },
  { text: "The test is right: `reduce` without a beginning fails for a cart with **nothing in it**. A zero at its end mends it." },
  {
    request: {
      method: "session/request_permission",
      params: {
        sessionId: "scripted-session",
        toolCall: kEdit,
        options: [
          { optionId: "yes", name: "Allow", kind: "allow_once" },
          { optionId: "always", name: "Always", kind: "allow_always" },
          { optionId: "no", name: "Reject", kind: "reject_once" },
        ],
      },
    },
  },
];

/** A server that pictures are taken of. */
export interface Pictured {
  readonly server: Server;
  /** The server's own machine, the project of the threads, where they work, the one that is done, and the one whose agent asks. */
  readonly host: string;
  readonly project: string;
  readonly folder: string;
  readonly environment: string;
  readonly done: string;
  readonly asking: string;
  close(): Promise<void>;
}

interface Started {
  readonly id: string;
  readonly environmentId: string;
  readonly status: string;
  readonly hasPendingInteraction: boolean;
}

/** A project with two threads, one of which asks something. */
async function startThreads(server: Server): Promise<Omit<Pictured, "server" | "close">> {
  const folder = join(server.scratch, "shop");
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "README.md"), "# Shop\n\nA shop of its own, with a cart.\n");
  writeFileSync(join(folder, "src/cart.ts"), "export const total = (items) => items.length;\n");
  await expect
    .poll(
      async () =>
        (await server.api<{ providers: { available: boolean }[] }>("/providers")).providers.filter((each) => each.available).length,
    )
    .toBe(2);
  const { hosts } = await server.api<{ hosts: { id: string }[] }>("/hosts");
  const source = { type: "local_path", hostId: hosts[0]!.id, path: folder };
  const { project } = await server.api<{ project: { id: string } }>("/projects", { name: "shop", source });
  const spawn = async (providerId: string, text: string, until: (thread: Started) => boolean) => {
    const body = { projectId: project.id, environment: { type: "project-default" }, providerId, input: [{ type: "text", text }] };
    const { thread } = await server.api<{ thread: { id: string } }>("/threads", body);
    const read = async () => (await server.api<{ thread: Started }>(`/threads/${thread.id}`)).thread;
    await expect.poll(async () => until(await read())).toBe(true);
    return await read();
  };
  const done = await spawn("codex", "Write down how a release is made", ({ status }) => status === "idle");
  await server.api(`/threads/${done.id}/mark-read`, {});
  const asking = await spawn("claude", "Why does the test of the cart fail?", ({ hasPendingInteraction }) => hasPendingInteraction);
  return { host: hosts[0]!.id, project: project.id, folder, environment: done.environmentId, done: done.id, asking: asking.id };
}

export async function startPictured(): Promise<Pictured> {
  const agents = scriptedAgents({
    claude: { on: { "session/new": kSession }, turns: [kTurn] },
    codex: { turns: [[{ text: "It stands in `RELEASE.md` now." }]] },
  });
  agents.config.claude!.displayName = "Claude";
  agents.config.codex!.displayName = "Codex";
  const server = await startServer({ config: { agents: agents.config } });
  for (const name of ["todo", "reading-list", "csv-view", "focus-timer", "greeter", "heartbeat", "prompt-kit"]) {
    await server.install(example(server.scratch, name));
  }
  const todo = (method: string, input: unknown) => server.api<{ result: { id: string } }>(`/plugins/todo/rpc/${method}`, input);
  const titles = ["Book the train to Leiden", "Reply to the landlord", "Water the tomatoes", "Return the library books"];
  const added: string[] = [];
  for (const title of titles) {
    added.push((await todo("todos_add", { title })).result.id);
  }
  await todo("todos_set_done", { id: added[1], done: true });
  for (const [title, url] of [
    ["The Rust book, chapter 4", "https://doc.rust-lang.org/book/"],
    ["How browsers load modules", "https://developer.mozilla.org/docs/Web/JavaScript/Guide/Modules"],
  ]) {
    await server.api("/plugins/reading-list/rpc/add", { title, url });
  }
  const threads = await startThreads(server);
  return {
    server,
    ...threads,
    close: async () => {
      await server.close();
      agents.remove();
    },
  };
}

/** When everything began, and when it was done. */
const kBegan = kNow - 7_200_000;
const kDone = kBegan + 2_300;
const kPictured = new Set([...Object.values(kNextRuns), kDone]);

/** As a reviver of `JSON.parse`. */
function withTimes(this: { cron?: string }, key: string, value: unknown): unknown {
  if (key === "lastRunAt" || key === "lastStatus") {
    return null; // whether a minute began meanwhile is chance
  }
  if (key === "handlerStats") {
    return { count: 0, totalMs: 0, maxMs: 0, errorCount: 0 };
  }
  if (key === "completedAt" && typeof value === "number") {
    return kDone;
  }
  if (key !== "nextRunAt") {
    return value;
  }
  const next = kNextRuns[this.cron ?? ""];
  if (next === undefined) {
    throw new Error(`when "${this.cron ?? ""}" runs next belongs into kNextRuns`);
  }
  return next;
}

/** Shows the server's answers as at `kNow` on somebody's machine: times, durations, directories and usage differ with every run. */
export async function atFixedTime(page: Page, server: Server): Promise<void> {
  await page.clock.setFixedTime(kNow);
  await page.route(/\/api\/v1\//, async (route) => {
    const answer = await route.fetch();
    if (!(answer.headers()["content-type"] ?? "").includes("json")) {
      await route.fulfill({ response: answer });
      return;
    }
    const text = await answer.text();
    const body = JSON.stringify(JSON.parse(text, withTimes))
      // Where files are is what the page asks for next.
      .replaceAll(server.scratch, /\/v1\/(files|hosts)\//.test(route.request().url()) ? server.scratch : "/home/ada/plugins")
      .replace(/\b1[789]\d{11}\b/g, (time) => (kPictured.has(Number(time)) ? time : String(kBegan)))
      .replace(/"loadMs":\d+/g, '"loadMs":38')
      .replace(/"cpuPercent":[\d.]+/g, '"cpuPercent":1.4')
      .replace(/"heapBytes":\d+/g, '"heapBytes":9437184')
      .replace(/"loopDelayP99Ms":[\d.]+/g, '"loopDelayP99Ms":1.2');
    await route.fulfill({ response: answer, body });
  });
}
