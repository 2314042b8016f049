// The documentation as it is served: every link and heading is there, nothing comes from elsewhere, and programs find all of it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import MiniSearch from "minisearch";

import { buildSite } from "../../docs/site/build.mjs";
import { colourNames } from "../../docs/site/swatches.mjs";
import { guide, pages as guidePages, root } from "./guide_examples.mjs";

const out = mkdtempSync(join(tmpdir(), "svc-site-"));
after(() => rmSync(out, { recursive: true, force: true }));

let pages;
before(async () => {
  pages = await buildSite(out);
});

const read = (name) => readFileSync(join(out, name), "utf8");
const html = () => readdirSync(out, { recursive: true }).filter((name) => name.endsWith(".html"));
const unescape = (text) =>
  text.replace(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex, dec) => String.fromCharCode(parseInt(hex ?? dec, hex ? 16 : 10)));
/** Values of an attribute, wherever it is. */
const attributes = (text, name) =>
  [...text.matchAll(new RegExp(`<[a-z][^>]*?\\s${name}="([^"]*)"`, "g"))].map(([, value]) => unescape(value));
const ids = new Map();
/** Each page is read once: the one of the routes is long, and full of links to itself. */
function idsOf(name) {
  const known = ids.get(name) ?? new Set(attributes(read(name), "id"));
  ids.set(name, known);
  return known;
}

test("every link leads to a file, and to a heading of it", () => {
  let count = 0;
  for (const name of html().filter((each) => each !== "404.html")) {
    for (const href of attributes(read(name), "href").filter((each) => !/^[a-z]+:/.test(each))) {
      const [path, anchor] = href.split("#");
      const target = path === "" ? name : join(dirname(name), path);
      // The window, which is beside the folder of the site.
      if (target === "../") {
        continue;
      }
      assert.ok(existsSync(join(out, target)), `${name} links to ${href}`);
      assert.ok(anchor === undefined || idsOf(target).has(decodeURIComponent(anchor)), `${name}: ${target} has no #${anchor}`);
      count += 1;
    }
  }
  assert.ok(count > 1000, `only ${count} links were walked`);
});

test("the page of an example shows its files, which a search leaves out", () => {
  const page = read("examples/disk-usage.html");
  assert.ok(idsOf("examples/disk-usage.html").has("source"));
  const files = [...page.matchAll(/<h3[^>]*>([^<]*)</g)].map(([, file]) => file);
  assert.deepEqual(files.slice(0, 6), ["package.json", "server.ts", "app.tsx", "contract.ts", "df.ts", "host.ts"]);
  assert.ok(files.slice(6).length > 0 && files.slice(6).every((file) => file.startsWith("tests/")), files.join(", "));
  assert.match(read("examples/todo.html"), /skills\/example-todos\/SKILL\.md/);
  const found = JSON.parse(read("search.json")).filter(({ url }) => url === "examples/disk-usage.html");
  assert.ok(found.length > 0 && found.every(({ id }) => id !== "source" && !id.startsWith("server")));
  assert.doesNotMatch(read("examples/disk-usage.md"), /^import /m);
});

test("links of the Markdown lead to Markdown", () => {
  for (const { url } of pages) {
    for (const [, path] of read(`${url}.md`)
      .replace(/^```.*?^```$/gms, "")
      .matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)) {
      assert.ok(existsSync(join(out, dirname(url), path)), `${url}.md links to ${path}`);
    }
  }
});

