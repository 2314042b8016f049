// The methods of a plugin on its page: called with fields, refused with the reason, copied for a shell.
import { execFileSync } from "node:child_process";

import { expectEveryLook } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "counter"));
});
test.afterAll(() => server?.close());

test("a method is called with the fields of its schema, by keyboard, and copied for a shell", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, `${server.url}/plugins/counter`);
  const methods = page.locator("section").filter({ has: page.getByRole("heading", { name: "Methods" }) });
  await expect(methods.locator("li > div code")).toHaveText(["add", "count"]);

  await methods.getByRole("button", { name: "Try the method add" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(methods.getByLabel("by (required)")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(methods.getByRole("alert")).toContainText("by: Invalid input");

  await page.keyboard.type("3");
  await page.keyboard.press("Enter");
  await expect(methods.getByRole("status").filter({ hasText: "It answered after" })).toContainText('"count": 3');

  await methods.getByRole("button", { name: "Copy as curl" }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain(`${server.url}/api/v1/plugins/counter/rpc/add`);
  expect(JSON.parse(execFileSync("/bin/sh", ["-c", curl], { encoding: "utf8" }))).toMatchObject({ ok: true, result: { count: 6 } });
  await methods.getByRole("button", { name: "Copy as svc" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`svc plugin rpc call counter add '{"by":3}'`);

  await methods.getByRole("button", { name: "Try the method count" }).click();
  await methods.getByRole("button", { name: "Call" }).last().click();
  await expect(methods.getByRole("status").filter({ hasText: "It answered after" }).last()).toContainText('"count": 6');
  await expectEveryLook(page, "methods of a plugin");
});
