// Versions of plugins from a repository: which of its plugins, the update, and the way back.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let repository: string;

function git(...args: string[]): void {
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...args], { cwd: repository, stdio: "ignore" });
}

function write(file: string, text: string): void {
  const path = join(repository, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A plugin that counts its loads, so that it has something to lose. */
function release(name: string, version: string): void {
  write(
    `plugins/${name}/package.json`,
    JSON.stringify({ name: `svc-plugin-${name}`, version, type: "module", svc: { server: "server.js" } }),
  );
  write(
    `plugins/${name}/server.js`,
    `export default async (svc) => { await svc.storage.kv.set("loads", ((await svc.storage.kv.get("loads")) ?? 0) + 1); };\n`,
  );
  git("add", "--all");
  git("commit", "--quiet", "-m", version);
}

test.beforeAll(async () => {
  server = await startServer({ config: { updates: { check: false } } });
  repository = join(server.scratch, "repository");
  mkdirSync(repository);
  git("init", "--quiet", "--initial-branch=main", ".");
  write("package.json", JSON.stringify({ name: "all", private: true }));
  write(
    ".svc/plugins.json",
    JSON.stringify({ schemaVersion: 1, name: "all", plugins: ["one", "two"].map((name) => ({ name, source: `./plugins/${name}` })) }),
  );
  release("one", "1.0.0");
  release("two", "1.0.0");
});
test.afterAll(() => server?.close());

const main = (page: Page) => page.locator("main");

test("of a repository with several plugins one is chosen from a list", async ({ page }) => {
  await open(page, `${server.url}/plugins`);
  await main(page)
    .getByRole("button", { name: /Install/ })
    .first()
    .click();
  await page.getByLabel("Source").fill(`git:file://${repository}`);
  await page.getByRole("button", { name: "Continue" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Which plugin?" })).toBeVisible();
  await expectAccessible(page, "the choice of a plugin");
  await page.screenshot({ path: test.info().outputPath("choice.png") });
  await page.setViewportSize({ width: 320, height: 720 });
  await expectNoSidewaysScroll(page, "the choice of a plugin");
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("radio", { name: /two/ }).check();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog).toContainText("svc-plugin-two");
  await dialog.getByRole("checkbox", { name: /trust/i }).click();
  await dialog.getByRole("button", { name: "Install", exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/plugins/two`);
  const refused = await server.cli("plugin", "install", "--yes", `git:file://${repository}`);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain("one, two");
  await server.mustRun("plugin", "remove", "two", "--yes");
});

test("an update is rolled back by hand, after it was said what that costs", async ({ page }) => {
  // Of its own, whatever the test before left.
  await server.api("/plugins/install", { source: `git:file://${repository}`, selection: { kind: "entry", name: "one" } });
  release("one", "2.0.0");
  const updated = server.api<{ outcome: string }>("/plugins/one/update", {}).catch((error: unknown) => error);
  const version = async () => (await server.api<{ plugin: { version: string; status: string } }>("/plugins/one")).plugin;
  await expect.poll(version, { timeout: 30_000 }).toMatchObject({ version: "2.0.0", status: "running" });
  // A change of the plugin ends the half minute in which the update is watched.
  await server.api("/plugins/one/disable", {});
  await updated;
  await server.api("/plugins/one/enable", {});

  await open(page, `${server.url}/plugins/one`);
  await main(page).getByRole("button", { name: "Roll back to 1.0.0…" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("Lost: everything it has stored since then.");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page, "the rollback dialog");
  await page.screenshot({ path: test.info().outputPath("rollback-light.png") });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 320, height: 720 });
  await expectAccessible(page, "the rollback dialog, narrow and dark");
  await expectNoSidewaysScroll(page, "the rollback dialog");
  await page.screenshot({ path: test.info().outputPath("rollback-dark-narrow.png") });
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("button", { name: "Roll back to 1.0.0" }).click();

  await expect(main(page).getByText("2.0.0 was rolled back by hand")).toBeVisible();
  await expect(main(page).getByRole("button", { name: "Roll back to 1.0.0…" })).toHaveCount(0);
  await expect.poll(version).toMatchObject({ version: "1.0.0", status: "running" });
  await expectAccessible(page, "the page after a rollback");
  await page.screenshot({ path: test.info().outputPath("after-dark.png"), fullPage: true });
  // All that have an update leave the one out that was rolled back.
  const all = await server.cli("plugin", "update", "--all", "--yes");
  expect(all.stderr).toContain("one 2.0.0 is left out");
  expect(await version()).toMatchObject({ version: "1.0.0" });
});