test("nothing is fetched from another host, and no script is written into a page", () => {
  for (const name of html()) {
    const text = read(name);
    const links = [...text.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href);
    for (const address of [...links, ...attributes(text, "src")]) {
      assert.doesNotMatch(address, /^([a-z]+:)?\/\//, `${name} fetches ${address}`);
    }
    for (const [, script] of text.matchAll(/<script[^>]*>([^<]*)</g)) {
      assert.equal(script, "", name);
    }
    assert.doesNotMatch(text, /<[^>]+\son[a-z]+=/, name);
  }
  assert.doesNotMatch(read("static/site.css"), /url\(|@import/);
});

test("pictures are there", () => {
  const pictures = html().flatMap((name) =>
    attributes(read(name), "src")
      .filter((src) => src.includes("images/"))
      .map((src) => join(dirname(name), src)),
  );
  assert.ok(pictures.length > 0);
  for (const picture of pictures) {
    assert.ok(existsSync(join(out, picture)), picture);
  }
});

test("every page of the guide is one of the site, and in the navigation of each", () => {
  const urls = guidePages.map((name) => `guide/${name === "README.md" ? "index" : name.replace(/\.md$/, "")}`);
  assert.deepEqual(
    urls.filter((url) => !pages.some((page) => page.url === url)),
    [],
    `missing of ${guide}`,
  );
  assert.equal(new Set(pages.map(({ url }) => url)).size, pages.length);
  for (const page of pages) {
    const nav = /<nav aria-label="Pages">.*?<\/nav>/s.exec(read(`${page.url}.html`))[0];
    assert.equal(nav.match(/<li>/g).length, pages.length);
    assert.equal(nav.match(/aria-current="page"/g).length, 1);
  }
});

test("code is coloured for light and dark, and can be copied", () => {
  const page = read("guide/rpc.html");
  assert.match(page, /light-dark\(/);
  assert.equal(page.match(/<button [^>]*class="copy"/g).length, page.match(/<pre /g).length);
});

test("the search knows the words of pages by their headings", () => {
  const sections = JSON.parse(read("search.json"));
  const search = new MiniSearch({ fields: ["title", "heading", "text"], storeFields: ["url", "id"], idField: "key" });
  search.addAll(sections.map((section, key) => ({ ...section, key })));
  for (const { url, id } of sections) {
    assert.ok(idsOf(url).has(id), `${url}#${id}`);
  }
  assert.equal(search.search("reverse proxy", { combineWith: "AND" })[0].url, "operations.html");
  // Neither the sign beside a heading nor the button below code is a word of the page.
  assert.ok(sections.every(({ heading, text }) => !heading.endsWith("#") && !text.endsWith("Copy")));
});

test("the schema of the manifest is there", () => {
  assert.deepEqual(JSON.parse(read("schema/manifest.json")), JSON.parse(readFileSync(join(root, "sdk/manifest.schema.json"), "utf8")));
});

test("llms.txt names every page by its Markdown, and llms-full.txt has them", () => {
  const [title, , about] = read("llms.txt").split("\n");
  assert.equal(title, "# svc");
  assert.match(about, /^> \S/);
  const named = [...read("llms.txt").matchAll(/^- \[[^\]]+\]\(docs\/([^)]+)\)/gm)].map(([, path]) => path);
  assert.deepEqual(
    named,
    pages.map(({ url }) => `${url}.md`),
  );
  named.forEach((path) => assert.ok(existsSync(join(out, path)), path));
  const full = read("llms-full.txt");
  for (const name of guidePages) {
    assert.ok(full.includes(readFileSync(join(guide, name), "utf8").split("\n", 1)[0]), name);
  }
});

test("the page of colours has every colour of the window once, with a swatch in light and dark", () => {
  const page = read("guide/colours.html");
  const rows = [...page.matchAll(/<td>((?:<span class="swatch [^>]*><\/span>)*)<code>([\w-]+)<\/code><\/td>/g)].map(
    ([, swatches, name]) => [name, attributes(swatches, "class")],
  );
  assert.deepEqual(rows.map(([name]) => name).sort(), colourNames().sort());
  assert.ok(rows.length > 50, `${rows.length} colours`);
  const sheet = read("static/swatches.css");
  for (const [name, classes] of rows) {
    assert.deepEqual(classes, [`swatch light colour-${name}`, `swatch dark colour-${name}`]);
    assert.ok(sheet.includes(`.colour-${name} { background: linear-gradient(var(--color-${name}) 0 0), var(--canvas); }`), name);
    assert.match(sheet, new RegExp(`^  --color-${name}: var\\(--`, "m"), `tokens.css has no --color-${name}`);
  }
  // Of the swatches, not of the pages around them.
  assert.doesNotMatch(sheet, /:root/);
  assert.match(page, /href="\.\.\/static\/swatches\.css"/);
  assert.doesNotMatch(read("guide/rpc.html"), /swatches\.css/);
});
