// Skills of a real server: those of plugins and one's own, read, edited and removed in the window.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

const own = (name: string) => join(server.dataDir, "skills", name, "SKILL.md");
const text = (name: string, body: string) => `---\nname: ${name}\ndescription: When ${name} is needed.\n---\n# How\n\n${body}\n`;
function write(name: string, body: string): void {
  mkdirSync(join(server.dataDir, "skills", name, "scripts"), { recursive: true });
  writeFileSync(own(name), text(name, body));
  writeFileSync(join(server.dataDir, "skills", name, "scripts/run.sh"), "#!/bin/sh\necho running\n");
}

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "busy"));
});
test.afterAll(() => server?.close());

const main = (page: Page) => page.locator("main");

test("a list by where skills come from, which hears of new ones", async ({ page }) => {
  await open(page, `${server.url}/skills`);
  await expect(main(page).getByRole("list", { name: "Of plugins" }).getByRole("link", { name: "busy-work" })).toBeVisible();
  write("tea-making", "Boil **water**.");
  await expect(main(page).getByRole("list", { name: "Yours" }).getByRole("link", { name: "tea-making" })).toBeVisible();
  await page.getByRole("searchbox", { name: "Search skills" }).fill("tea");
  await expect(main(page).getByRole("link", { name: "busy-work" })).toHaveCount(0);
  await expectAccessible(page, "skills");
  await expectNoSidewaysScroll(page, "skills");
});

test("the page of a plugin leads to its skills", async ({ page }) => {
  await open(page, `${server.url}/plugins/busy`);
  await main(page).getByRole("link", { name: "busy-work" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "busy-work" })).toBeVisible();
  await expect(main(page)).toContainText("Run svc busy");
  await expect(page.getByRole("button", { name: "Edit" })).toHaveCount(0);
  await expectAccessible(page, "a skill of a plugin");
});

test("one of the user is read, edited and removed", async ({ page }) => {
  write("garden", "Water the *plants*.");
  await open(page, `${server.url}/skills`);
  await main(page).getByRole("link", { name: "garden" }).click();
  await expect(main(page).getByText("plants", { exact: true })).toBeVisible();
  await main(page).getByRole("link", { name: "scripts/run.sh" }).click();
  await expect(main(page)).toContainText("echo running");
  await page.getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "SKILL.md of garden" });
  await field.fill(text("garden", "Mine."));
  // Somebody else saves first.
  writeFileSync(own("garden"), text("garden", "Theirs."));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The file has been changed meanwhile")).toBeVisible();
  await expectAccessible(page, "a conflict");
  expect(readFileSync(own("garden"), "utf8")).toContain("Theirs.");
  await page.getByRole("button", { name: "Overwrite it" }).click();
  await expect(field).toHaveCount(0);
  expect(readFileSync(own("garden"), "utf8")).toContain("Mine.");
  await page.getByRole("button", { name: "Remove…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(page).toHaveURL(/\/skills$/);
  await expect(main(page).getByRole("link", { name: "garden" })).toHaveCount(0);
});

test("a folder that is no skill is named", async ({ page }) => {
  mkdirSync(join(server.dataDir, "skills/unfinished"), { recursive: true });
  await open(page, `${server.url}/skills`);
  await main(page).getByText("Show them").click();
  await expect(main(page)).toContainText("it has no SKILL.md");
});
