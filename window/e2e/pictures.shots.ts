// The pictures of README and guide: real plugins on a real server, the same every time. Run by scripts/screenshots.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { atFixedTime, type Pictured, startPictured } from "./support/pictured.js";
import { fixture, kRoot } from "./support/plugins.js";
import type { Server } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

const kImages = join(kRoot, "docs/images");
const kWide = { width: 1200, height: 750 };
const kHigh = { width: 1200, height: 860 };
const kNarrow = { width: 390, height: 750 };

let pictured: Pictured;
let server: Server;

test.use({ deviceScaleFactor: 1.5 });

test.beforeAll(async () => {
  mkdirSync(kImages, { recursive: true });
  pictured = await startPictured();
  ({ server } = pictured);
});
test.afterAll(() => pictured?.close());
test.beforeEach(({ page }) => page.setViewportSize(kWide));

/** WebP, by the browser that is there anyway: a third of the same picture as PNG. */
async function shoot(page: Page, name: string): Promise<void> {
  const rows = page.getByRole("list", { name: "Plugin pages" }).getByRole("link");
  if ((await rows.count()) > 0) {
    // Icons come by themselves, what plugins show in their rows with the plugins.
    await expect(rows.filter({ hasNot: page.locator("svg") })).toHaveCount(0);
    await expect(page.locator('[data-sidebar="sidebar"]').getByText("2 unread")).toBeVisible();
  }
  await page.evaluate(() => document.fonts.ready);
  const png = await page.screenshot({ animations: "disabled", caret: "hide" });
  const webp = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.85 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, png.toString("base64"));
  writeFileSync(join(kImages, `${name}.webp`), Uint8Array.from(webp));
}

async function openTodos(page: Page): Promise<void> {
  await open(page, `${server.url}/plugins/todo/todos`);
  await expect(page.getByText("1 of 4 done")).toBeVisible();
  await page.mouse.move(0, 0);
}

test("a page of a plugin, light, dark and narrow", async ({ page }) => {
  await openTodos(page);
  await expect(page.locator('[data-sidebar="sidebar"]').getByText("2 unread")).toBeVisible();
  await shoot(page, "window-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "window-dark");
  await page.setViewportSize(kNarrow);
  await expect(page.getByRole("button", { name: "Open navigation" })).toBeVisible();
  await shoot(page, "window-narrow");
});

test("the new-thread page", async ({ page }) => {
  await atFixedTime(page, server);
  await open(page, server.url);
  await expect(page.getByRole("button", { name: /^Review/ })).toBeVisible();
  await shoot(page, "window-home");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "window-home-dark");
});

test("a thread whose agent asks, light and dark", async ({ page }) => {
  await page.setViewportSize(kHigh);
  await atFixedTime(page, server);
  await open(page, `${server.url}/threads/${pictured.asking}`);
  await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
  // With the patch as it is drawn, which replaces its lines as they came.
  await expect(page.locator("main diffs-container").first()).toBeVisible();
  await shoot(page, "window-thread");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "window-thread-dark");
});

test("management: one plugin, dark", async ({ page }) => {
  await atFixedTime(page, server);
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, `${server.url}/plugins/heartbeat`);
  await expect(page.getByText("weekly-report").first()).toBeVisible();
  await shoot(page, "window-plugin");
});

test("settings with a section of the plugin's own", async ({ page }) => {
  await open(page, `${server.url}/settings/plugins/greeter`);
  await expect(page.getByText("Hello, Ada! (signed with nothing)")).toBeVisible();
  await shoot(page, "window-settings");
});

test("the palette", async ({ page }) => {
  await openTodos(page);
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").first().pressSequentially("focus");
  await expect(page.getByRole("option", { name: /Start a focus session/ })).toBeVisible();
  await shoot(page, "window-palette");
});

test("a new version that fails", async ({ page, watch }) => {
  const fragile = fixture(server.scratch, "fragile", { id: "weather", name: "Weather" });
  fragile.edit("app.tsx", 'title: "Fragile"', 'title: "Weather"');
  fragile.edit("app.tsx", 'icon: "Egg"', 'icon: "CloudRain"');
  fragile.edit("app.tsx", /\s*app\.slots\.navPanel\(\{ id: "sound".*/, "");
  fragile.edit("app.tsx", /\s*app\.slots\.homepageSection.*/, "");
  fragile.edit(
    "app.tsx",
    /return \(\s*<div className="p-6">[\s\S]*?\n {2}\);\n\}/,
    'return <p className="p-6">12 °C in Leiden, light rain</p>;\n}',
  );
  await server.install(fragile);
  await open(page, `${server.url}/plugins/weather/page`);
  await expect(page.getByText("12 °C in Leiden, light rain")).toBeVisible();
  fragile.edit("app.tsx", "export default", 'throw new Error("forecast.json is missing");\nexport default');
  await server.reload(fragile);
  const mark = page.getByText("Showing the previous version").first();
  await expect(mark).toBeVisible();
  await mark.click();
  await expect(page.getByRole("button", { name: "Retry" }).first()).toBeVisible();
  await page.getByText(/^Phase load, /).evaluate((line) => (line.textContent = "Phase load, 2 Mar 2026, 09:30:00"));
  await shoot(page, "window-previous-version");
  await server.mustRun("plugin", "remove", "weather", "--yes");
  watch.errors.length = 0;
});
