// What fails in a plugin while somebody develops it: over the page, with the line of the source and the way into the editor.
import { expectEveryLook } from "./support/axe.js";
import { fixture, type PluginDirectory } from "./support/plugins.js";
import { type DevLoop, type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let plugin: PluginDirectory;
let dev: DevLoop;

test.beforeAll(async () => {
  server = await startServer();
  plugin = fixture(server.scratch, "fragile");
  await server.install(plugin);
});
test.afterAll(() => server?.close());

const overlay = (page: Page, name: string) => page.getByRole("dialog", { name });
const lineOf = (text: string) =>
  plugin
    .read("app.tsx")
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;
const crash = async (page: Page) => {
  await open(page, `${server.url}/plugins/fragile/page`);
  await page.getByRole("button", { name: "Crack it" }).click();
  await expect(page.getByText("Fragile stopped working")).toBeVisible();
};

test("a crash, an import that throws and a build that fails are shown while `svc plugin dev` runs, and not without it", async ({
  page,
  watch,
}, info) => {
  const sessions: string[] = [];
  page.on("response", (response) => response.url().endsWith("/dev-session") && sessions.push(response.url()));
  await crash(page);
  await expect.poll(() => sessions.length).toBeGreaterThan(0);
  await expect(page.getByRole("dialog")).toHaveCount(0);

  dev = server.dev(plugin);
  await dev.line(/^initial build .*reloaded fragile/);
  await crash(page);
  const crashed = overlay(page, "Fragile failed in this window");
  const line = lineOf("the shell cracked");
  await expect(crashed.getByText("the shell cracked", { exact: true })).toBeVisible();
  await expect(crashed.getByRole("region", { name: "Source" })).toContainText(`Line ${line}:     throw new Error("the shell cracked");`);
  await expect(crashed.getByRole("list", { name: "Stack" }).getByRole("listitem").first()).toContainText(`FragilePageapp.tsx:${line}:`);
  // The terminal and the log name the same place.
  await dev.line(new RegExp(`at FragilePage \\(app\\.tsx:${line}:\\d+\\)`));
  expect(await server.mustRun("plugin", "logs", "fragile")).toMatch(
    new RegExp(`the shell cracked[^]*at FragilePage \\(app\\.tsx:${line}:\\d+\\)`),
  );
  const link = crashed.getByRole("link", { name: "Open in editor" });
  await expect(link).toHaveAttribute("href", new RegExp(`^vscode://file/.*/svc-plugin-fragile/app\\.tsx:${line}:\\d+$`));
  await expectEveryLook(page, "a failure of a plugin that is being developed");
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 720 });
    await page.screenshot({ path: info.outputPath(`overlay-${colorScheme}-${width}.png`) });
  }
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText("Fragile stopped working")).toBeVisible();

  const source = plugin.read("app.tsx");
  plugin.write("app.tsx", `${source}\nthrow new Error("not even imported");\n`);
  const unloaded = overlay(page, "Fragile failed in this window");
  await expect(unloaded.getByText("the bundle failed while it was imported: not even imported")).toBeVisible();
  await expect(unloaded.getByText(new RegExp(`^app\\.tsx:${source.split("\n").length + 1}:\\d+$`)).first()).toBeVisible();

  plugin.write("app.tsx", `${source}\nconst broken = ;\n`);
  const unbuilt = overlay(page, "Fragile does not build");
  await expect(unbuilt.getByText(/^app\.tsx:\d+:16: Unexpected ";"/)).toBeVisible();
  await expect(unbuilt.getByRole("link", { name: "Open in editor" })).toBeVisible();

  plugin.write("app.tsx", source);
  await expect(page.getByText("fragile page, first version")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  watch.errors.length = 0;

  await dev.stop();
  expect(await server.api("/plugins/fragile/dev-session")).toMatchObject({ active: false });
});
