import type { StandardSchemaV1 } from "../../../../sdk/src/standard_schema";

export { isStandardSchema } from "../../../../sdk/src/standard_schema";

export type StandardSchema = StandardSchemaV1;
export type Outcome = StandardSchemaV1.Result<unknown>;

/** An issue as the envelope carries it. */
export interface WireIssue {
  message: string;
  path: (string | number)[];
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

export function wireIssues(issues: readonly StandardSchemaV1.Issue[]): WireIssue[] {
  return issues.slice(0, kMaxIssues).map((issue) => ({
    message: String(issue.message),
    // A library's path may be a subclass of Array, whose map() would make another one.
    path: Array.from(issue.path ?? [], wireSegment),
  }));
}

/** "title: Too short; count: Expected a number (and 3 more)" */
export function summarize(issues: readonly StandardSchemaV1.Issue[]): string {
  const shown = wireIssues(issues.slice(0, 3)).map(({ message, path }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const more = issues.length - shown.length;
  return shown.join("; ") + (more > 0 ? ` (and ${more} more)` : "");
}
