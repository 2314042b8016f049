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

/** Branches of a union that are told; what they say of themselves is one level deep. */
const kMaxBranches = 4;

/** Issues of each branch of a union, as zod has them; of others none. */
function branchesOf(issue: StandardSchemaV1.Issue): (readonly StandardSchemaV1.Issue[])[] {
  const { errors, unionErrors } = issue as { errors?: unknown; unionErrors?: unknown };
  const branches: unknown[] = Array.isArray(errors) ? errors : Array.isArray(unionErrors) ? unionErrors : [];
  return branches
    .map((branch) => (Array.isArray(branch) ? branch : (branch as { issues?: unknown } | null)?.issues))
    .filter((branch): branch is StandardSchemaV1.Issue[] => Array.isArray(branch) && branch.length > 0);
}

/** "to: Invalid input (none of: user: Expected a string; or group: Expected a number)" */
function textOf(issue: StandardSchemaV1.Issue, isWithin = false): string {
  const [{ message, path }] = wireIssues([issue]) as [WireIssue];
  const said = path.length === 0 ? message : `${path.join(".")}: ${message}`;
  const branches = isWithin ? [] : branchesOf(issue);
  if (branches.length === 0) {
    return said;
  }
  const told = branches.slice(0, kMaxBranches).map((branch) => textOf(branch[0]!, true));
  const more = branches.length - told.length;
  return `${said} (none of: ${told.join("; or ")}${more > 0 ? `; or ${more} more` : ""})`;
}

/** "title: Too short; count: Expected a number (and 3 more)" */
export function summarize(issues: readonly StandardSchemaV1.Issue[]): string {
  const shown = issues.slice(0, 3).map((issue) => textOf(issue));
  const more = issues.length - shown.length;
  return shown.join("; ") + (more > 0 ? ` (and ${more} more)` : "");
}
