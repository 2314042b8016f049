import { createContext } from "react";

import type { ReadableStore } from "@/lib/store";

/** A file as a text names it. */
export interface NamedFile {
  readonly path: string;
  readonly line: number | null;
}

/** The files of where a text comes from. */
export interface TextFiles {
  /** By the paths that were asked for: whether there is such a file. */
  readonly there: ReadableStore<ReadonlyMap<string, boolean>>;
  ask(this: void, path: string): void;
  open(this: void, file: NamedFile): void;
  /** How an image that a text names is found; null for an address that is none of these files. Rejects when nothing can be read now. */
  image(this: void, address: string): ImageFile | null;
}

export interface ImageFile {
  readonly path: string;
  /** Its bytes came from the agent itself, and its machine has kept them: nobody is asked before it is read. */
  readonly isKept: boolean;
  /** Where the browser finds it, for a while. */
  url(this: void): Promise<string>;
}

/** Without one, paths in a text are text. */
export const TextFilesContext = createContext<TextFiles | null>(null);

const kMaxPath = 300;
/** Files that have no dot in their names. */
const kPlainNames = new Set([
  "Dockerfile",
  "Gemfile",
  "Jenkinsfile",
  "Justfile",
  "LICENSE",
  "Makefile",
  "NOTICE",
  "Procfile",
  "Rakefile",
  "README",
]);

/** `src/door.ts`, `src/door.ts:12`, `src/door.ts:12:4`, `src/door.ts#L12`; null for what is no path of a file. Whether it is there is another question. */
export function namedFile(text: string): NamedFile | null {
  const found = /^(?<path>[^\s:#?*"'`<>|]+)(?::(?<line>\d+)(?:[:-]\d+)*|#L(?<mark>\d+)(?:-L?\d+)?)?$/.exec(text);
  const { path = "", line, mark } = found?.groups ?? {};
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isName = /[^.]\.[^.]|^\.[^.]/.test(name) || kPlainNames.has(name);
  if (!isName || path.length > kMaxPath || path.startsWith("-") || path.startsWith("~") || path.split("/").includes("..")) {
    return null;
  }
  const number = line ?? mark;
  return { path: path.replace(/^(\.\/)+/, ""), line: number === undefined ? null : Number(number) };
}
