interface Issue {
  message: string;
  path?: readonly PropertyKey[];
}

/**
 * What a schema of the server entry objects to, by the field of the form: the first message for each, names of nested fields joined
 * with dots. The message of any other failure, and what is about the input as a whole, is under `""`.
 */
export function issuesByField(failure: unknown): Record<string, string> {
  const issues = (failure as { issues?: readonly Issue[] } | null)?.issues ?? [];
  const found: Record<string, string> = {};
  for (const { message, path = [] } of issues) {
    found[path.map(String).join(".")] ??= message;
  }
  if (issues.length === 0) {
    found[""] = failure instanceof Error ? failure.message : String(failure);
  }
  return found;
}
