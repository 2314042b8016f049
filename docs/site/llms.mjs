// The documentation for programs: llms.txt lists the pages (https://llmstxt.org), llms-full.txt has them all.
import { relink } from "../../builtin/links.mjs";

import { relativeUrl, resolveLink } from "./pages.mjs";

const kAbout =
  "A service that hosts plugins written in TypeScript: with code in the server, pages in a window, and code on other machines. It also runs threads of coding agents.";

/** The page's Markdown as it lies beside its HTML: links lead to the Markdown of other pages. */
export function markdownOf(pages, page, addressOf = (to) => `${relativeUrl(page.url, to.url)}.md`) {
  return relink(page.text, (path) => {
    const found = resolveLink(pages, page, path);
    return found === undefined ? undefined : addressOf(found.page);
  });
}

/** The first sentence of a page that is no list, table or code. */
function summaryOf({ text }) {
  const paragraph = text
    .replace(/^```.*?^```$/gms, "")
    .split(/\n{2,}/)
    .find((part) => /^[\p{L}`*]/u.test(part.trim()));
  const [sentence = ""] = /^.*?(?:\.(?=\s|$)|:$)/s.exec((paragraph ?? "").replace(/\s+/g, " ").trim()) ?? [];
  return sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/:$/, ".");
}

export function llmsIndex(pages) {
  const lines = ["# svc", "", `> ${kAbout}`, "", "All pages in one file: [llms-full.txt](llms-full.txt)."];
  let group;
  for (const page of pages) {
    if (page.group !== group) {
      group = page.group;
      lines.push("", `## ${group}`, "");
    }
    const summary = summaryOf(page);
    lines.push(`- [${page.title}](docs/${page.url}.md)${summary === "" ? "" : `: ${summary}`}`);
  }
  return `${lines.join("\n")}\n`;
}

export function llmsFull(pages) {
  const parts = pages
    .filter(({ source }) => source !== "CHANGELOG.md")
    .map((page) => `<!-- docs/${page.url}.md -->\n\n${markdownOf(pages, page, (to) => `docs/${to.url}.md`).trim()}\n`);
  return parts.join("\n---\n\n");
}
