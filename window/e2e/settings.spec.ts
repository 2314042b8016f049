// The generated form: every type of setting, a secret that never comes back, and a very long form.
import { fixture } from "./support/plugins.js";
import { dataFile, type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
const kSecret = "s3cret-5af1b7c9e2d4";

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "vault"));
  await server.install(fixture(server.scratch, "many-settings"));
});
test.afterAll(() => server?.close());

const values = () => server.api<{ values: Record<string, unknown> }>("/plugins/vault/settings").then((answer) => answer.values);

/** Everything that reached the page: bodies of answers, socket frames, console. */
function listen(page: Page): { seen: string[]; pending: Promise<unknown>[] } {
  const seen: string[] = [];
  const pending: Promise<unknown>[] = [];
  page.on("response", (response) => {
    pending.push(
      response.text().then(
        (text) => seen.push(`${response.url()} ${text}`),
        () => undefined,
      ),
    );
  });
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => seen.push(String(payload))));
  page.on("console", (message) => seen.push(message.text()));
  return { seen, pending };
}

test("a secret is written once and appears nowhere", async ({ page }) => {
  const { seen, pending } = listen(page);
  await open(page, `${server.url}/settings/plugins/vault`);
  const field = page.getByLabel("API key", { exact: true });
  await expect(field).toHaveAttribute("type", "password");
  await expect(field).toHaveValue("");
  await field.fill(kSecret);
  await page.getByRole("button", { name: /^Save/ }).first().click();
  await expect.poll(async () => (await values()).apiKey).toEqual({ set: true });
  await expect(field).toHaveValue("");

  // The plugin has it.
  await page.getByRole("button", { name: "Length of the key" }).click();
  await expect(page.getByTestId("key-length")).toHaveText(String(kSecret.length));

  await page.reload();
  await expect(page.getByLabel("API key", { exact: true })).toHaveValue("");
  await page.goto(`${server.url}/settings/plugins/vault/logs`);
  await expect(page.getByText(/settings changed, the key is \*\*\*/).first()).toBeVisible();

  await Promise.all(pending);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  const haystacks = { "an answer or frame": seen.join("\n"), storage: stored, DOM: await page.content() };
  for (const [where, text] of Object.entries(haystacks)) {
    expect(text.includes(kSecret), `the secret in ${where}`).toBe(false);
  }
  expect(dataFile(server, "plugins/vault/logs/plugin.log")).toContain("the key is ***");
  expect(dataFile(server, "plugins/vault/logs/plugin.log")).not.toContain(kSecret);
  expect(dataFile(server, "logs/server.log")).not.toContain(kSecret);
});

test("a secret is cleared", async ({ page }) => {
  await open(page, `${server.url}/settings/plugins/vault`);
  await page
    .getByRole("button", { name: /^Clear/ })
    .first()
    .click();
  const confirm = page.getByRole("alertdialog").getByRole("button", { name: /clear/i });
  await expect(confirm.or(page.getByText(/not set/i)).first()).toBeVisible();
  if (await confirm.isVisible()) {
    await confirm.click();
  }
  await expect.poll(async () => (await values()).apiKey).toEqual({ set: false });
});

test("switches and lists are saved at once, text when it is left; other windows follow", async ({ page, context }) => {
  const other = await context.newPage();
  await open(page, `${server.url}/settings/plugins/vault`);
  await open(other, `${server.url}/settings/plugins/vault`);
  await page.getByRole("switch", { name: "Shout" }).click();
  await expect.poll(async () => (await values()).shout).toBe(true);
  await expect(other.getByRole("switch", { name: "Shout" })).toBeChecked();

  await page.getByRole("combobox", { name: "Language" }).selectOption("de");
  await expect.poll(async () => (await values()).language).toBe("de");

  await page.getByRole("textbox", { name: "Greeting" }).fill("Moin");
  await page.keyboard.press("Tab");
  await expect.poll(async () => (await values()).greeting).toBe("Moin");
  await expect(other.getByRole("textbox", { name: "Greeting" })).toHaveValue("Moin");
  // The plugin's own part of the page follows, without a reload.
  await expect(page.getByTestId("preview")).toContainText('"greeting":"Moin"');
});

test("what the schema refuses stays in the field, with the reason, and is sent once", async ({ page }) => {
  const puts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PUT") {
      puts.push(request.postData() ?? "");
    }
  });
  await open(page, `${server.url}/settings/plugins/vault`);
  const repeat = page.getByRole("textbox", { name: "Repeat" });
  await repeat.fill("17");
  await page.keyboard.press("Tab");
  await expect(repeat).toHaveAttribute("aria-invalid", "true");
  await expect(repeat).toHaveAccessibleDescription(/3/);
  await expect(repeat).toHaveValue("17");
  await repeat.focus();
  await page.keyboard.press("Tab");
  expect((await values()).repeat).toBe(1);
  expect(puts).toHaveLength(1);
  await repeat.fill("2");
  await page.keyboard.press("Tab");
  await expect.poll(async () => (await values()).repeat).toBe(2);
  await expect(repeat).not.toHaveAttribute("aria-invalid", "true");
});

test("three hundred settings stay usable", async ({ page }) => {
  await open(page, `${server.url}/settings/plugins/many-settings`);
  await expect(page.getByLabel("Field 300", { exact: true })).toBeAttached();
  const search = page.getByRole("searchbox").first();
  await search.fill("field 299");
  const field = page.getByLabel("Field 299", { exact: true });
  await expect(field).toBeVisible();
  await expect(page.getByLabel("Field 12", { exact: true })).toHaveCount(0);
  await field.fill("found");
  await page.keyboard.press("Tab");
  await expect
    .poll(async () => (await server.api<{ values: Record<string, unknown> }>("/plugins/many-settings/settings")).values.field299)
    .toBe("found");
});

test("a plugin that does not run has one line instead of a form", async ({ page }) => {
  await server.mustRun("plugin", "disable", "vault");
  await open(page, `${server.url}/settings/plugins/vault`);
  await expect(page.locator("main")).toContainText(/disabled/i);
  await expect(page.getByRole("textbox", { name: "Greeting" })).toHaveCount(0);
  await server.mustRun("plugin", "enable", "vault");
  await expect(page.getByRole("textbox", { name: "Greeting" })).toBeVisible();
});
