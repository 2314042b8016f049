/** The pages that come with the service: `guide/*.md` and `reference/*` beside this file, copied from the documents when it is built. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

export type Kind = "guide" | "reference";

export interface Topic {
  name: string;
  title: string;
}

/** How many names of a page of types the list of pages has. */
const kShownNames = 8;
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
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".d.ts")) {
    return /^# (.*)$/m.exec(text)?.[1] ?? basename(file, ".md");
  }
  const names = exportedNames(text);
  return `types: ${names.slice(0, kShownNames).join(", ")}${names.length > kShownNames ? ", …" : ""}`;
}

/** What a page declares or hands on; where it hands on whole files, the names of those. */
function exportedNames(text: string): string[] {
  const declared = [...text.matchAll(/^export (?:declare )?(?:interface|type|function|const|class) (\w+)/gm)].map(([, name]) => name);
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => list.split(","));
  const files = [...text.matchAll(/^export (?:type )?\* from "\.\/(?:\w+\/)?(\w+)\.js"/gm)].map(([, name]) => name);
  return [...declared, ...listed, ...files].map((name) => (name ?? "").trim().replace(/^.* as /, "")).filter((name) => name !== "");
}
