// Markdown to the HTML of one page: headings with addresses, coloured code that can be copied, links between pages.
import { posix } from "node:path";

import { toHtml } from "hast-util-to-html";
import rehypeRaw from "rehype-raw";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { createHighlighter } from "shiki";
import { unified } from "unified";

import { relativeUrl, resolveLink } from "./pages.mjs";
import { kColourPage, swatchesOf } from "./swatches.mjs";

const kThemes = { light: "github-light-default", dark: "github-dark-default" };
const kLanguages = [
  "ts",
  "tsx",
  "js",
  "json",
  "sh",
  "css",
  "html",
  "cpp",
  "cmake",
  "yaml",
  "toml",
  "ini",
  "sql",
  "diff",
  "nginx",
  "xml",
  "md",
];
const kAliases = { jsonc: "json", console: "sh", bash: "sh", mjs: "js", "c++": "cpp" };
const kHeading = /^h([1-6])$/;
const kElsewhere = /^[a-z]+:/;

const element = (tagName, properties, children = []) => ({ type: "element", tagName, properties, children });
const text = (value) => ({ type: "text", value });

export function textOf(node) {
  return node.type === "text" ? node.value : (node.children ?? []).map(textOf).join("");
}

/** As GitHub makes the address of a heading from its text, so that a link is right there and here. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** One for all pages: what is slow is loading the grammars. Its `images` are the pictures that the rendered pages show. */
export async function createRenderer(pages) {
  const highlighter = await createHighlighter({ themes: Object.values(kThemes), langs: kLanguages });
  const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).use(rehypeRaw);
  const images = new Set();
  const render = (page) => {
    const tree = processor.runSync(processor.parse(page.text + page.code));
    const headings = [];
    shape(tree, { page, pages, headings, highlighter, images, anchors: new Map() });
    return { html: toHtml(tree), headings, sections: sectionsOf(tree) };
  };
  return Object.assign(render, { images });
}

/** Where a picture of the repository is on the site. */
export const placeOfImage = (path) => `images/${posix.basename(path)}`;

/** Changes the children of a node, innermost first. */
function shape(node, context) {
  node.children = node.children.flatMap((child) => {
    if (child.type !== "element") {
      return [child];
    }
    if (child.tagName === "pre") {
      return [codeBlock(child, context.highlighter)];
    }
    shape(child, context);
    if (child.tagName === "img") {
      return [picture(child, context)];
    }
    if (child.tagName === "a") {
      return link(child, context);
    }
    if (child.tagName === "td" && context.page.source === kColourPage) {
      return [withSwatches(child)];
    }
    if (child.tagName === "table") {
      return [element("div", { className: ["table"], tabIndex: 0, role: "region", ariaLabel: "Table" }, [withoutEmptyHead(child)])];
    }
    return [kHeading.test(child.tagName) ? heading(child, context) : child];
  });
}

/** A cell with the name of a colour shows it. */
function withSwatches(cell) {
  const swatches = swatchesOf(textOf(cell)).map((className) => element("span", { className, ariaHidden: "true" }));
  return { ...cell, children: [...swatches, ...cell.children] };
}

function heading(node, { headings, anchors }) {
  const title = textOf(node);
  const base = anchorOf(title);
  const count = anchors.get(base) ?? 0;
  anchors.set(base, count + 1);
  const id = count === 0 ? base : `${base}-${count}`;
  const level = Number(kHeading.exec(node.tagName)[1]);
  headings.push({ id, title, level });
  node.properties.id = id;
  if (level > 1) {
    node.children.push(element("a", { className: ["anchor"], href: `#${id}`, ariaLabel: `Link to “${title}”` }, [text("#")]));
  }
  return node;
}

function picture(node, { page, images }) {
  const path = posix.join(posix.dirname(page.source), node.properties.src);
  images.add(path);
  node.properties.src = relativeUrl(page.url, placeOfImage(path));
  return node;
}

/** A link to a file that is no page shows its text alone: there is nothing to open. */
function link(node, { page, pages }) {
  const href = node.properties.href ?? "";
  if (kElsewhere.test(href)) {
    node.properties.rel = ["noreferrer"];
    return [node];
  }
  const found = resolveLink(pages, page, href);
  if (found === undefined) {
    return node.children;
  }
  const url = found.page === page && found.anchor !== undefined ? "" : `${relativeUrl(page.url, found.page.url)}.html`;
  node.properties.href = url + (found.anchor === undefined ? "" : `#${found.anchor}`);
  return [node];
}

/** GFM knows no table without a head; ours leave it empty where there is nothing to say. */
function withoutEmptyHead(table) {
  table.children = table.children.filter((part) => part.tagName !== "thead" || textOf(part).trim() !== "");
  return table;
}

function codeBlock(pre, highlighter) {
  const [code] = pre.children;
  const [, named = "text"] = /language-(\S+)/.exec((code.properties?.className ?? []).join(" ")) ?? [];
  const lang = kAliases[named] ?? named;
  const source = textOf(code).replace(/\n$/, "");
  const [block] = highlighter.codeToHast(source, {
    lang: kLanguages.includes(lang) ? lang : "text",
    themes: kThemes,
    defaultColor: "light-dark()",
  }).children;
  block.properties.tabindex = "0";
  return element("div", { className: ["code"] }, [
    block,
    element("button", { type: "button", className: ["copy"], hidden: true, ariaLabel: "Copy the code" }, [text("Copy")]),
  ]);
}

/** What the search finds: the text below each heading, with the heading's address. */
function sectionsOf(tree) {
  const sections = [];
  for (const node of tree.children) {
    if (node.type === "element" && kHeading.test(node.tagName)) {
      sections.push({ id: node.properties.id, heading: textOf(node).replace(/#$/, ""), text: "" });
    } else if (sections.length > 0) {
      sections.at(-1).text += ` ${readable(node)}`;
    }
  }
  return sections.map(({ text: found, ...rest }) => ({ ...rest, text: found.replace(/\s+/g, " ").trim() }));
}

/** Cells and lines are words apart, and what buttons say is no text of the page. */
function readable(node) {
  if (node.tagName === "button") {
    return "";
  }
  return node.type === "text" ? node.value : `${(node.children ?? []).map(readable).join("")}${node.tagName === "td" ? " " : ""}`;
}
