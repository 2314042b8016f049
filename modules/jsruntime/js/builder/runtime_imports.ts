/**
 * `import(…)` whose target is known, or has to be there, when it runs only: computed and template paths, absolute paths, and
 * what is not there now. The bundler finds them; a further run lets each of them start at its own file.
 */
import type { Loader, Location, Message, OnLoadResult } from "esbuild";
import { ofEnvironment } from "./module_table.js";

declare const require: NodeJS.Require;

const fs = require("node:fs") as typeof import("node:fs");
const path = require("node:path") as typeof import("node:path");

/** What the bundler calls an `import(…)` whose target it cannot know. */
const kComputed = "unsupported-dynamic-import";
/** One that is not there, whose failure is handled where it stands. */
const kHandled = "ignored-dynamic-import";
/** What asks for the message of each. */
export const kRuntimeImportMessages = { [kComputed]: "warning", [kHandled]: "warning" } as const;

/** As long as `import`, so that columns stay right. */
const kImport = "__svci";

/** Of `import` or of its argument: line from 1, column in UTF-16 from 0. */
interface Place {
  line: number;
  column: number;
}

/** By file. */
export type RuntimeImports = Map<string, Place[]>;

export const isRuntimeImport = ({ id }: Message): boolean => id === kComputed || id === kHandled;

export type FoundPlace = [file: string, place: Place];

/** What these messages tell of. What is no `import(…)` after all does no harm. */
export function placesOfMessages(messages: Message[], folder: string): FoundPlace[] {
  const places: FoundPlace[] = [];
  for (const message of messages) {
    const { location } = message;
    if (location && (isRuntimeImport(message) || message.text.startsWith('Could not resolve "'))) {
      places.push([path.resolve(folder, location.file), { line: location.line, column: columnOf(location) }]);
    }
  }
  return places;
}

/** Of template paths the bundler makes a table of the files that match now. */
export function placesOfGlobs(code: string, map: string, folder: string): FoundPlace[] {
  if (map === "" || !code.includes("globImport")) {
    return [];
  }
  const { SourceMap } = require("node:module") as typeof import("node:module");
  const sources = new SourceMap(JSON.parse(map) as never);
  const places: FoundPlace[] = [];
  code.split("\n").forEach((line, index) => {
    for (const { index: column } of line.matchAll(/\bglobImport\w*\(/g)) {
      // It answers an empty object where it has nothing.
      const entry = sources.findEntry(index, column) as Partial<import("node:module").SourceMapping>;
      if (entry.originalSource && entry.originalLine !== undefined && entry.originalColumn !== undefined) {
        places.push([path.resolve(folder, entry.originalSource), { line: entry.originalLine + 1, column: entry.originalColumn }]);
      }
    }
  });
  return places;
}

/** Adds what one run has found; true when that is new. */
export function addPlaces(found: RuntimeImports, places: FoundPlace[]): boolean {
  // What the run has seen had the head in these files.
  const anchored = new Set(found.keys());
  let isNew = false;
  for (const [file, { line, column }] of places) {
    const place = { line, column: line === 1 && anchored.has(file) ? column - headOf(file).length : column };
    const known = found.get(file) ?? [];
    if (!known.some((other) => other.line === place.line && other.column === place.column)) {
      found.set(file, [...known, place]);
      isNew = true;
    }
  }
  return isNew;
}

/** The bundler counts bytes. */
const columnOf = ({ column, lineText }: Location): number => Buffer.from(lineText).toString("utf8", 0, column).length;

const headOf = (file: string): string => `const ${kImport} = ${ofEnvironment("svc.import")}(${JSON.stringify(file)}); `;

/** The message as if nothing had been changed in its file. */
export function asWritten(message: Message, found: RuntimeImports, folder: string): Message {
  const { location } = message;
  const file = location && path.resolve(folder, location.file);
  if (!file || !found.has(file)) {
    return message;
  }
  const head = headOf(file);
  const hasHead = location.lineText.startsWith(head);
  const lineText = (hasHead ? location.lineText.slice(head.length) : location.lineText).replaceAll(kImport, "import");
  return { ...message, location: { ...location, lineText, column: location.column - (hasHead ? Buffer.byteLength(head) : 0) } };
}

/** Lets these `import(…)` start at this file, as if the file were not part of a bundle. */
export async function anchorImports(
  file: string,
  loaded: OnLoadResult | undefined,
  places: Place[],
  loader: Loader,
): Promise<OnLoadResult> {
  let text = (loaded?.contents as string | undefined) ?? (await fs.promises.readFile(file, "utf8"));
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) {
    starts.push(end + 1);
  }
  for (const { line, column } of places) {
    const at = importBefore(text, (starts[line - 1] ?? 0) + column);
    if (at !== undefined) {
      text = text.slice(0, at) + kImport + text.slice(at + kImport.length);
    }
  }
  return { ...loaded, contents: headOf(file) + text.replace(/^#!.*/, ""), loader, resolveDir: path.dirname(file) };
}

/** Where the `import` is that stands here, or whose argument does. */
function importBefore(text: string, at: number): number | undefined {
  if (text.startsWith("import", at)) {
    return at;
  }
  const head = /\bimport\s*(?:\/\*[^]*?\*\/\s*|\/\/.*\n\s*)*\(\s*(?:\/\*[^]*?\*\/\s*|\/\/.*\n\s*)*$/.exec(
    text.slice(Math.max(0, at - 500), at),
  );
  return head ? Math.max(0, at - 500) + head.index : undefined;
}
