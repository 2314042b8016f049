// The components that `svc plugin add` copies, as the guide shows them, in a plugin that began with the template.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expectAccessible, expectEveryLook, expectNoSidewaysScroll } from "./support/axe.js";
import { kRoot, type PluginDirectory, scaffold } from "./support/plugins.js";
import { kSvc, type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

const kPage = `
import { definePluginApp } from "@get-svc/plugin-sdk/app";
import { useState } from "react";

import { Button } from "@/components/ui/button";
import { Charts } from "./charts";
import { Paid } from "./checkbox";
import { NoExpenses } from "./empty";
import { ExpenseFields } from "./fields";
import { Edit, Filters, Help } from "./overlays";
import { Expenses } from "./table";
import { Periods } from "./tabs";

export default definePluginApp((app) => {
  app.slots.navPanel({ id: "parts", title: "Parts", icon: "Receipt", path: "parts", component: Parts });
});

function Parts() {
  const [paid, setPaid] = useState(false);
  const [open, setOpen] = useState(false);
  const [list, setList] = useState([
    { id: "1", what: "Coffee", amount: 3.2 },
    { id: "2", what: "A book with a title that is longer than the page of a phone is wide", amount: 24 },
  ]);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-2xl flex-col gap-8 p-4">
        <h2>Parts</h2>
        <Expenses expenses={list} onRemove={(id) => setList(list.filter((each) => each.id !== id))} />
        <form className="flex flex-col gap-4"><ExpenseFields errors={{ what: "Say what it was." }} /></form>
        <Periods />
        <Charts />
        <NoExpenses onAdd={() => setOpen(true)} />
        <Paid paid={paid} onChange={setPaid} />
        <div className="flex gap-2"><Button onClick={() => setOpen(true)}>Edit</Button><Help /><Filters /></div>
        <Edit open={open} onOpenChange={setOpen} onSave={() => setOpen(false)} />
      </div>
    </div>
  );
}
`;

let server: Server;
let plugin: PluginDirectory;

test.beforeAll(async () => {
  server = await startServer();
  plugin = scaffold(server.scratch, kSvc, "parts");
  await server.mustRun("plugin", "add", "--path", plugin.dir, "table", "field", "select", "tabs", "chart", "empty-state");
  const guide = readFileSync(join(kRoot, "docs/guide/components.md"), "utf8");
  mkdirSync(join(plugin.dir, "tests"), { recursive: true });
  for (const [, file = "", code = ""] of guide.matchAll(/^```tsx\n\/\/ (\S+)\n(.*?)^```$/gms)) {
    plugin.write(file, code);
  }
  plugin.write("app.tsx", kPage);
  await server.install(plugin);
});
test.afterAll(() => server?.close());

const content = (page: Page): Locator => page.locator("main");

test("they are accessible and fit in every look", async ({ page }, info) => {
  await open(page, `${server.url}/plugins/parts/parts`);
  await expect(content(page).getByRole("table", { name: "Expenses of this month" })).toBeVisible();
  await expectEveryLook(page, "the components");
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["light", 390],
    ["dark", 390],
    ["dark", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 2000 });
    await page.screenshot({ path: info.outputPath(`components-${colorScheme}-${width}.png`) });
  }
});

test("a table is one of cards where it is narrow, and stays a table to those who hear it", async ({ page }) => {
  await open(page, `${server.url}/plugins/parts/parts`);
  const table = content(page).getByRole("table", { name: "Expenses of this month" });
  const [first, second] = [table.getByRole("cell", { name: "Coffee", exact: true }), table.getByRole("cell", { name: "3.20" })];
  const isBelow = async () => ((await second.boundingBox())?.y ?? 0) > ((await first.boundingBox())?.y ?? 0);
  await expect(table.getByText("What").first()).toBeVisible();
  expect(await isBelow()).toBe(false);
  await page.setViewportSize({ width: 390, height: 720 });
  await expect.poll(isBelow).toBe(true);
  await expect(second.getByText("Amount")).toBeVisible();
  await expect(table.getByRole("columnheader")).toHaveText(["What", "Amount", "Actions"]);
  await expect(table.getByRole("row")).toHaveCount(3);
  await expectNoSidewaysScroll(page, "cards with long words");
});

test("the keyboard alone goes through tabs, fields, values and overlays", async ({ page }) => {
  await open(page, `${server.url}/plugins/parts/parts`);
  const parts = content(page);
  const what = parts.getByLabel("What", { exact: true });
  await expect(what).toHaveAccessibleDescription("As you would look for it. Say what it was.");
  await what.focus();
  await page.keyboard.press("Tab");
  await expect(parts.getByRole("combobox", { name: "Category (optional)" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(parts.getByRole("tab", { name: "Month" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(parts.getByRole("tab", { name: "Year" })).toBeFocused();
  await expect(parts.getByRole("tabpanel", { name: "Year" })).toHaveText("99 expenses");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(parts.getByText("Values")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(parts.getByRole("rowheader", { name: "February" })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Edit the expense" });
  await expect(dialog).toBeVisible();
  await expectAccessible(page, "a dialog of a plugin");
  await page.keyboard.press("Escape");
  await expect(parts.getByRole("button", { name: "Add an expense" })).toBeFocused();
});
