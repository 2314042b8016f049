/** How many lines a patch of one file adds and removes; the heads that name its file are none of them. */
export function linesOf(patch: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  let isInHunk = !/^@@ /m.test(patch);
  for (const line of patch.split("\n")) {
    if (line.startsWith("@@ ")) {
      isInHunk = true;
    } else if (isInHunk) {
      added += Number(line.startsWith("+"));
      removed += Number(line.startsWith("-"));
    }
  }
  return { added, removed };
}
