import { readFileSync, statSync } from "node:fs";
import { extname } from "node:path";

import { type CssNode, parseCss, printCss } from "./css_tree";
import { type Manifest, tailwindContent } from "./manifest";
import { BuildError } from "./messages";
import { scopeUtilities } from "./scoping";
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
  const bundled = scanner.scanFiles(files.map((file) => ({
    content: readFileSync(file, "utf8"), extension: extname(file).slice(1),
  })));
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
  if (made.size > kKept) made.delete([...made.keys()][0]!);
}

const isText = /\.(?:[cm]?[jt]sx?|html?|mdx?|vue|svelte|json)$/;

/**
 * The style sheet of a plugin: scoped utilities for the class names in `files`, then what the author wrote. Undefined
 * when there is nothing to say. `toolchain` is where the packages of the build are.
 */
export async function styleSheet(
  manifest: Manifest, files: readonly string[], authored: string, toolchain: string, tailwind: Tailwind,
): Promise<string | undefined> {
  const [{ compile, optimize }, { Scanner }] = tailwind;
  const candidates = candidatesOf(files.filter((file) => isText.test(file)), manifest, Scanner);
  const key = JSON.stringify([manifest.id, authored, candidates]);
  const last = made.get(manifest.root);
  if (last?.key === key && [...last.read].every(([file, time]) => timeOf(file) === time)) return last.css;
  const read = new Map<string, number>();
  let compiled: string;
  try {
    const compiler = await compile(sheet(authored), {
      base: manifest.root,
      onDependency: (file) => void read.set(file, timeOf(file)),
      customCssResolver: async (id) => ownSheet(id, toolchain),
    });
    compiled = compiler.build(candidates);
  } catch (failure) {
    throw new BuildError(`Tailwind: ${(failure as Error).message}`);
  }
  const nodes = parseCss(compiled);
  const marker = nodes.findIndex((node: CssNode) => node.kind === "text" && node.text === kMarker);
  const generated = scopeUtilities(nodes.slice(0, marker), manifest.id);
  const css = generated.rules === 0 && authored.trim() === "" ? undefined
    : optimize(printCss([...generated.nodes, ...nodes.slice(marker + 1)]), { minify: true }).code;
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
