// The frame around every page.
import { posix } from "node:path";

import { relativeUrl } from "./pages.mjs";
import { kColourPage } from "./swatches.mjs";

export const escapeHtml = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** The way from a page to the folder of the site: "", or "../". */
const upFrom = (url) => posix.relative(posix.dirname(url), ".").replace(/.$/, "$&/");

function navigation(pages, current) {
  return [...groupBy(pages)]
    .map(([group, members]) => {
      const rows = members.map((page) => {
        const here = page === current ? ` aria-current="page"` : "";
        return `<li><a href="${relativeUrl(current.url, page.url)}.html"${here}>${escapeHtml(page.title)}</a></li>`;
      });
      return `<h2>${escapeHtml(group)}</h2><ul>${rows.join("")}</ul>`;
    })
    .join("\n");
}

function groupBy(pages) {
  const groups = new Map();
  for (const page of pages) {
    groups.set(page.group, [...(groups.get(page.group) ?? []), page]);
  }
  return groups;
}

function contents(headings) {
  const rows = headings.filter(({ level }) => level === 2).map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return rows.length < 2 ? "" : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${rows.join("")}</ul></nav>`;
}

function neighbours(pages, current) {
  const at = pages.indexOf(current);
  const way = (page, rel, label) =>
    page === undefined
      ? ""
      : `<a rel="${rel}" href="${relativeUrl(current.url, page.url)}.html"><small>${label}</small>${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Pages before and after">${way(pages[at - 1], "prev", "Before")}${way(pages[at + 1], "next", "Next")}</nav>`;
}

function shell({ title, up, version, base = "", head = "", body }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${base}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${up}static/icon.svg">
<link rel="stylesheet" href="${up}static/site.css">
<script src="${up}static/theme.js"></script>
<script type="module" src="${up}static/site.js"></script>
${head}</head>
<body data-up="${up}">
${base === "" ? `<a class="skip" href="#content">Skip to the text</a>` : ""}
<header>
<a class="home" href="${up}index.html">svc <span>${escapeHtml(version)}</span></a>
<div class="search" role="search" hidden>
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" aria-controls="results">
<div id="results" aria-live="polite" hidden></div>
</div>
<a class="window" href="${up}../">Window</a>
</header>
${body}
</body>
</html>
`;
}

/** `rendered`: what the renderer made of `page`. */
export function layoutPage({ pages, page, rendered, version }) {
  const up = upFrom(page.url);
  const title = page.url === "index" ? "Documentation of svc" : `${page.title} · svc`;
  const markdown = `${posix.basename(page.url)}.md`;
  return shell({
    title,
    up,
    version,
    head: `<link rel="alternate" type="text/markdown" href="${markdown}">\n${
      page.source === kColourPage ? `<link rel="stylesheet" href="${up}static/swatches.css">\n` : ""
    }`,
    body: `<div class="frame">
<details class="pages"><summary>Pages</summary><nav aria-label="Pages">${navigation(pages, page)}</nav></details>
<main id="content" tabindex="-1">
${rendered.html}
${neighbours(pages, page)}
<p class="source"><a href="${markdown}">This page as Markdown</a></p>
</main>
${contents(rendered.headings)}
</div>`,
  });
}

/** What is shown for every address without a page, so its links start at the server's address: the server writes that into <base>. */
export function layoutMissing(version) {
  return shell({
    title: "No such page · svc",
    up: "docs/",
    version,
    base: `<base href="/">\n`,
    body: `<div class="frame"><main id="content">
<h1>There is no such page</h1>
<p>The documentation of this version has no page here. <a href="docs/index.html">All pages</a>, or search above.</p>
</main></div>`,
  });
}
