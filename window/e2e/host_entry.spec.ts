// The page of a plugin with a host entry: what was built, and where it wrote.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;

test.beforeAll(async () => {
  server = await startServer();
  const { hosts } = await awaitOwnMachine();
  await server.install(fixture(server.scratch, "on-host"));
  await server.api("/plugins/on-host/rpc/say", hosts[0]!.id);
});
test.afterAll(() => server?.close());

interface Hosts {
  hosts: { id: string; name: string; status: string }[];
}

/** The server's own machine, when its daemon has connected. */
async function awaitOwnMachine(): Promise<Hosts> {
  await expect
    .poll(async () => (await server.api<Hosts>("/hosts")).hosts.map(({ status }) => status), { timeout: 30_000 })
    .toEqual(["connected"]);
  return server.api<Hosts>("/hosts");
}

const section = (page: Page) => page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: "On machines" }) });

test("shows the artifact, and leads to the machines in its log", async ({ page }) => {
  const { hosts } = await awaitOwnMachine();
  await open(page, `${server.url}/plugins/on-host`);
  await expect(section(page)).toContainText("of JavaScript");
  const { host } = await server.api<{ host: { artifact: { digest: string; sdkVersion: string } } }>("/plugins/on-host/host");
  await expect(section(page)).toContainText(host.artifact.digest.slice(0, 12));
  await expect(section(page)).toContainText(`SDK ${host.artifact.sdkVersion}`);
  await expect(section(page)).toContainText("said on its machine");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, `the page of a plugin with a host entry, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 720 });
  await expectNoSidewaysScroll(page, "the page of a plugin with a host entry");
  await section(page).screenshot({ path: test.info().outputPath("host-narrow-dark.png") });
  await page.setViewportSize({ width: 1280, height: 800 });
  await section(page).screenshot({ path: test.info().outputPath("host-dark.png") });
  await section(page).getByRole("link", { name: hosts[0]!.name, exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/settings/machines/${hosts[0]!.id}`);
});

test("a host entry that does not build says where", async ({ page }) => {
  const plugin = fixture(server.scratch, "on-host", { id: "bad-host", name: "Bad host" });
  await server.install(plugin);
  plugin.write("host.ts", "export default <<<;\n");
  await server.reload(plugin);
  await open(page, `${server.url}/plugins/bad-host`);
  await expect(section(page)).toContainText("host.ts:1");
});

test("a plugin without one has no such section", async ({ page }) => {
  await server.install(fixture(server.scratch, "counter"));
  await open(page, `${server.url}/plugins/counter`);
  await expect(page.getByRole("heading", { level: 2, name: "Version" })).toBeVisible();
  await expect(section(page)).toHaveCount(0);
});
