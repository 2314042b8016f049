// Clients of a real server: tokens from the window open what they say, and what clients do is shown as it happens.
import { expectAccessible, expectEveryLook, expectNoSidewaysScroll } from "./support/axe.js";
import { example } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  await server.install(example(server.scratch, "todo"));
});
test.afterAll(() => server?.close());

const main = (page: Page) => page.locator("main");

async function send(method: string, params: object, secret?: string) {
  const answer = await fetch(`${server.url}/api/v1/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "user-agent": "tester/1.0",
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { status: answer.status, body: (await answer.json()) as { result?: { tools?: { name: string }[] } } };
}

test("a token is made, used, seen and revoked", async ({ page }) => {
  await open(page, `${server.url}/settings/agents`);
  await expect(main(page).getByText("No client is connected")).toBeVisible();
  await expectAccessible(page, "the empty page");
  await main(page).getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog");
  await page.keyboard.type("desk");
  await dialog.getByLabel("those of some plugins").check();
  await dialog.getByRole("checkbox").first().check();
  await expectAccessible(page, "the dialog");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const secret = (await dialog.getByLabel("Token").textContent())!;
  expect(secret).toMatch(/^svc_mcp_[0-9a-f]{64}$/);
  await expectAccessible(page, "the secret");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toHaveCount(0);

  const listed = await send("tools/list", {}, secret);
  const tool = listed.body.result!.tools!.find(({ name }) => name.startsWith("cli_"))!.name;
  await send("tools/call", { name: tool, arguments: { args: ["list"] } }, secret);
  // No reload: the page follows.
  await expect(main(page).getByRole("list", { name: "Recent calls" })).toContainText(tool);
  await expect(main(page).getByRole("list", { name: "Clients" })).toContainText("tester");
  await expect(main(page).getByRole("list", { name: "Tokens" })).toContainText(/used/);
  await expectAccessible(page, "the page with content");
  await expectNoSidewaysScroll(page, "the page with content");

  await main(page).getByRole("button", { name: "Revoke desk" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect(main(page).getByText("No tokens")).toBeVisible();
  expect((await send("ping", {}, secret)).status).toBe(401);
});

test("a client is chosen and its configuration copied from the keyboard", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, `${server.url}/settings/agents`);
  await main(page).getByLabel("Client", { exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(main(page).getByText(`svc mcp setup codex --data-dir ${server.dataDir} --write`)).toBeVisible();
  await main(page).getByRole("button", { name: "Copy the configuration" }).focus();
  await page.keyboard.press("Enter");
  const { cliPath } = await server.api<{ cliPath: string }>("/system/config");
  expect(cliPath).toMatch(/^\/.*\/svc$/);
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(
      `[mcp_servers.svc]\ncommand = "${cliPath}"\nargs = ["mcp", "--data-dir", "${server.dataDir}"]\nenv_vars = ["SVC_SERVER_URL", "SVC_THREAD_ID", "SVC_THREAD_TOKEN"]`,
    );
});

test("the page fits every window", async ({ page }) => {
  await server.api("/mcp/tokens", { name: "a token with a rather long name that goes on and on", tools: ["todo_add"] });
  await send("tools/list", {});
  await open(page, `${server.url}/settings/agents`);
  await expect(main(page).getByRole("list", { name: "Clients" })).toBeVisible();
  await expectEveryLook(page, "the page with a long name");
});
