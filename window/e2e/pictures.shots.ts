// The pictures of README and guide: real plugins on a real server, the same every time. Run by scripts/screenshots.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { example, fixture, kRoot } from "./support/plugins.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

const kImages = join(kRoot, "docs/images");
/** Any moment will do; the same one each time keeps what is shown the same. */
const kNow = Date.parse("2026-03-02T09:30:00Z");
/** When the schedules of the pictured plugins run next, as seen at `kNow`, a Monday. */
const kNextRuns: { readonly [cron: string]: number } = {
  "* * * * *": kNow + 60_000,
  "0 9 * * mon": Date.parse("2026-03-09T09:00:00Z"),
};
const kWide = { width: 1200, height: 750 };
const kHigh = { width: 1200, height: 860 };
const kNarrow = { width: 390, height: 750 };

let server: Server;
let agents: ScriptedAgents;
let asking: string;

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

/** A project with two threads, one of which asks something. */
async function startThreads(): Promise<string> {
  const folder = join(server.scratch, "shop");
  mkdirSync(folder);
  await expect
    .poll(
      async () =>
        (await server.api<{ providers: { available: boolean }[] }>("/providers")).providers.filter((each) => each.available).length,
    )
    .toBe(2);
  const { hosts } = await server.api<{ hosts: { id: string }[] }>("/hosts");
  const source = { type: "local_path", hostId: hosts[0]!.id, path: folder };
  const { project } = await server.api<{ project: { id: string } }>("/projects", { name: "shop", source });
  const spawn = async (
    providerId: string,
    text: string,
    until: (thread: { status: string; hasPendingInteraction: boolean }) => boolean,
  ) => {
    const body = { projectId: project.id, environment: { type: "project-default" }, providerId, input: [{ type: "text", text }] };
    const { thread } = await server.api<{ thread: { id: string } }>("/threads", body);
    const read = async () => (await server.api<{ thread: Parameters<typeof until>[0] }>(`/threads/${thread.id}`)).thread;
    await expect.poll(async () => until(await read())).toBe(true);
    return thread.id;
  };
  const done = await spawn("codex", "Write down how a release is made", ({ status }) => status === "idle");
  await server.api(`/threads/${done}/mark-read`, {});
  return spawn("claude", "Why does the test of the cart fail?", ({ hasPendingInteraction }) => hasPendingInteraction);
}

test.use({ deviceScaleFactor: 1.5 });

test.beforeAll(async () => {
  mkdirSync(kImages, { recursive: true });
  agents = scriptedAgents({
    claude: { on: { "session/new": kSession }, turns: [kTurn] },
    codex: { turns: [[{ text: "It stands in `RELEASE.md` now." }]] },
  });
  agents.config.claude!.displayName = "Claude";
  agents.config.codex!.displayName = "Codex";
  server = await startServer({ config: { agents: agents.config } });
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
  asking = await startThreads();
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});
test.beforeEach(({ page }) => page.setViewportSize(kWide));

/** When everything began, and when it was done. */
const kBegan = kNow - 7_200_000;
const kDone = kBegan + 2_300;
const kPictured = new Set([...Object.values(kNextRuns), kDone]);

