// Projects on a real server, whose own machine is asked about the folders.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { expectAccessible, expectEveryLook } from "./support/axe.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

const main = (page: Page) => page.locator("main");
const rows = (page: Page) => main(page).getByRole("list", { name: "Projects" }).getByRole("link");
const folder = (name: string) => {
  const path = join(server.scratch, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const hostId = async () => (await server.api<{ hosts: { id: string }[] }>("/hosts")).hosts[0]!.id;
const create = async (name: string) =>
  (
    await server.api<{ project: { id: string } }>("/projects", {
      name,
      source: { type: "local_path", hostId: await hostId(), path: folder(name) },
    })
  ).project.id;

test.beforeAll(async () => {
  server = await startServer();
  await expect.poll(async () => (await server.api<{ hosts: { status: string }[] }>("/hosts")).hosts[0]?.status).toBe("connected");
});
test.afterAll(() => server?.close());

test("a project is made from the keyboard, and its machine says what is there", async ({ page }) => {
  await open(page, `${server.url}/settings/projects`);
  await expect(main(page)).toContainText("No project yet");
  await expectAccessible(page, "the empty list of projects");
  await main(page).getByRole("button", { name: "New project" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New project" });
  await expect(dialog.getByLabel("Name")).toBeFocused();
  const shop = folder("shop");
  await dialog.getByLabel("Folder").fill(`${shop}-missing`);
  await expect(dialog.getByRole("alert")).toContainText("does not exist");
  await expectAccessible(page, "the dialog of a new project with an issue");
  await dialog.getByLabel("Folder").fill(shop);
  await expect(dialog).toContainText(`Found: ${shop}`);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "shop" })).toBeVisible();
  await expect(main(page).getByRole("list", { name: "Folders" })).toContainText(shop);
  await expectAccessible(page, "the page of a project");
});

test("folders are added, made the default and removed", async ({ page }) => {
  const id = await create("pages");
  await open(page, `${server.url}/settings/projects/${id}`);
  await main(page).getByRole("button", { name: "Add folder" }).click();
  const more = folder("more");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Folder").fill(folder("pages"));
  await dialog.getByRole("button", { name: "Add folder" }).click();
  await expect(dialog.getByRole("alert")).toContainText("already a source");
  await dialog.getByLabel("Folder").fill(more);
  await dialog.getByRole("button", { name: "Add folder" }).click();
  await expect(dialog).toHaveCount(0);
  const row = main(page).getByRole("listitem").filter({ hasText: more });
  await row.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Make default" }).click();
  await expect(row).toContainText("Default");
  await row.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
  await expect(main(page).getByRole("list", { name: "Folders" })).toContainText("Default");
});

test("projects are moved, renamed and deleted, and other windows see it", async ({ page, context }) => {
  const [a, b] = [await create("alpha"), await create("beta")];
  await open(page, `${server.url}/settings/projects`);
  const other = await context.newPage();
  await open(other, `${server.url}/settings/projects`);
  await page.getByRole("button", { name: "Actions for beta" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Move up" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await rows(other).allTextContents()).slice(-2)).toEqual(["beta", "alpha"]);
  await server.api(`/projects/${a}`, { name: "gamma" }, "PATCH");
  await expect(rows(page).filter({ hasText: "gamma" })).toBeVisible();
  await open(page, `${server.url}/settings/projects/${b}`);
  await main(page).getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("alertdialog", { name: "Delete beta?" });
  await expect(question).toContainText("Its folder stays as it is.");
  await expectAccessible(page, "the question before a deletion");
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(`${server.url}/settings/projects`);
  await expect(rows(other).filter({ hasText: "beta" })).toHaveCount(0);
});

test("the pages fit every window", async ({ page }) => {
  test.setTimeout(90_000);
  const id = await create("a-rather-long-name-of-a-project-that-has-to-wrap-somewhere");
  for (const path of ["/settings/projects", `/settings/projects/${id}`]) {
    await open(page, server.url + path);
    await expect(main(page)).toContainText("a-rather-long-name");
    await expectEveryLook(page, path);
  }
});
