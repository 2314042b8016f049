// Bundles that do not work, at the first load and as updates.
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { fixture, kRoot, type PluginDirectory } from "./support/plugins.js";
import { logMessages, type Server, startServer } from "./support/server.js";
import { diagnostics, expect, open, type Page, test } from "./support/test.js";

let server: Server;
let fragile: PluginDirectory;
let counter: PluginDirectory;
let source: string;

test.beforeAll(async () => {
  server = await startServer();
  fragile = fixture(server.scratch, "fragile");
  counter = fixture(server.scratch, "counter");
  source = fragile.read("app.tsx");
  await server.install(fragile);
  await server.install(counter);
});
test.afterAll(() => server?.close());
test.afterEach(async () => {
  if (fragile.read("app.tsx") !== source) {
    fragile.write("app.tsx", source);
    await server.reload(fragile);
  }
});

const page_ = () => `${server.url}/plugins/fragile/page`;
const firstVersion = (page: Page) => page.getByText("fragile page, first version");

/** The other plugin's page works, reached through the sidebar. */
async function expectOthersWork(page: Page) {
  await page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Counter" }).click();
  await expect(page.getByTestId("count")).toHaveText(/\d/);
}

/** Source of an entry, the phase it fails in, and words the window must show. */
const kBadEntries = [
  {
    name: "throws when it is imported",
    text: 'throw new Error("the import refuses");\nexport default {};\n',
    phase: "load",
    says: /the import refuses/,
  },
  { name: "has no brand", text: "export default { setup() {} };\n", phase: "load", says: /definePluginApp/ },
  {
    name: "throws in setup",
    text: 'import { definePluginApp } from "@get-svc/plugin-sdk/app";\nexport default definePluginApp(() => {\n  throw new Error("the setup refuses");\n});\n',
    phase: "setup",
    says: /the setup refuses/,
  },
  {
    name: "registers the same panel twice",
    text: [
      'import { definePluginApp } from "@get-svc/plugin-sdk/app";',
      'const panel = { id: "page", title: "Page", icon: "Box", path: "page", component: () => null };',
      "export default definePluginApp((app) => {\n  app.slots.navPanel(panel);\n  app.slots.navPanel(panel);\n});\n",
    ].join("\n"),
    phase: "setup",
    says: /slots\.navPanel: duplicate id "page"/,
  },
] as const;

for (const { name, text, phase, says } of kBadEntries) {
  test(`an entry that ${name}: the previous version stays; without one the page says so; others work`, async ({ page }) => {
    await open(page, page_());
    await expect(firstVersion(page)).toBeVisible();
    fragile.write("app.tsx", text);
    await server.reload(fragile);
    const mark = page.getByRole("button", { name: "Showing the previous version" });
    await expect(mark).toBeVisible();
    await expect(firstVersion(page)).toBeVisible();
    expect(await diagnostics(page, "fragile")).toMatchObject({ state: "stale", lastFailure: { phase } });
    await mark.click();
    await expect(page.getByRole("dialog")).toContainText(says);
    await expect(page.getByRole("dialog").getByRole("button", { name: "Retry" })).toBeVisible();
    await page.keyboard.press("Escape");

    await page.reload();
    await expect(page.locator("main")).toContainText(says);
    expect(await diagnostics(page, "fragile")).toMatchObject({ state: "failed", lastFailure: { phase } });
    await expectOthersWork(page);
    // The failure is in the plugin's log, where its author looks.
    await expect.poll(async () => (await logMessages(server, fragile)).join("\n")).toMatch(says);

    // The next good version ends it.
    await page.goBack();
    fragile.write("app.tsx", source);
    await server.reload(fragile);
    await expect(firstVersion(page)).toBeVisible();
    await expect(mark).toHaveCount(0);
  });
}

/** What the service answers when it is asked for the bundle. */
type BundleAnswer = "garbage" | "gone" | "unreachable" | "good";

/** Answers requests for the bundle in place of the service, and counts what it answered otherwise. */
async function answerBundle(page: Page, first: BundleAnswer) {
  const bundle = { answer: first, spoilt: 0 };
  await page.route("**/plugins/fragile/assets/app.js*", (route) => {
    const { answer } = bundle;
    bundle.spoilt += answer === "good" ? 0 : 1;
    switch (answer) {
      case "garbage":
        return route.fulfill({ contentType: "text/javascript", body: "export default {{" });
      case "gone":
        return route.fulfill({
          status: 404,
          contentType: "application/json",
          body: '{"ok":false,"error":{"code":"unknown_asset","message":"gone"}}',
        });
      case "unreachable":
        return route.abort("connectionrefused");
      case "good":
        return route.continue();
    }
  });
  return bundle;
}

