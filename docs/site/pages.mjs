// Which documents are pages of the site, where they are there, and in which order the navigation has them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Groups around the guide; their pages in reading order. Paths are those of the repository. */
const kBefore = [{ title: "Start", pages: ["docs/README.md", "docs/tutorial.md"] }];
const kAfter = [
  { title: "Using and running it", pages: ["docs/threads.md", "docs/operations.md", "docs/security.md", "CHANGELOG.md"] },
  { title: "Reference", pages: ["docs/cli.md", "docs/http-api.md", "docs/errors.md"] },
  { title: "Changing svc", pages: ["docs/architecture.md", "docs/module-guide.md", "docs/testing-agents.md"] },
];
const kGuide = "docs/guide";
const kExamples = "examples";
/** Of the heading above the files of an example; the window links to it. */
export const kCodeAnchor = "source";
/** Longer than any in a file that is shown. */
const kFence = "`".repeat(5);

/** What the site calls a page whose heading does not stand alone. */
const kTitles = { "docs/README.md": "Overview", "CHANGELOG.md": "Changes" };

/**
 * Every page: `source` in the repository, `url` below the site without extension, `title`, `group` of the navigation, `text`,
 * and `code`, which only people read there: Markdown with the files of an example.
 */
export function listPages(root) {
  return groups(root).flatMap(({ title: group, pages }) =>
    pages.map((source) => {
      const text = readFileSync(join(root, source), "utf8");
      return { source, url: urlOf(source), title: kTitles[source] ?? headingOf(text, source), group, text, code: codeOf(root, source) };
    }),
  );
}

function groups(root) {
  const examples = readdirSync(join(root, kExamples))
    .map((name) => `${kExamples}/${name}/README.md`)
    .filter((source) => existsSync(join(root, source)));
  return [...kBefore, ...guideGroups(root), { title: "Examples", pages: [`${kExamples}/README.md`, ...examples] }, ...kAfter];
}

/** What the page of an example shows below its README.md: the files of which the plugin is made. */
function codeOf(root, source) {
  const folder = posix.dirname(source);
  if (posix.dirname(folder) !== kExamples) {
    return "";
  }
  const isShown = (file) => /\.(tsx?|css|json)$|\/SKILL\.md$/.test(file) && !/^(node_modules|dist|package-lock)|^tsconfig/.test(file);
  const files = readdirSync(join(root, folder), { recursive: true }).filter(isShown).sort(inReadingOrder);
  const shown = files.map((file) => {
    const text = readFileSync(join(root, folder, file), "utf8").trimEnd();
    return `### ${file}\n\n${kFence}${posix.extname(file).slice(1)}\n${text}\n${kFence}\n`;
  });
  const name = posix.basename(folder);
  const copy = `\`svc plugin new my-${name} --from ${name}\` makes a plugin of your own from these files.`;
  return `\n## Source\n\n${copy}\n\n${shown.join("\n")}`;
}

/** The manifest, the entries, what they use, and the tests last. */
function inReadingOrder(left, right) {
  const rank = (file) =>
    [/^package\.json$/, /^server\.ts$/, /^app\.tsx$/, /^[^/]+$/, /^skills\//].findIndex((each) => each.test(file)) >>> 0;
  return rank(left) - rank(right) || left.localeCompare(right);
}

/** The guide's table of contents is the order of its pages. */
function guideGroups(root) {
  const [intro, ...sections] = readFileSync(join(root, kGuide, "README.md"), "utf8").split(/^## /m);
  const seen = new Set(kAfter.flatMap(({ pages }) => pages));
  const groups = sections.map((section) => ({ title: section.slice(0, section.indexOf("\n")), pages: linked(section, seen) }));
  return [{ title: "Writing plugins", pages: [`${kGuide}/README.md`, ...linked(intro, new Set(["docs/tutorial.md"]))] }, ...groups];
}

/** The documents of docs/ that a part of the guide's first page leads to, each once. */
function linked(section, seen) {
  return [...section.matchAll(/\]\(([\w./-]+\.md)\)/g)]
    .map(([, target]) => posix.join(kGuide, target))
    .filter((source) => source.startsWith("docs/") && !seen.has(source) && seen.add(source));
}

/** README.md of a folder is the folder's index, and an example is one page beside the others. */
function urlOf(source) {
  return source
    .replace(/^docs\//, "")
    .replace(/^(examples\/[^/]+)\/README\.md$/, "$1")
    .replace(/^CHANGELOG\.md$/, "changelog")
    .replace(/(^|\/)README\.md$/, "$1index")
    .replace(/\.md$/, "");
}

function headingOf(text, source) {
  const [, heading] = /^# (.+)$/m.exec(text) ?? [];
  if (heading === undefined) {
    throw new Error(`${source} has no heading`);
  }
  return heading.replaceAll("`", "");
}

/**
 * Where a link of the page `from` leads: the page with what follows '#', or undefined when it is no page of the site. Folders are their
 * README.md, files of an example its page.
 */
export function resolveLink(pages, from, target) {
  const [path, anchor] = target.split("#");
  const source = path === "" ? from.source : posix.join(posix.dirname(from.source), path).replace(/\/$/, "");
  const page = pages.find((each) => each.source === source || each.source === `${source}/README.md`);
  return page === undefined ? undefined : { page, anchor };
}

/** The address of `to` as seen from the page `from`; both without extension. */
export function relativeUrl(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return path === "" ? posix.basename(to) : path;
}
