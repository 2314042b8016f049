import { readFileSync, statSync } from "node:fs";
import { extname, relative } from "node:path";

import { type CssNode, parseCss, printCss } from "./css_tree";
import { type Manifest, tailwindContent } from "./manifest";
import { BuildError, type Message } from "./messages";
import { customProperties, scopeTheme, scopeUtilities } from "./scoping";
import type { Job } from "./target";
import theme from "./theme.css";

/** Loads while the JavaScript is bundled: it takes longer than most builds. */
export const loadTailwind = () => Promise.all([import("@tailwindcss/node"), import("@tailwindcss/oxide")]);
export type Tailwind = Awaited<ReturnType<typeof loadTailwind>>;

/** Stands between what Tailwind makes and what the author wrote. */
const kMarker = "@layer svc-authored";

const sheet = (authored: string): string => `
@layer theme, utilities;
@import "tailwindcss/theme.css" layer(theme);
@import "tw-animate-css";
${theme}
@import "tailwindcss/utilities.css" layer(utilities) source(none);
${kMarker};
${authored}`;

function candidatesOf(files: readonly string[], manifest: Manifest, Scanner: Tailwind[1]["Scanner"]): string[] {
  const scanner = new Scanner({ sources: tailwindContent(manifest).map((source) => ({ ...source, negated: false })) });
  const declared = scanner.scan();
  const bundled = scanner.scanFiles(
    files.map((file) => ({
      content: readFileSync(file, "utf8"),
      extension: extname(file).slice(1),
    })),
  );
  return [...new Set([...declared, ...bundled])].sort();
}

/** The last sheet of a plugin: most saves of a development loop change no class name. */
interface Made {
  key: string;
  /** Files that Tailwind read, with their times. */
  read: Map<string, number>;
  css: string | undefined;
}
const made = new Map<string, Made>();
const kKept = 8;

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function remember(id: string, sheet: Made): void {
  made.delete(id);
  made.set(id, sheet);
  if (made.size > kKept) {
    made.delete([...made.keys()][0]!);
  }
}

const isText = /\.(?:[cm]?[jt]sx?|html?|mdx?|vue|svelte|json)$/;

/** What the author wrote: the text of all sheets together, and where it comes from. */
export interface AuthoredCss {
  css: string;
  files: readonly string[];
}

/** Tailwind reads all sheets as one and names what it does not know; the place is where that stands. */
function tailwindError(root: string, { files }: AuthoredCss, failure: Error): Message {
  const text = `Tailwind: ${failure.message}`;
  const name = /[`'"]([^`'"]+)[`'"]/.exec(failure.message)?.[1];
  for (const file of name === undefined ? [] : files) {
    const lines = readFileSync(file, "utf8").split("\n");
    const line = lines.findIndex((each) => each.includes(name!));
    if (line >= 0) {
      const lineText = lines[line]!;
      return { text, file: relative(root, file), line: line + 1, column: lineText.indexOf(name!) + 1, length: name!.length, lineText };
    }
  }
  return files.length === 1 ? { text, file: relative(root, files[0]!) } : { text };
}

/** Sheets of other servers are imported before everything else, or browsers ignore them. */
const isImport = (node: CssNode): boolean => node.kind === "text" && /^(?:\/\*[^]*?\*\/\s*)*@import\b/i.test(node.text);

let defaults: ReadonlyMap<string, string> | undefined;

/** What Tailwind's own theme has; the toolchain of a process is one. */
function defaultTheme(toolchain: string): ReadonlyMap<string, string> {
  defaults ??= customProperties(parseCss(readFileSync(ownSheet("tailwindcss/theme.css", toolchain)!, "utf8")));
  return defaults;
}

function refuseProgram(id: string): never {
  throw new Error(
    `"${id}" is a program (@plugin or @config), and nothing of a package runs while it is installed; write its rules as CSS, or publish the package with its bundles (\`svc plugin build\`)`,
  );
}

/**
 * The style sheet of a plugin: scoped utilities for the class names in `files`, then what the author wrote. Undefined
 * when there is nothing to say. `toolchain` is where the packages of the build are.
 */
export async function styleSheet(
  manifest: Manifest,
  files: readonly string[],
  authored: AuthoredCss,
  { toolchain, foreign }: Pick<Job, "toolchain" | "foreign">,
  tailwind: Tailwind,
): Promise<string | undefined> {
  const [{ compile, optimize }, { Scanner }] = tailwind;
  const candidates = candidatesOf(
    files.filter((file) => isText.test(file)),
    manifest,
    Scanner,
  );
  const key = JSON.stringify([manifest.id, authored.css, candidates, foreign]);
  const last = made.get(manifest.root);
  if (last?.key === key && [...last.read].every(([file, time]) => timeOf(file) === time)) {
    return last.css;
  }
  const read = new Map<string, number>();
  let compiled: string;
  try {
    // Tailwind knows an import by the space after its name, which minified sheets leave out.
    const compiler = await compile(sheet(authored.css.replace(/@import(?=["'])/g, "@import ")), {
      base: manifest.root,
      onDependency: (file) => void read.set(file, timeOf(file)),
      // "@plugin" and "@config" are programs.
      customJsResolver: async (id) => (foreign ? refuseProgram(id) : undefined),
      customCssResolver: async (id) => ownSheet(id, toolchain),
    });
    compiled = compiler.build(candidates);
  } catch (failure) {
    throw new BuildError(tailwindError(manifest.root, authored, failure as Error));
  }
  const parsed = parseCss(compiled);
  const nodes = parsed.filter((node) => !isImport(node));
  const marker = nodes.findIndex((node: CssNode) => node.kind === "text" && node.text === kMarker);
  const written = nodes.slice(marker + 1);
  const generated = scopeUtilities(nodes.slice(0, marker), manifest.id);
  const themed = scopeTheme(generated.nodes, manifest.id, defaultTheme(toolchain), new Set(customProperties(written).keys()));
  const all = [...parsed.filter(isImport), ...themed, ...written];
  const css = generated.rules === 0 && authored.css.trim() === "" ? undefined : optimize(printCss(all), { minify: true }).code;
  remember(manifest.root, { key, read, css });
  return css;
}

const sheets: Record<string, string> = {
  "tailwindcss/theme.css": "tailwindcss/theme.css",
  "tailwindcss/utilities.css": "tailwindcss/utilities.css",
  "tw-animate-css": "tw-animate-css/dist/tw-animate.css",
};

/** The sheets above come with the toolchain; whatever else is imported is looked for beside the plugin. */
const ownSheet = (id: string, toolchain: string): string | undefined =>
  Object.hasOwn(sheets, id) ? `${toolchain}/node_modules/${sheets[id]}` : undefined;
