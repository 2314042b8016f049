/** The part of Standard Schema v1 that calls need. A schema may be an object or a callable one. */
export interface StandardSchema {
  readonly "~standard": { validate(value: unknown): Outcome | PromiseLike<Outcome> };
}

export interface Outcome {
  readonly value?: unknown;
  readonly issues?: readonly SchemaIssue[] | undefined;
}

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** An issue as the envelope carries it. */
export interface WireIssue {
  message: string;
  path: (string | number)[];
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return false;
  }
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && standard !== null && typeof standard.validate === "function";
}

export function isThenable<T>(value: unknown): value is PromiseLike<T> {
  return (
    (typeof value === "object" || typeof value === "function") && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

function wireSegment(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" && segment !== null ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
}

/** What one answer lists at most; a large array can have an issue for every element. */
const kMaxIssues = 100;

export function wireIssues(issues: readonly SchemaIssue[]): WireIssue[] {
  return issues.slice(0, kMaxIssues).map((issue) => ({
    message: String(issue.message),
    // A library's path may be a subclass of Array, whose map() would make another one.
    path: Array.from(issue.path ?? [], wireSegment),
  }));
}

/** "title: Too short; count: Expected a number (and 3 more)" */
export function summarize(issues: readonly SchemaIssue[]): string {
  const shown = wireIssues(issues.slice(0, 3)).map(({ message, path }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const more = issues.length - shown.length;
  return shown.join("; ") + (more > 0 ? ` (and ${more} more)` : "");
}