/** As a reviver of `JSON.parse`. */
function withTimes(this: { cron?: string }, key: string, value: unknown): unknown {
  if (key === "lastRunAt" || key === "lastStatus") {
    return null; // whether a minute began meanwhile is chance
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
async function atFixedTime(page: Page): Promise<void> {
  await page.clock.setFixedTime(kNow);
  await page.route(/\/api\/v1\/(plugins|threads|projects|environments)\b/, async (route) => {
    const answer = await route.fetch();
    if (!(answer.headers()["content-type"] ?? "").includes("json")) {
      await route.fulfill({ response: answer });
      return;
    }
    const text = await answer.text();
    const body = JSON.stringify(JSON.parse(text, withTimes))
      .replaceAll(server.scratch, "/home/ada/plugins")
      .replace(/\b1[789]\d{11}\b/g, (time) => (kPictured.has(Number(time)) ? time : String(kBegan)))
      .replace(/"loadMs":\d+/g, '"loadMs":38')
      .replace(/"cpuPercent":[\d.]+/g, '"cpuPercent":1.4')
      .replace(/"heapBytes":\d+/g, '"heapBytes":9437184')
      .replace(/"loopDelayP99Ms":[\d.]+/g, '"loopDelayP99Ms":1.2');
    await route.fulfill({ response: answer, body });
  });
}

/** WebP, by the browser that is there anyway: a third of the same picture as PNG. */
async function shoot(page: Page, name: string): Promise<void> {
  const rows = page.getByRole("list", { name: "Plugin pages" }).getByRole("link");
  if ((await rows.count()) > 0) {
    // Icons come by themselves, what plugins show in their rows with the plugins.
    await expect(rows.filter({ hasNot: page.locator("svg") })).toHaveCount(0);
    await expect(page.locator('[data-sidebar="sidebar"]').getByText("2 unread")).toBeVisible();
  }
  await page.evaluate(() => document.fonts.ready);
  const png = await page.screenshot({ animations: "disabled", caret: "hide" });
  const webp = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.85 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, png.toString("base64"));
  writeFileSync(join(kImages, `${name}.webp`), Uint8Array.from(webp));
}

async function openTodos(page: Page): Promise<void> {
  await open(page, `${server.url}/plugins/todo/todos`);
  await expect(page.getByText("1 of 4 done")).toBeVisible();
  await page.mouse.move(0, 0);
}

test("a page of a plugin, light, dark and narrow", async ({ page }) => {
  await openTodos(page);
  await expect(page.locator('[data-sidebar="sidebar"]').getByText("2 unread")).toBeVisible();
  await shoot(page, "window-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "window-dark");
  await page.setViewportSize(kNarrow);
  await expect(page.getByRole("button", { name: "Open navigation" })).toBeVisible();
  await shoot(page, "window-narrow");
});

test("the new-thread page", async ({ page }) => {
  await atFixedTime(page);
  await open(page, server.url);
  await expect(page.getByRole("button", { name: /^Review/ })).toBeVisible();
  await shoot(page, "window-home");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "window-home-dark");
});

test("a thread whose agent asks, light and dark", async ({ page }) => {
  await page.setViewportSize(kHigh);
  await atFixedTime(page);
  await open(page, `${server.url}/threads/${asking}`);
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  // With the patch as it is drawn, which replaces its lines as they came.
  await expect(page.locator("main diffs-container").first()).toBeVisible();
  await shoot(page, "window-thread");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "window-thread-dark");
});

test("management: one plugin, dark", async ({ page }) => {
  await atFixedTime(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, `${server.url}/plugins/heartbeat`);
  await expect(page.getByText("weekly-report").first()).toBeVisible();
  await shoot(page, "window-plugin");
});

test("settings with a section of the plugin's own", async ({ page }) => {
  await open(page, `${server.url}/settings/plugins/greeter`);
  await expect(page.getByText("Hello, Ada! (signed with nothing)")).toBeVisible();
  await shoot(page, "window-settings");
});

test("the palette", async ({ page }) => {
  await openTodos(page);
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").first().pressSequentially("focus");
  await expect(page.getByRole("option", { name: /Start a focus session/ })).toBeVisible();
  await shoot(page, "window-palette");
});

test("a new version that fails", async ({ page, watch }) => {
  const fragile = fixture(server.scratch, "fragile", { id: "weather", name: "Weather" });
  fragile.edit("app.tsx", 'title: "Fragile"', 'title: "Weather"');
  fragile.edit("app.tsx", 'icon: "Egg"', 'icon: "CloudRain"');
  fragile.edit("app.tsx", /\s*app\.slots\.navPanel\(\{ id: "sound".*/, "");
  fragile.edit("app.tsx", /\s*app\.slots\.homepageSection.*/, "");
  fragile.edit(
    "app.tsx",
    /return \(\s*<div className="p-6">[\s\S]*?\n {2}\);\n\}/,
    'return <p className="p-6">12 °C in Leiden, light rain</p>;\n}',
  );
  await server.install(fragile);
  await open(page, `${server.url}/plugins/weather/page`);
  await expect(page.getByText("12 °C in Leiden, light rain")).toBeVisible();
  fragile.edit("app.tsx", "export default", 'throw new Error("forecast.json is missing");\nexport default');
  await server.reload(fragile);
  const mark = page.getByText("Showing the previous version").first();
  await expect(mark).toBeVisible();
  await mark.click();
  await expect(page.getByRole("button", { name: "Retry" }).first()).toBeVisible();
  await page.getByText(/^Phase load, /).evaluate((line) => (line.textContent = "Phase load, 2 Mar 2026, 09:30:00"));
  await shoot(page, "window-previous-version");
  await server.mustRun("plugin", "remove", "weather", "--yes");
  watch.errors.length = 0;
});
