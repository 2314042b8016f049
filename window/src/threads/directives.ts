/** `::name{key="value"}` on a line of its own. */
export interface MessageDirective {
  readonly id: string;
  readonly attributes: Record<string, string>;
  readonly source: string;
}

const kDirective = /^ {0,3}::([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:\{([^{}\n]*)\})?[ \t]*$/;
const kAttribute = /([a-zA-Z_][\w-]*)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=]+)))?/g;

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(kAttribute)].map(([, name, double, single, bare]) => [name!, double ?? single ?? bare ?? ""] as const);
  return Object.fromEntries(found);
}

/** The directives that a top-level block consists of; null when it is anything else. */
export function directivesOf(block: string): MessageDirective[] | null {
  const lines = block.split("\n").filter((line) => line.trim() !== "");
  const found = lines.flatMap((line) => {
    const [, id, attributes = ""] = kDirective.exec(line) ?? [];
    return id === undefined ? [] : [{ id, attributes: attributesOf(attributes), source: line.trim() }];
  });
  return found.length > 0 && found.length === lines.length ? found : null;
}
