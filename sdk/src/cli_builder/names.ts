/** `dryRun` and `dry-run` are both `dry-run`. */
export function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The candidate somebody most likely meant, when one is close enough to suggest. */
export function nearest(typed: string, candidates: Iterable<string>): string | null {
  // A third of the letters may differ; more is a guess, not a suggestion.
  let allowed = Math.max(1, Math.floor((typed.length + 1) / 3));
  let best: string | null = null;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate);
    if (distance <= allowed) {
      best = candidate;
      allowed = distance - 1;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 8) {
    return Infinity;
  }
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let distance = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        distance = Math.min(distance, at(before, column - 2) + 1);
      }
      current.push(distance);
    }
    before = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Infinity;
}

/** `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[], last = "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
