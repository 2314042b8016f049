// Folders and files of the server's own machine: gone through, found, shown, and changed after a question.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

import { expectAccessible, expectEveryLook, expectNoSidewaysScroll } from "./support/axe.js";
import { example } from "./support/plugins.js";
import { type Server, startServer } from "./support/server.js";
import { expect, type Locator, open, type Page, test } from "./support/test.js";

let server: Server;
let hostId: string;
let folder: string;

/** One red pixel. */
function png(): Buffer {
  const part = (type: string, data: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(type), data]);
    let crc = ~0;
    for (const byte of body) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) {
        crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
      }
    }
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(~crc >>> 0);
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixels = deflateSync(Buffer.from([0, 255, 0, 0]));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    part("IHDR", header),
    part("IDAT", pixels),
    part("IEND", Buffer.alloc(0)),
  ]);
}

const kPatch = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-before", "+after", ""].join("\n");
const kPdf =
  "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
  "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

test.beforeAll(async () => {
  server = await startServer();
  folder = join(server.scratch, "work");
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  mkdirSync(join(folder, "many"));
  mkdirSync(join(folder, "odd"));
  execFileSync("mkfifo", [join(folder, "odd/pipe")]);
  writeFileSync(Buffer.concat([Buffer.from(join(folder, "odd/bad")), Buffer.from([0xff]), Buffer.from(".txt")]), "x");
  writeFileSync(join(folder, "odd/old.bin"), Buffer.alloc(3000));
  utimesSync(join(folder, "odd/old.bin"), 1, 1);
  writeFileSync(join(folder, "odd/new.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  const files: Record<string, string | Buffer> = {
    "README.md": "# A title\n\nSome **text**, and [a link](https://example.org).\n",
    "main.cpp": Array.from({ length: 300 }, (_, index) => `int line${index + 1};`).join("\n"),
    // The regular expressions of the grammar take minutes for it.
    "hostile.cpp": `${"[".repeat(90_000)}\n`,
    "long.patch": ["--- a/x.cpp", "+++ b/x.cpp", "@@ -0,0 +1,400 @@", ...Array<string>(400).fill("+a(b<c>::d);"), ""].join("\n"),
    "small.patch": ["--- a/x.ts", "+++ b/x.ts", "@@ -1 +1 @@", "-const a = 1;", "+const b = 2;", ""].join("\n"),
    "table.csv": "town,river\nUlm,Donau\n",
    "change.patch": kPatch,
    "dot.png": png(),
    "paper.pdf": kPdf,
    "blob.bin": Buffer.from([0, 1, 2, 3]),
    "drawing.svg":
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>top.hacked = 1</script><rect width="9" height="9"/></svg>',
    "src/deep/needle.txt": "found\n",
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
  }
  for (let index = 0; index < 3000; index += 1) {
    writeFileSync(join(folder, `many/f${index}.txt`), "");
  }
  const hosts = async () => (await server.api<{ hosts: { id: string; status: string }[] }>("/hosts")).hosts;
  await expect.poll(async () => (await hosts())[0]?.status).toBe("connected");
  hostId = (await hosts())[0]!.id;
});
test.afterAll(() => server?.close());

const address = (more: Record<string, string> = {}, path = folder) =>
  `${server.url}/files/${hostId}?${new URLSearchParams({ path, ...more }).toString()}`;
const row = (page: Page, name: string): Locator => page.locator("[data-row-link]").filter({ has: page.getByText(name, { exact: true }) });
const content = (page: Page, name: string): Locator => page.getByRole("region", { name: `Content of ${name}` });
const showFile = (page: Page, name: string) => open(page, address({ file: name }));

test("folders are gone through by mouse and by keys", async ({ page }) => {
  await open(page, address());
  await row(page, "src").click();
  await row(page, "deep").click();
  await row(page, "needle.txt").click();
  await expect(content(page, "needle.txt")).toContainText("found");
  await page.getByRole("navigation", { name: "Folders above" }).getByRole("link", { name: "work", exact: true }).click();
  await row(page, "odd").focus();
  await page.keyboard.press("ArrowDown");
  await expect(row(page, "src")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(row(page, "deep")).toBeVisible();
});

test("a folder of thousands is drawn in part, from its top, and scrolled by arrow keys", async ({ page }) => {
  await open(page, address({}, join(folder, "many")));
  await expect(row(page, "f0.txt")).toBeVisible();
  expect(await page.locator("[data-row-link]").count()).toBeLessThan(100);
  await row(page, "f0.txt").focus();
  for (let index = 0; index < 60; index += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await expect(row(page, "f60.txt")).toBeFocused();
  await expect(row(page, "f60.txt")).toBeInViewport();
});

test("files are found below a folder, with the letters that match marked", async ({ page }) => {
  await open(page, address());
  await page.getByRole("searchbox", { name: "Search below this folder" }).fill("needle");
  const found = page.locator("[data-row-link]").filter({ hasText: "src/deep/needle.txt" });
  await expect(found).toBeVisible();
  expect((await found.locator("mark").allTextContents()).join("")).toBe("needle");
  await expectAccessible(page, "found files");
  await found.click();
  await expect(content(page, "needle.txt")).toContainText("found");
});

test("each kind of file is shown in its way", async ({ page }) => {
  await showFile(page, "README.md");
  await expect(content(page, "README.md").getByRole("heading", { name: "A title" })).toBeVisible();
  await page.getByRole("button", { name: "Source" }).click();
  await expect(content(page, "README.md")).toContainText("**text**");

  await showFile(page, "change.patch");
  await expect(content(page, "change.patch")).toContainText("after");

  await showFile(page, "dot.png");
  const image = page.getByRole("img", { name: "dot.png" });
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);

  await showFile(page, "blob.bin");
  await expect(content(page, "blob.bin")).toContainText("blob.bin is not a text");

  await showFile(page, "gone.txt");
  await expect(content(page, "gone.txt")).toContainText("gone.txt is not there");

  await showFile(page, "paper.pdf");
  await expect(content(page, "paper.pdf").locator("iframe").or(page.getByText("This browser shows no PDF files in pages."))).toBeVisible();
});

test("a drawing runs no scripts", async ({ page }) => {
  await showFile(page, "drawing.svg");
  const image = page.getByRole("img", { name: "drawing.svg" });
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(9);
  expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false);
});

test("a line is marked and scrolled to", async ({ page }) => {
  await open(page, address({ file: "main.cpp", line: "250" }));
  const line = page.locator('[data-line="250"]');
  await expect(line).toBeInViewport();
  await expect(line).toHaveClass(/bg-surface-selected/);
});

test("code has its colours, and what takes minutes to colour holds nothing up", async ({ page }) => {
  const isColoured = (name: string, words: string) =>
    // Above what two texts may take, and the workers before them.
    expect(content(page, name).locator(words).first()).toBeVisible({ timeout: 60_000 });
  await showFile(page, "hostile.cpp");
  await expect(content(page, "hostile.cpp")).toContainText("[[[[");
  await row(page, "main.cpp").click();
  await isColoured("main.cpp", "span[style*=color]");
  for (const patch of ["long.patch", "small.patch"]) {
    await row(page, patch).click();
    await isColoured(patch, "[data-line] span[style*=color]");
  }
});

test("a plugin opens the files that it takes, and the window when asked", async ({ page }) => {
  await server.install(example(server.scratch, "csv-view"));
  await showFile(page, "table.csv");
  await expect(content(page, "table.csv").getByRole("cell", { name: "Donau" })).toBeVisible();
  await page.getByRole("button", { name: "Open with" }).click();
  await page.getByRole("menuitemradio", { name: /own$/ }).click();
  await expect(content(page, "table.csv")).toContainText("Ulm,Donau");
});

test("a file is downloaded under its name", async ({ page }) => {
  await showFile(page, "blob.bin");
  const download = page.waitForEvent("download");
  await content(page, "blob.bin").getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("blob.bin");
});

test("folders are made, files renamed, moved and deleted", async ({ page }) => {
  await open(page, address());
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("made");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(row(page, "made")).toBeVisible();

  const menu = async (name: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  writeFileSync(join(folder, "old.txt"), "x");
  await page.getByRole("button", { name: "Read the folder again" }).click();
  await menu("old.txt", "Rename…");
  await page.getByRole("textbox", { name: "Name" }).fill("new.txt");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await expect(row(page, "new.txt")).toBeVisible();

  await menu("new.txt", "Move…");
  const dialog = page.getByRole("dialog", { name: "Move new.txt" });
  await dialog.getByRole("combobox", { name: "Folder" }).fill(`${folder}/ma`);
  await dialog.getByRole("option", { name: "made" }).click();
  await expectAccessible(page, "the folder picker");
  await dialog.getByRole("button", { name: "Move here" }).click();
  await expect(row(page, "new.txt")).toHaveCount(0);
  expect(existsSync(join(folder, "made/new.txt"))).toBe(true);

  await menu("made", "Delete…");
  const question = page.getByRole("alertdialog", { name: "Delete made?" });
  await expect(question).toContainText("everything in it");
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(row(page, "made")).toHaveCount(0);
  expect(existsSync(join(folder, "made"))).toBe(false);
});

test("a machine's page leads to its files and terminals", async ({ page }) => {
  await open(page, `${server.url}/settings/machines/${hostId}`);
  await page.getByRole("link", { name: "Files" }).click();
  await expect(page).toHaveURL(new RegExp(`/files/${hostId}$`));
  await page.getByRole("button", { name: "Open terminal here" }).click();
  await expect(page.getByRole("dialog", { name: "Open a terminal" })).toBeVisible();
});

test("folder and files are accessible in every look", async ({ page }) => {
  // Four pages in four looks.
  test.setTimeout(120_000);
  await open(page, address());
  await expect(row(page, "README.md")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expectEveryLook(page, "a folder");
  for (const name of ["README.md", "main.cpp", "dot.png"]) {
    await page.setViewportSize({ width: 1280, height: 720 });
    await showFile(page, name);
    await expect(content(page, name).locator("img, [data-line], h1, h2").first()).toBeVisible();
    await expectEveryLook(page, name);
  }
});

test("a list has sizes, dates and an order, and says what is no file or has no name", async ({ page }) => {
  await open(page, `${server.url}/files/${hostId}?path=${encodeURIComponent(join(folder, "odd"))}`);
  const list = page.getByRole("region", { name: /^Files in / });
  await expect(list.getByText("2.9 KiB")).toBeVisible();
  await expect(list.getByText(/years ago/)).toBeVisible();
  await expect(list.getByText("A pipe, socket or device: there is nothing to show")).toBeVisible();
  await expect(list.getByText("Its name is not UTF-8: use a terminal")).toBeVisible();
  const links = list.getByRole("link");
  await expect(links.first()).toContainText("new.txt");
  await page.getByRole("combobox", { name: "Order" }).selectOption("Largest first");
  await expect(links.first()).toContainText("old.bin");
  await expectAccessible(page, "a folder with what is no file");
  await links.filter({ hasText: "new.txt" }).click();
  await expect(page.getByText("new.txt is not UTF-8")).toBeVisible();
  await page.setViewportSize({ width: 390, height: 720 });
  await expectNoSidewaysScroll(page, "a text that is not UTF-8");
});
