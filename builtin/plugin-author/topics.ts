/** The pages that come with the service: `guide/*.md` and `reference/*` beside this file, copied from the documents when it is built. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

export type Kind = "guide" | "reference";

export interface Topic {
  name: string;
  title: string;
}

const kEnding = /\.(md|d\.ts)$/;

const directoryOf = (kind: Kind): string => join(import.meta.dirname, kind);

export function listTopics(kind: Kind): Topic[] {
  return readdirSync(directoryOf(kind))
    .filter((file) => kEnding.test(file))
    .sort()
    .map((file) => ({ name: file.replace(kEnding, ""), title: titleOf(join(directoryOf(kind), file)) }));
}

/** The page's file; only names of the list lead anywhere. */
export function findTopic(kind: Kind, name: string): string | undefined {
  const file = readdirSync(directoryOf(kind)).find((each) => kEnding.test(each) && each.replace(kEnding, "") === name);
  return file === undefined ? undefined : join(directoryOf(kind), file);
}

function titleOf(file: string): string {
  if (file.endsWith(".d.ts")) {
    return `types of ${basename(file, ".d.ts")}`;
  }
  return /^# (.*)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? basename(file, ".md");
}
