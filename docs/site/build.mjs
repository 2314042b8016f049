// build.mjs <out>: the documentation as the server serves it at /docs, with what programs read of it (llms.txt).
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { compressFolder } from "../../window/compress.mjs";

import { layoutMissing, layoutPage } from "./layout.mjs";
import { llmsFull, llmsIndex, markdownOf } from "./llms.mjs";
import { kCodeAnchor, listPages } from "./pages.mjs";
import { createRenderer, placeOfImage } from "./render.mjs";
import { swatchSheet } from "./swatches.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

function write(out, name, text) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), text);
}

async function writeAssets(out, images) {
  for (const image of images) {
    cpSync(join(root, image), join(out, placeOfImage(image)));
  }
  for (const file of ["site.css", "theme.js"]) {
    cpSync(join(here, "assets", file), join(out, "static", file), { recursive: true });
  }
  writeFileSync(join(out, "static/swatches.css"), swatchSheet());
  cpSync(join(root, "window/public/icon.svg"), join(out, "static/icon.svg"));
  // Where editors without the SDK find it.
  mkdirSync(join(out, "schema"));
  cpSync(join(root, "sdk/manifest.schema.json"), join(out, "schema/manifest.json"));
  // Where tools without a checkout find it.
  cpSync(join(root, "docs/http/openapi.json"), join(out, "openapi.json"));
  await build({
    entryPoints: [join(here, "assets/site.mjs")],
    outfile: join(out, "static/site.js"),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
}

/** The version that the pages are of, from the one place that has it. */
function versionOf(sources) {
  return /^project\(svc VERSION ([\d.]+)/m.exec(readFileSync(join(sources, "CMakeLists.txt"), "utf8"))[1];
}

/** Without the files of an example: who searches looks for text. */
function written(sections) {
  const code = sections.findIndex(({ id }) => id === kCodeAnchor);
  return code < 0 ? sections : sections.slice(0, code);
}

export async function buildSite(out) {
  const pages = listPages(root);
  const render = await createRenderer(pages);
  const version = versionOf(root);
  const search = [];
  rmSync(out, { recursive: true, force: true });
  for (const page of pages) {
    const rendered = render(page);
    write(out, `${page.url}.html`, layoutPage({ pages, page, rendered, version }));
    write(out, `${page.url}.md`, markdownOf(pages, page));
    search.push(...written(rendered.sections).map((section) => ({ ...section, url: `${page.url}.html`, title: page.title })));
  }
  write(out, "404.html", layoutMissing(version));
  write(out, "search.json", JSON.stringify(search));
  write(out, "llms.txt", llmsIndex(pages));
  write(out, "llms-full.txt", llmsFull(pages));
  await writeAssets(out, render.images);
  compressFolder(out);
  return pages;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = process.argv[2];
  // Built aside, so that a server whose folder this is always has whole pages.
  await buildSite(`${out}.new`);
  rmSync(out, { recursive: true, force: true });
  renameSync(`${out}.new`, out);
}
