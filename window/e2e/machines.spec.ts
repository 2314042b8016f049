// The machines of a real server: its own one joins by itself, others with a code, for which a test is the daemon.
import { expectAccessible, expectEveryLook } from "./support/axe.js";
import { example } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
});
test.afterAll(() => server?.close());

interface Host {
  id: string;
  name: string;
  role: string;
  status: string;
}

const main = (page: Page) => page.locator("main");
const row = (page: Page, name: string) =>
  main(page)
    .getByRole("list", { name: "Machines" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name, exact: true }) });
const hosts = async () => (await server.api<{ hosts: Host[] }>("/hosts")).hosts;

/** Does what `svc-hostd join` does first: the machine is enrolled, and has never connected. */
async function enroll(code: string, hostName: string): Promise<string> {
  const answer = await fetch(`${server.url}/internal/hosts/enroll`, {
    method: "POST",
    headers: { authorization: `Bearer ${code}`, "content-type": "application/json" },
    body: JSON.stringify({ hostId: null, hostName, hostType: "persistent" }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { hostId: string }).hostId;
}

async function addMachine(name: string): Promise<string> {
  const { joinCode } = await server.api<{ joinCode: string }>("/hosts/join-codes", { name });
  return enroll(joinCode, name);
}

test("the server's own machine joins by itself and cannot be removed", async ({ page }) => {
  await open(page, `${server.url}/settings/machines`);
  await expect.poll(async () => (await hosts()).map(({ role, status }) => `${role} ${status}`)).toEqual(["server connected"]);
  const [own] = await hosts();
  // No reload: the page hears of it.
  await expect(row(page, own!.name)).toContainText("Connected");
  await row(page, own!.name)
    .getByRole("button", { name: /^Actions/ })
    .click();
  await expect(page.getByRole("menuitem", { name: "Rename…" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Remove…" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await row(page, own!.name).getByRole("link", { name: own!.name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: own!.name })).toBeVisible();
  await expect(main(page)).toContainText(server.dataDir);
});

test("a machine is added with a code that works once", async ({ page }) => {
  await open(page, `${server.url}/settings/machines`);
  await main(page).getByRole("button", { name: "Add machine" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a machine" });
  await dialog.getByLabel("Name").fill("workshop");
  await dialog.getByRole("button", { name: "Create join code" }).click();
  const command = dialog.getByLabel("Command");
  await expect(command).toHaveText(/^svc-hostd join --server http:\S+ --code svce_\S+$/);
  // This server listens on loopback only.
  await expect(dialog).toContainText("Another machine cannot use this address");
  await expect(dialog.getByRole("timer")).toHaveText(/^1[45]:\d\d$/);
  await expectAccessible(page, "the join dialog");

  const code = /--code (\S+)$/.exec((await command.textContent()) ?? "")![1]!;
  await enroll(code, "from-the-machine");
  await expect(dialog).toContainText("workshop has joined; waiting for its first connection…");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(row(page, "workshop")).toContainText("Setup required");

  const again = await fetch(`${server.url}/internal/hosts/enroll`, {
    method: "POST",
    headers: { authorization: `Bearer ${code}`, "content-type": "application/json" },
    body: JSON.stringify({ hostId: null, hostName: "thief", hostType: "persistent" }),
  });
  expect(again.status).toBe(401);
});

test("a machine is renamed from the keyboard and removed after a question", async ({ page }) => {
  const id = await addMachine("attic");
  await open(page, `${server.url}/settings/machines`);
  await row(page, "attic")
    .getByRole("button", { name: /^Actions/ })
    .focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Rename…" }).focus();
  await page.keyboard.press("Enter");
  const field = page.getByRole("textbox", { name: "New name of attic" });
  await expect(field).toBeFocused();
  await field.fill("cellar");
  await page.keyboard.press("Enter");
  await expect(row(page, "cellar")).toBeVisible();
  await expect(page.getByRole("button", { name: "Actions for cellar" })).toBeFocused();
  expect((await hosts()).find((host) => host.id === id)?.name).toBe("cellar");

  await open(page, `${server.url}/settings/machines/${id}`);
  await main(page).getByRole("button", { name: "Remove" }).click();
  const question = page.getByRole("alertdialog", { name: "Remove cellar?" });
  await expectAccessible(page, "the question before a removal");
  await question.getByRole("button", { name: "Cancel" }).click();
  expect((await hosts()).some((host) => host.id === id)).toBe(true);
  await main(page).getByRole("button", { name: "Remove" }).click();
  await question.getByRole("button", { name: "Remove" }).click();
  await expect(page).toHaveURL(`${server.url}/settings/machines`);
  await expect(row(page, "cellar")).toHaveCount(0);
  expect((await hosts()).some((host) => host.id === id)).toBe(false);
});

test("what another client changes is shown at once", async ({ page }) => {
  await open(page, `${server.url}/settings/machines`);
  await expect(main(page).getByRole("list", { name: "Machines" })).toBeVisible();
  const id = await addMachine("elsewhere");
  await expect(row(page, "elsewhere")).toBeVisible();
  await server.api(`/hosts/${id}`, { name: "renamed-elsewhere" }, "PATCH");
  await expect(row(page, "renamed-elsewhere")).toBeVisible();
  await server.api(`/hosts/${id}`, undefined, "DELETE");
  await expect(row(page, "renamed-elsewhere")).toHaveCount(0);
});

test("the disk-usage example follows this machine, through a reload as well", async ({ page }) => {
  test.setTimeout(90_000);
  await expect.poll(async () => (await hosts()).find(({ role }) => role === "server")?.status).toBe("connected");
  await server.install(example(server.scratch, "disk-usage"));
  expect(await server.mustRun("disk-usage")).toMatch(/^DISK +USED +FREE +SIZE\n\/ +\d+ %/);

  await open(page, `${server.url}/plugins/disk-usage/disks`);
  const root = page.getByRole("meter", { name: "Used of /", exact: true });
  const measured = main(page).getByText(/^Measured at /);
  const changes = async () => {
    const before = await measured.textContent();
    await expect.poll(() => measured.textContent()).not.toBe(before);
  };
  await expect(root).toBeVisible();
  await changes();
  await server.mustRun("plugin", "reload", "disk-usage");
  await expect(root).toBeVisible();
  await changes();
  await expectAccessible(page, "the disk-usage page");
});

test("the pages are accessible in every look", async ({ page }) => {
  test.setTimeout(90_000);
  const id = await addMachine("a-machine-with-a-name-that-goes-on-and-on-past-a-narrow-window");
  await open(page, `${server.url}/settings/machines`);
  await expect(
    main(page)
      .getByRole("link", { name: /^a-machine/ })
      .first(),
  ).toBeVisible();
  await expectEveryLook(page, "the machines");
  await open(page, `${server.url}/settings/machines/${id}`);
  await expect(page.getByRole("heading", { level: 1, name: /^a-machine/ })).toBeVisible();
  await expectEveryLook(page, "one machine");
  await server.api(`/hosts/${id}`, undefined, "DELETE");
});
