// What `svc plugin new` makes, used as its author will use it first.
import { expectEveryLook } from "./support/axe.js";
import { type PluginDirectory, scaffold } from "./support/plugins.js";
import { kSvc, type Server, startServer } from "./support/server.js";
import { expect, open, type Page, test } from "./support/test.js";

let server: Server;
let todo: PluginDirectory;

test.beforeAll(async () => {
  server = await startServer();
  todo = scaffold(server.scratch, kSvc, "errands");
  await server.install(todo);
});
test.afterAll(() => server?.close());
// Each test begins with the same list.
test.beforeEach(async () => {
  const { result } = await server.api<{ result: { todos: { id: string }[] } }>("/plugins/errands/rpc/todos_list", null);
  for (const { id } of result.todos) {
    await server.api("/plugins/errands/rpc/todos_remove", { id });
  }
});

/** Adds todos past the page; those in `done` are done. */
async function given(titles: string[], done: string[] = []): Promise<void> {
  for (const title of titles) {
    const { result } = await server.api<{ result: { id: string } }>("/plugins/errands/rpc/todos_add", { title });
    if (done.includes(title)) {
      await server.api("/plugins/errands/rpc/todos_set_done", { id: result.id, done: true });
    }
  }
}

const url = () => `${server.url}/plugins/errands/todos`;
const list = (page: Page) => page.getByRole("list", { name: "Todos" });

test("from the first start to a done todo", async ({ page }) => {
  await open(page, server.url);
  await page.locator('[data-sidebar="sidebar"]').getByRole("link", { name: "Errands" }).click();
  await expect(page).toHaveURL(url());
  await expect(page.getByRole("heading", { level: 1, name: "Errands" })).toBeVisible();
  await expect(page).toHaveTitle(/Errands/);
  await expect(page.getByText("Nothing to do")).toBeVisible();

  await page.getByLabel("New todo").fill("buy milk");
  await page.keyboard.press("Enter");
  const item = list(page).getByRole("checkbox", { name: "buy milk" });
  await expect(item).toBeVisible();
  await expect(page.getByLabel("New todo")).toBeFocused();
  await item.click();
  await expect(page.getByText("1 of 1 done")).toBeVisible();
  expect(await server.mustRun("errands", "list")).toMatch(/\[x\] \w{8} {2}buy milk/);

  await page.getByRole("button", { name: "Remove buy milk" }).click();
  await expect(page.getByText("Nothing to do")).toBeVisible();
});

test("two windows and the command show the same list", async ({ page, context }) => {
  const other = await context.newPage();
  await open(page, url());
  await open(other, url());
  await expect(other.getByText("Nothing to do")).toBeVisible();
  await page.getByLabel("New todo").fill("water the plants");
  await page.keyboard.press("Enter");
  await expect(other.getByRole("checkbox", { name: "water the plants" })).toBeVisible();
  await other.getByRole("checkbox", { name: "water the plants" }).click();
  await expect(page.getByText("1 of 1 done")).toBeVisible();

  await server.mustRun("errands", "add", "from", "the", "shell");
  await expect(page.getByRole("checkbox", { name: "from the shell" })).toBeVisible();
  await expect(other.getByRole("checkbox", { name: "from the shell" })).toBeVisible();
});

test("a setting of the plugin changes what the page lists", async ({ page, context }) => {
  await given(["water the plants", "from the shell"], ["water the plants"]);
  await open(page, url());
  await expect(page.getByRole("checkbox", { name: "water the plants" })).toBeVisible();
  const settings = await context.newPage();
  await open(settings, `${server.url}/settings/plugins/errands`);
  await settings.getByRole("switch", { name: /show done/i }).click();
  await expect(page.getByRole("checkbox", { name: "water the plants" })).toHaveCount(0);
  await expect(page.getByRole("checkbox", { name: "from the shell" })).toBeVisible();
  await settings.getByRole("switch", { name: /show done/i }).click();
  await expect(page.getByRole("checkbox", { name: "water the plants" })).toBeVisible();
});

test("what the server refuses is announced, and the draft stays", async ({ page }) => {
  await given(["buy milk"]);
  await open(page, url());
  await expect(list(page)).toBeVisible();
  await page.route("**/rpc/todos_add", (route) =>
    route.fulfill({
      status: 500,
      contentType: "application/json",
      body: '{"ok":false,"error":{"code":"handler_error","message":"out of paper"}}',
    }),
  );
  await page.getByLabel("New todo").fill("a longer thought");
  await page.keyboard.press("Enter");
  await expect(page.locator("main").getByRole("alert")).toHaveText("out of paper");
  await expect(page.getByLabel("New todo")).toHaveValue("a longer thought");
});

test("the page is accessible in every look", async ({ page }) => {
  await given(["buy milk", "buy bread"], ["buy bread"]);
  await open(page, url());
  await expect(list(page)).toBeVisible();
  await expectEveryLook(page, "the todo page");
});

for (const [shape, width] of [
  ["dialog", 1280],
  ["drawer", 390],
] as const) {
  test(`the focus returns to the button that opened an overlay, shown as a ${shape}`, async ({ page }) => {
    const plugin = scaffold(server.scratch, kSvc, `overlay-${shape}`);
    plugin.edit("app.tsx", "import { Card }", 'import { ResponsiveOverlay } from "@/components/ui/responsive-overlay";\nimport { Card }');
    plugin.edit("app.tsx", "const heading = useRef", "const [isOpen, setOpen] = useState(false);\n  const heading = useRef");
    plugin.edit(
      "app.tsx",
      "<AddTodo onAdd={add} />",
      `<Button onClick={() => setOpen(true)}>Ask</Button>
        <ResponsiveOverlay open={isOpen} onOpenChange={setOpen} title="A question"><Input aria-label="Answer" /></ResponsiveOverlay>`,
    );
    await server.install(plugin);
    await page.setViewportSize({ width, height: 800 });
    await open(page, `${server.url}/plugins/${plugin.id}/todos`);
    const button = page.getByRole("button", { name: "Ask", includeHidden: true });
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "A question" })).toBeVisible();
    await expect(button).not.toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(button).toBeFocused();
    await server.mustRun("plugin", "remove", plugin.id, "--yes");
  });
}
