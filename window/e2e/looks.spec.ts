// Every page in every look, compared with the pictures in e2e/looks: a page that changes is a picture that is reviewed.
// `scripts/screenshots --looks` takes them anew.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";

import { atFixedTime, type Pictured, startPictured } from "./support/pictured.js";
import { kRoot } from "./support/plugins.js";
import { kBuild } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

const kPictures = join(kRoot, "window/e2e/looks");
/** What the pictures were taken with. Another browser or other fonts draw every page a little differently. */
const kRenderer = join(kPictures, "renderer.txt");
/** Dark has the colours of each width in any of them; the widths have their layouts in light. */
const kLooks = [
  ["light", 390],
  ["light", 1024],
  ["light", 1440],
  ["dark", 390],
  ["dark", 1440],
] as const;

interface Place {
  /** Of the picture. */
  readonly name: string;
  /** In the router, whose places all are here. */
  readonly route: string;
  readonly path: (pictured: Pictured) => string;
  /** What shows that the page is there. */
  readonly ready: (main: Locator) => Locator;
}

const heading = (name: string | RegExp) => (main: Locator) => main.getByRole("heading", { name }).first();

const kPlaces: readonly Place[] = [
  { name: "home", route: "", path: () => "/", ready: (main) => main.getByRole("textbox", { name: "New thread" }) },
  { name: "plugins", route: "plugins", path: () => "/plugins", ready: (main) => main.getByRole("link", { name: "Heartbeat" }) },
  {
    name: "plugin",
    route: "plugins/:pluginId",
    path: () => "/plugins/heartbeat",
    ready: (main) => main.getByText("weekly-report").first(),
  },
  {
    name: "plugin-page",
    route: "plugins/:pluginId/:panelPath/*",
    path: () => "/plugins/todo/todos",
    ready: (main) => main.getByText("1 of 4 done"),
  },
  { name: "plugin-settings", route: "settings/plugins/:pluginId", path: () => "/settings/plugins/greeter", ready: heading("Greeter") },
  {
    name: "plugin-logs",
    route: "settings/plugins/:pluginId/logs",
    path: () => "/settings/plugins/greeter/logs",
    ready: heading("Logs"),
  },
  { name: "settings", route: "settings", path: () => "/settings", ready: heading("General") },
  { name: "appearance", route: "settings/:section", path: () => "/settings/appearance", ready: heading("Appearance") },
  { name: "shortcuts", route: "settings/:section", path: () => "/settings/shortcuts", ready: heading(/shortcuts/) },
  { name: "about", route: "settings/:section", path: () => "/settings/about", ready: heading("About") },
  { name: "agents", route: "settings/agents", path: () => "/settings/agents", ready: heading("Recent calls") },
  { name: "log", route: "settings/log", path: () => "/settings/log", ready: heading("Log") },
  { name: "machines", route: "settings/machines", path: () => "/settings/machines", ready: heading("Machines") },
  {
    name: "machine",
    route: "settings/machines/:hostId",
    path: ({ host }) => `/settings/machines/${host}`,
    ready: (main) => main.getByRole("heading").first(),
  },
  { name: "projects", route: "settings/projects", path: () => "/settings/projects", ready: (main) => main.getByText("shop").first() },
  {
    name: "project",
    route: "settings/projects/:projectId",
    path: ({ project }) => `/settings/projects/${project}`,
    ready: heading("shop"),
  },
  {
    name: "environment",
    route: "environments/:environmentId",
    path: ({ environment }) => `/environments/${environment}`,
    ready: (main) => main.getByRole("heading").first(),
  },
  { name: "threads", route: "threads", path: () => "/threads", ready: (main) => main.getByText("Write down how a release is made") },
  {
    name: "thread",
    route: "threads/:threadId",
    path: ({ asking }) => `/threads/${asking}`,
    ready: (main) => main.locator("diffs-container").first(),
  },
  {
    name: "thread-done",
    route: "projects/:projectId/threads/:threadId",
    path: ({ project, done }) => `/projects/${project}/threads/${done}`,
    ready: (main) => main.getByText("It stands in"),
  },
  { name: "inbox", route: "inbox", path: () => "/inbox", ready: heading("Inbox") },
  { name: "skills", route: "skills", path: () => "/skills", ready: heading("Skills") },
  { name: "skill-gone", route: "skills/:skillId", path: () => "/skills/nobody", ready: (main) => main.getByText("All skills") },
  { name: "files", route: "files", path: (all) => `/files?path=${all.folder}`, ready: (main) => main.getByText("README.md") },
  {
    name: "file",
    route: "files/:hostId",
    path: ({ host, folder }) => `/files/${host}?path=${folder}&file=README.md`,
    ready: (main) => main.getByText("A shop of its own"),
  },
  { name: "terminals", route: "terminals", path: () => "/terminals", ready: (main) => main.getByText("No terminal is open") },
  {
    name: "terminal-gone",
    route: "terminals/:terminalId",
    path: () => "/terminals/nobody",
    ready: (main) => main.getByText("All machines"),
  },
  { name: "form-gone", route: "forms/:formId", path: () => "/forms/nobody", ready: (main) => main.getByRole("heading").first() },
  { name: "not-found", route: "*", path: () => "/no/such/page", ready: (main) => main.getByRole("heading").first() },
];

let pictured: Pictured;

test("every place of the router is pictured", () => {
  const router = readFileSync(join(kRoot, "window/src/router.tsx"), "utf8");
  const routes = [...router.matchAll(/\bpath: "([^"]+)"(?!, element)/g)].map(([, path]) => path);
  expect(routes.length).toBeGreaterThan(20);
  expect(new Set(kPlaces.map(({ route }) => route))).toEqual(new Set(["", ...routes]));
});

