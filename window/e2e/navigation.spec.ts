// Ways through the window: every place in two clicks, what is shown of where one is, and what a page says without its server.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let machine: { id: string; name: string };

interface Host {
  id: string;
  name: string;
  status: string;
}

test.beforeAll(async () => {
  server = await startServer();
  await server.install(fixture(server.scratch, "vault"));
  const hosts = async () => (await server.api<{ hosts: Host[] }>("/hosts")).hosts;
  await expect.poll(async () => (await hosts())[0]?.status).toBe("connected");
  machine = (await hosts())[0]!;
  const source = { type: "local_path", hostId: machine.id, path: server.scratch };
  await server.api("/projects", { name: "Shop", source });
  const scope = { kind: "host_path", hostId: machine.id, cwd: server.scratch };
  await server.api("/terminals", { scope, cols: 80, rows: 24, title: "build" });
});
test.afterAll(() => server?.close());

const main = (page: Page) => page.getByRole("main");
const sidebar = (page: Page) => page.getByRole("navigation", { name: "Main" });
const crumbs = (page: Page) => page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("listitem");

/** Two clicks, then the way to the page, the title of the tab, and the row that is marked. */
interface Way {
  row: string;
  click?: { role: "link" | "button"; name: string };
  crumbs: string[];
  title: string;
}

const ways = (): Way[] => [
  { row: "Inbox", crumbs: ["Inbox"], title: "Inbox" },
  { row: "Projects", crumbs: ["Projects"], title: "Projects" },
  { row: "Projects", click: { role: "link", name: "Shop" }, crumbs: ["Projects", "Shop"], title: "Shop" },
  { row: "Machines", crumbs: ["Machines"], title: "Machines" },
  { row: "Machines", click: { role: "link", name: machine.name }, crumbs: ["Machines", machine.name], title: machine.name },
  {
    row: "Machines",
    click: { role: "link", name: `Files of ${machine.name}` },
    crumbs: ["Machines", machine.name, "Files"],
    title: `Files · ${machine.name}`,
  },
  {
    row: "Machines",
    click: { role: "link", name: "build" },
    crumbs: ["Machines", machine.name, "build"],
    title: `build · ${machine.name}`,
  },
  { row: "Skills", crumbs: ["Skills"], title: "Skills" },
  { row: "Plugins", crumbs: ["Plugins"], title: "Plugins" },
  { row: "Plugins", click: { role: "link", name: "Vault" }, crumbs: ["Plugins", "Vault"], title: "Vault" },
  {
    row: "Plugins",
    click: { role: "link", name: "Settings of Vault" },
    crumbs: ["Plugins", "Vault", "Settings"],
    title: "Settings · Vault",
  },
  { row: "Plugins", click: { role: "link", name: "Browse" }, crumbs: ["Plugins", "Browse"], title: "Browse" },
];

test("every place is two clicks away, says where it is, and marks its row", async ({ page }) => {
  await open(page, server.url);
  for (const way of ways()) {
    await test.step(way.crumbs.join(" > "), async () => {
      await sidebar(page).getByRole("link", { name: way.row, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name: way.row })).toBeVisible();
      if (way.click !== undefined) {
        await main(page).getByRole(way.click.role, { name: way.click.name, exact: true }).click();
      }
      await expect(crumbs(page)).toHaveText(way.crumbs);
      await expect(page).toHaveTitle(`${way.title} · svc`);
      await expect(sidebar(page).getByRole("link", { name: way.row, exact: true })).toHaveAttribute("aria-current", "page");
      await expect(sidebar(page).locator("[aria-current=page]")).toHaveCount(1);
    });
  }
});

test("the settings are two clicks away, from the foot of the sidebar", async ({ page }) => {
  await open(page, server.url);
  const settings = page.getByRole("group", { name: "Sidebar actions" }).getByRole("link", { name: "Settings" });
  for (const section of ["General", "Appearance", "Keyboard shortcuts", "Agents & MCP", "About"]) {
    await settings.click();
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: section }).click();
    await expect(page.getByRole("heading", { level: 1, name: section })).toBeVisible();
    await expect(crumbs(page)).toHaveText(section === "General" ? ["Settings"] : ["Settings", section]);
    await expect(settings).toHaveAttribute("aria-current", "page");
  }
});

