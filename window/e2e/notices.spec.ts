// What the window says by itself, narrow and wide, never lies over the buttons of a composer.
import { expectAccessible, expectNoSidewaysScroll } from "./support/axe.js";
import { fixture } from "./support/plugins.js";
import { type ScriptedAgents, scriptedAgents } from "./support/scripted_agents.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;
let agents: ScriptedAgents;

const kLong = "A sentence of a plugin that has a lot to say and takes its time. ".repeat(12);

test.beforeAll(async () => {
  const work = [{ text: "I am at it" }, { untilCancelled: true }];
  agents = scriptedAgents({ worker: { turns: [work, work, work] } });
  server = await startServer({ config: { agents: agents.config } });
  const busy = fixture(server.scratch, "busy");
  busy.edit("app.tsx", '"As fast as it goes."', `${JSON.stringify(kLong)}, duration: Infinity`);
  await server.install(busy);
  const available = async () =>
    (await server.api<{ providers: { available: boolean }[] }>("/providers")).providers.every((each) => each.available);
  await expect.poll(available).toBe(true);
});
test.afterAll(async () => {
  await server?.close();
  agents?.remove();
});

async function openWorking(page: Page): Promise<void> {
  const { thread } = await server.api<{ thread: { id: string } }>("/threads", {
    projectId: "proj_personal",
    environment: { type: "host", workspace: { type: "personal" } },
    providerId: "worker",
    input: [{ type: "text", text: "Paint the door" }],
  });
  await open(page, `${server.url}/threads/${thread.id}`);
  await expect(page.getByRole("button", { name: "Stop the agent" })).toBeVisible();
}

/** Every corner of the element, and its middle, takes clicks. */
async function expectFree(button: Locator, what: string): Promise<void> {
  const covered = await button.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const at = (x: number, y: number) => document.elementsFromPoint(left + (right - left) * x, top + (bottom - top) * y);
    const points = [at(0.5, 0.5), at(0.15, 0.5), at(0.85, 0.5), at(0.5, 0.15), at(0.5, 0.85)];
    return points.filter(([top]) => top === undefined || !element.contains(top)).length;
  });
  expect.soft(covered, what).toBe(0);
}

async function expectComposerFree(page: Page, what: string): Promise<void> {
  for (const { width, height } of [
    { width: 390, height: 640 },
    { width: 1024, height: 720 },
  ]) {
    await page.setViewportSize({ width, height });
    // Under the pointer, toasts would be spread out.
    await page.mouse.move(2, height - 2);
    await expect(page.locator("[data-sonner-toast][data-expanded=true]")).toHaveCount(0);
    await expectNoSidewaysScroll(page, `${what} at ${width}`);
    for (const button of await page.locator("[data-promptbox]").getByRole("button").all()) {
      await expectFree(button, `${await button.getAttribute("aria-label")} below ${what} at ${width}`);
    }
  }
}

test("toasts leave the composer's buttons free, in a thread and on the first page", async ({ page }, info) => {
  await openWorking(page);
  for (let time = 1; time <= 3; ++time) {
    await page.keyboard.press("Control+Shift+P");
    await page.getByRole("dialog").getByRole("combobox").fill("Hurry up");
    await page.getByRole("option", { name: "Hurry up", exact: true }).click();
    await expect(page.locator("[data-sonner-toast]")).toHaveCount(time);
  }
  await expectComposerFree(page, "toasts in a thread");
  await page.getByRole("link", { name: "New thread" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "New thread" })).toBeVisible();
  await expectComposerFree(page, "toasts on the first page");
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 720 });
    await page.screenshot({ path: info.outputPath(`toasts-${width}.png`) });
  }
});

test("that the server was updated is said above the thread, whose agent can still be stopped", async ({ page }, info) => {
  await openWorking(page);
  await server.restart();
  await page.evaluate(() => globalThis.dispatchEvent(new Event("online")));
  const reload = page.getByRole("button", { name: "Reload to update" });
  await expect(reload).toBeVisible();
  await page.getByRole("textbox", { name: "Message" }).fill("Go on");
  await page.getByRole("button", { name: "Send message" }).click();
  await expect(page.getByRole("button", { name: "Stop the agent" })).toBeVisible();
  await expectComposerFree(page, "the notice of an update");
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 720 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `the notice of an update at ${width}, ${colorScheme}`);
      await page.screenshot({ path: info.outputPath(`update-${colorScheme}-${width}.png`) });
    }
  }
  await page.getByRole("button", { name: "Stop the agent" }).click();
  await expect(page.getByRole("button", { name: "Stop the agent" })).toHaveCount(0);
});