test.describe("pictures", () => {
  test.describe.configure({ timeout: 90_000 });
  test.beforeAll(async ({ browser }) => {
    test.setTimeout(90_000);
    const page = await browser.newPage();
    // Letters of every weight tell fonts and their drawing apart.
    await page.setContent('<p style="font: 13px system-ui">Hamburgefonstiv 0123</p><b>svc</b> <code>{ svc }</code>');
    const letters = createHash("sha256")
      .update(await page.screenshot())
      .digest("hex");
    await page.close();
    const renderer = `Chromium ${browser.version()}\nletters ${letters}\n`;
    if (test.info().config.updateSnapshots === "all") {
      writeFileSync(kRenderer, renderer);
    }
    test.skip(
      !existsSync(kRenderer) || readFileSync(kRenderer, "utf8") !== renderer,
      "another browser, or other fonts, than the pictures have",
    );
    pictured = await startPictured();
  });
  test.afterAll(() => pictured?.close());

  for (const { name, path, ready } of kPlaces) {
    test(`${name} looks as it did`, async ({ page }) => {
      await atFixedTime(page, pictured.server);
      await withFixedLogs(page);
      await withOneMeasurement(page);
      await page.setViewportSize({ width: 1440, height: 900 });
      await open(page, pictured.server.url + path(pictured));
      await expect(ready(page.locator("main"))).toBeVisible();
      await withoutChance(page);
      for (const [colorScheme, width] of kLooks) {
        await page.emulateMedia({ colorScheme });
        await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
        await page.setViewportSize({ width, height: 900 });
        await expectPicture(page, `${name}-${colorScheme}-${width}.png`);
      }
      await page.unrouteAll({ behavior: "ignoreErrors" });
    });
  }
});

const kBegan = Date.parse("2026-03-02T07:30:00Z");
const kLogs = [
  {
    api: "**/api/v1/system/log?*",
    lines: [
      { ts: kBegan, level: "info", logger: "server", message: "listening on http://127.0.0.1:4700" },
      { ts: kBegan + 412, level: "info", logger: "plugins", message: "[greeter#1] running" },
      { ts: kBegan + 60_000, level: "warning", logger: "hosts", message: 'The machine "builder" is away: its connection was lost.' },
      { ts: kBegan + 61_500, level: "error", logger: "plugins", message: "[todo#1] rpc todos_add: the title is empty" },
    ],
  },
  {
    api: "**/api/v1/plugins/*/logs?*",
    lines: [
      { seq: 1, ts: kBegan, level: "info", generation: 1, source: "server", message: "Ready to greet." },
      { seq: 2, ts: kBegan + 1_000, level: "warn", generation: 1, source: "app", message: "Nobody is here to be greeted." },
      {
        seq: 3,
        ts: kBegan + 2_000,
        level: "error",
        generation: 2,
        source: "server",
        message: "No name",
        stack: "Error: No name\n    at greet (server.ts:12:9)",
      },
    ],
  },
];

/** Logs of a real start differ in their number and order of lines. */
async function withFixedLogs(page: Page): Promise<void> {
  for (const { api, lines } of kLogs) {
    await page.route(api, (route) =>
      route.fulfill({ json: { ok: true, lines: lines.map((line) => JSON.stringify(line)), cursor: 3, anew: true } }),
    );
  }
}

/** A chart has a point more with each answer: it gets one, and waits for the next. */
async function withOneMeasurement(page: Page): Promise<void> {
  let answered = 0;
  await page.route("**/api/v1/plugins/top", async (route) => {
    answered += 1;
    if (answered === 1) {
      await route.fallback();
    }
  });
}

/** Icons come by themselves, what plugins show in their rows with the plugins; the rest differs from run to run and machine to machine. */
async function withoutChance(page: Page): Promise<void> {
  const rows = page.getByRole("list", { name: "Plugin pages" }).getByRole("link");
  await expect(rows.filter({ hasNot: page.locator("svg") })).toHaveCount(0);
  await expect(page.locator('[data-sidebar="sidebar"]').getByText("2 unread")).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  const { server, host, project, environment } = pictured;
  const { version } = await server.api<{ version: string }>("/system/version");
  const sdk = JSON.parse(readFileSync(join(kRoot, "sdk/package.json"), "utf8")) as { version: string };
  await page.evaluate(
    ({ words, parts }) => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        const shown = text.nodeValue ?? "";
        text.nodeValue = words[shown] ?? parts.reduce((all, [from, to]) => all.replaceAll(from, to), shown);
      }
    },
    {
      words: { [hostname()]: "workshop", [version]: "1.2.3", [sdk.version]: "1.2.3", [basename(server.scratch)]: "plugins" } as Record<
        string,
        string
      >,
      parts: [
        [server.url, "http://127.0.0.1:4700"],
        [host, "host_0123456789"],
        [project, "proj_0123456789"],
        [environment, "env_0123456789"],
        [kBuild, "/usr"],
        [await page.evaluate(() => navigator.userAgent), "Chromium"],
      ] as [string, string][],
    },
  );
}

/** Most are the same to the byte, which takes a tenth of the time that a comparison of what is drawn does. */
async function expectPicture(page: Page, name: string): Promise<void> {
  const file = join(kPictures, name);
  if (existsSync(file) && readFileSync(file).equals(await page.screenshot({ animations: "disabled", caret: "hide" }))) {
    return;
  }
  await expect.soft(page).toHaveScreenshot(name);
}