test("the steps of the way lead back, and addresses of before lead on", async ({ page }) => {
  await open(page, `${server.url}/files/${machine.id}?path=${encodeURIComponent(server.scratch)}`);
  await expect(crumbs(page)).toHaveText(["Machines", machine.name, "Files"]);
  await crumbs(page).getByRole("link", { name: machine.name }).click();
  await expect(page).toHaveURL(`${server.url}/settings/machines/${machine.id}`);
  await crumbs(page).getByRole("link", { name: "Machines" }).click();
  await expect(page).toHaveURL(`${server.url}/settings/machines`);

  await open(page, `${server.url}/terminals?open&host=${machine.id}`);
  await expect(page.getByRole("dialog", { name: "Open a terminal" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${server.url}/terminals`);
  await expect(crumbs(page)).toHaveText(["Machines", "Terminals"]);
  await expect(page.getByRole("list", { name: `Terminals of ${machine.name}` }).getByRole("link", { name: "build" })).toBeVisible();
  await open(page, `${server.url}/settings/plugins`);
  await expect(page).toHaveURL(`${server.url}/plugins`);
});

test("the palette goes to every place, each once", async ({ page }) => {
  await open(page, server.url);
  await page.keyboard.press("Control+k");
  const group = page.getByRole("dialog", { name: "Search and commands" }).getByRole("group", { name: "Go to" });
  await expect(group.getByRole("option").first()).toBeVisible();
  const titles = await group.getByRole("option").allTextContents();
  for (const title of [
    "New thread",
    "Inbox",
    "Threads",
    "Projects",
    "Machines",
    "Skills",
    "Plugins",
    "Browse plugins",
    "Terminals",
    "Files",
    "Appearance",
    "About",
  ]) {
    expect(
      titles.filter((shown) => shown === title),
      title,
    ).toHaveLength(1);
  }
  await page.keyboard.type("console");
  await expect(page.getByRole("option", { name: "Terminals" })).toBeVisible();
});

test("on a narrow window the way stays readable and within the page", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/settings/machines", `/files/${machine.id}`, "/settings/plugins/vault/logs", "/settings/projects"]) {
    await open(page, server.url + path);
    await expect(crumbs(page).last()).toBeVisible();
    const box = await crumbs(page).last().boundingBox();
    expect.soft(box!.width, `the last step of ${path}`).toBeGreaterThan(20);
    await expectNoSidewaysScroll(page, path);
    await expectAccessible(page, path);
  }
});

test("a folder that is gone leads to the home folder", async ({ page }) => {
  await open(page, `${server.url}/files/${machine.id}?path=${encodeURIComponent(`${server.scratch}/gone`)}`);
  await expect(main(page).getByText("This folder is not there")).toBeVisible();
  await main(page).getByRole("link", { name: "Go to the home folder" }).click();
  await expect(page).toHaveURL(`${server.url}/files/${machine.id}`);
  await expect(main(page).getByText("This folder is not there")).toHaveCount(0);
});

test("the section of the settings that is shown is in sight on a narrow window", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `${server.url}/settings/about`);
  await expect(page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "About" })).toBeInViewport({ ratio: 0.9 });
});

test("an id that nothing has leads back to its collection", async ({ page }) => {
  for (const [path, way, to] of [
    ["/settings/machines/nobody", "All machines", "/settings/machines"],
    ["/settings/projects/nobody", "All projects", "/settings/projects"],
    ["/files/nobody", "All machines", "/settings/machines"],
    ["/terminals/nobody", "All machines", "/settings/machines"],
    ["/skills/nobody", "All skills", "/skills"],
    ["/settings/plugins/nobody/logs", "All plugins", "/plugins"],
  ] as const) {
    await open(page, server.url + path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    const back = main(page).getByRole("link", { name: way, exact: true });
    await back.or(main(page).getByRole("button", { name: way, exact: true })).click();
    await expect(page).toHaveURL(server.url + to);
  }
});

// Beside each other: each window asks again for a while before it says so.
test("without its server every list says so, and is there again after another try", async ({ context }) => {
  const lists = [
    ["/settings/machines", "**/api/v1/hosts", machine.name],
    ["/settings/projects", "**/api/v1/projects", "Shop"],
    ["/skills", "**/api/v1/skills*", "Skills"],
    ["/plugins", "**/api/v1/plugins", "Vault"],
  ] as const;
  await Promise.all(
    lists.map(async ([path, api, shown]) => {
      const page = await context.newPage();
      await page.route(api, (route) => route.abort("connectionrefused"));
      await page.goto(server.url + path);
      const alert = main(page).getByRole("alert");
      await expect(alert).toContainText("The server does not answer");
      await page.unroute(api);
      await alert.getByRole("button", { name: "Try again" }).click();
      await expect(alert).toHaveCount(0);
      await expect(main(page).getByText(shown, { exact: true }).first()).toBeVisible();
    }),
  );
});

test("what opens does not move where motion is reduced", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 390, height: 720 });
  await open(page, `${server.url}/plugins`);
  const animated = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("[data-state]")].flatMap((element) => {
        const { animationName } = getComputedStyle(element);
        return animationName === "none" ? [] : [animationName];
      }),
    );
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeVisible();
  expect(await animated()).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Open navigation" }).click();
  await expect(page.getByRole("dialog").first()).toBeVisible();
  expect(await animated()).toEqual([]);
});

test("links of a plugin's page to parts of itself stay on it, with its state", async ({ page }) => {
  const plugin = fixture(server.scratch, "page");
  plugin.write(
    "app.tsx",
    `import { useState } from "react";
import { definePluginApp } from "@get-svc/plugin-sdk/app";

function Parts() {
  const [count, setCount] = useState(0);
  return (
    <div>
      <button onClick={() => setCount(count + 1)}>Counted {count}</button>
      <a href="#last">Last part</a> <a href="?kind=small">Small ones</a>
      <div style={{ height: 3000 }} />
      <h2 id="last">The last part</h2>
    </div>
  );
}

export default definePluginApp((app) => {
  app.slots.navPanel({ id: "page", title: "Page", icon: "NotebookText", path: "page", component: Parts });
});
`,
  );
  await server.install(plugin);
  await open(page, `${server.url}/plugins/page/page`);
  await page.getByRole("button", { name: "Counted 0" }).click();
  await expect(page.getByRole("heading", { name: "The last part" })).not.toBeInViewport();
  await page.getByRole("link", { name: "Last part" }).click();
  await expect(page.getByRole("heading", { name: "The last part" })).toBeInViewport();
  await expect(page).toHaveURL(`${server.url}/plugins/page/page#last`);
  await page.getByRole("link", { name: "Small ones" }).click();
  await expect(page).toHaveURL(`${server.url}/plugins/page/page?kind=small`);
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(`${server.url}/plugins/page/page`);
  await expect(page.getByRole("button", { name: "Counted 1" })).toBeVisible();
});

test("a page that is gone back to stands where it was left, and another one begins at its top", async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 360 });
  await open(page, `${server.url}/plugins/page/page`);
  const end = page.getByRole("heading", { name: "The last part" });
  await page.getByRole("link", { name: "Last part" }).click();
  await expect(end).toBeInViewport();
  await sidebar(page).getByRole("link", { name: "Plugins", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Plugins" })).toBeInViewport();
  await page.goBack();
  await expect(end).toBeInViewport();

  await open(page, `${server.url}/plugins/vault`);
  const scrolled = () => main(page).evaluate((element) => element.scrollTop);
  await main(page).evaluate((element) => element.scrollTo(0, element.scrollHeight));
  const place = await scrolled();
  expect(place).toBeGreaterThan(50);
  await sidebar(page).getByRole("link", { name: "Plugins", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Plugins" })).toBeInViewport();
  expect(await scrolled()).toBe(0);
  await page.goBack();
  await expect.poll(scrolled).toBe(place);
  await page.reload();
  await expect.poll(scrolled).toBe(place);
});