const retryButton = (page: Page) => page.locator("main").getByRole("button", { name: "Retry" });

test("a bundle that is no JavaScript: the page says so, others work, and a retry shows the next good answer", async ({ page }) => {
  const bundle = await answerBundle(page, "garbage");
  await open(page, page_());
  await expect(page.locator("main")).toContainText("the bundle is not valid JavaScript");
  expect(await diagnostics(page, "fragile")).toMatchObject({ state: "failed", lastFailure: { phase: "load" } });
  await expectOthersWork(page);

  await page.goBack();
  bundle.answer = "good";
  await retryButton(page).click();
  await expect(firstVersion(page)).toBeVisible();
});

test("a bundle that the service does not have any more: the page says so, and a retry shows the next good answer", async ({ page }) => {
  const bundle = await answerBundle(page, "gone");
  await open(page, page_());
  await expect(page.locator("main")).toContainText("the service does not have this version of the bundle any more");
  expect(await diagnostics(page, "fragile")).toMatchObject({ state: "failed", lastFailure: { phase: "load" } });
  await expectOthersWork(page);

  await page.goBack();
  bundle.answer = "good";
  await retryButton(page).click();
  await expect(firstVersion(page)).toBeVisible();
});

test("a bundle that cannot be fetched is tried again by itself", async ({ page }) => {
  const bundle = await answerBundle(page, "unreachable");
  await open(page, page_());
  // The import, and the question why it failed: from then on the window knows that nothing answers.
  await expect.poll(() => bundle.spoilt).toBeGreaterThanOrEqual(2);
  bundle.answer = "good";
  await expect(firstVersion(page)).toBeVisible();
  expect(await diagnostics(page, "fragile")).toMatchObject({ state: "active" });
});

test("an entry that does not build keeps the last good bundle, and the plugin's page says what is wrong", async ({ page }) => {
  await open(page, page_());
  await expect(firstVersion(page)).toBeVisible();
  fragile.write("app.tsx", "export default <<<;\n");
  await server.reload(fragile);
  await expect(firstVersion(page)).toBeVisible();
  await page.goto(`${server.url}/plugins/fragile`);
  await expect(page.locator("main")).toContainText("frontend bundle build failed");
  await expect(page.locator("main")).toContainText("app.tsx:1");
});

test("a bundle of 20 MB is refused with its size and the limit", async ({ page }) => {
  writeFileSync(join(fragile.dir, "huge.ts"), `export const huge = "${"x".repeat(20 * 1024 * 1024)}";\n`);
  fragile.write("app.tsx", `import { huge } from "./huge";\n${source.replace("first version", "{huge.length} bytes")}`);
  await server.reload(fragile);
  await open(page, `${server.url}/plugins/fragile`);
  await expect(page.locator("main")).toContainText("frontend bundle build failed");
  await expect(page.locator("main")).toContainText(/16 ?MiB|16777216|16,777,216/);
  await page.goto(page_());
  await expect(firstVersion(page)).toBeVisible();
});

test("a second React crashes the slot that uses it, and nothing else", async ({ page, watch }) => {
  // A copy under another name: the build cannot know it.
  copyFileSync(join(kRoot, "node_modules/react/cjs/react.production.js"), join(fragile.dir, "other_react.cjs"));
  fragile.write(
    "app.tsx",
    source
      .replace(
        'import { useState } from "react";',
        'import { useState } from "react";\n// @ts-expect-error no types\nimport * as Other from "./other_react.cjs";',
      )
      .replace("function SoundPage() {", "function SoundPage() {\n  Other.useState(0);"),
  );
  await server.reload(fragile);
  await open(page, `${server.url}/plugins/fragile/sound`);
  const card = page.getByRole("group", { name: "Fragile stopped working" });
  await expect(card).toBeVisible();
  // In the middle of what the page fills, not in its corner.
  const [inner, outer] = await Promise.all([card.boundingBox(), page.locator("main > :last-child").boundingBox()]);
  expect(Math.abs(inner!.x + inner!.width / 2 - (outer!.x + outer!.width / 2))).toBeLessThan(2);
  expect(Math.abs(inner!.y + inner!.height / 2 - (outer!.y + outer!.height / 2))).toBeLessThan(2);
  await page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Fragile" }).first().click();
  await expect(firstVersion(page)).toBeVisible();
  await expectOthersWork(page);
  watch.errors.length = 0;
});
