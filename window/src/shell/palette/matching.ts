/** A row of the palette. */
export interface PaletteItem {
  /** Stable between windows: recency is kept by it. */
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Further words it is found by. */
  readonly keywords?: readonly string[];
  /** Not among the rows that are there before something is typed. */
  readonly isSearchOnly?: boolean;
}

export interface PaletteGroup<Item extends PaletteItem> {
  readonly title: string;
  readonly items: readonly Item[];
}

export const kRecentGroup = "Recent";
// How many of the recent ones stand above the groups while nothing is typed.
const kRecentShown = 5;

/** Without case and accents: what is typed in haste finds it too. */
export const fold = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const kBetweenWords = /[\s\-_/:.]+/;

/**
 * Whether the letters are what words begin with, from the first word on: "rn" and "reno" for "Release notes". One word behind the first may
 * be left out: "lrn" for "Log of Release notes".
 */
function areStarts(letters: string, [word, ...rest]: readonly string[], canLeaveOut = true): boolean {
  if (letters === "") {
    return true;
  }
  for (let length = 1; word !== undefined && length <= letters.length && word.startsWith(letters.slice(0, length)); ++length) {
    const left = letters.slice(length);
    if (areStarts(left, rest, canLeaveOut) || (canLeaveOut && areStarts(left, rest.slice(1), false))) {
      return true;
    }
  }
  return false;
}

/** How well one word matches a text, 0 for not at all: at its start, at the start of a word, at those of words, inside, or letter by letter. */
function scoreWord(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at === 0) {
    return 100;
  }
  if (at > 0 && kBetweenWords.test(text[at - 1]!)) {
    return 80;
  }
  if (word.length > 1 && areStarts(word, text.split(kBetweenWords))) {
    return 65;
  }
  if (at > 0) {
    return 50;
  }
  let position = -1;
  let gaps = 0;
  for (const letter of word) {
    const next = text.indexOf(letter, position + 1);
    if (next === -1) {
      return 0;
    }
    gaps += next - position - 1;
    position = next;
  }
  // Letters that lie far apart match anything; they do not count.
  return gaps > word.length * 2 ? 0 : Math.max(1, 30 - gaps);
}

/** Every word must match the title, the group or a keyword. 0 hides the row. */
export function scoreItem(query: string, item: PaletteItem): number {
  const title = fold(item.title);
  const others = [item.group, ...(item.keywords ?? [])].map(fold);
  let total = 0;
  for (const word of fold(query).split(/\s+/).filter(Boolean)) {
    const best = Math.max(scoreWord(word, title), ...others.map((text) => scoreWord(word, text) * 0.5));
    if (best === 0) {
      return 0;
    }
    total += best;
  }
  // Of equally good ones the shorter title is the closer one.
  return total + 10 / (10 + title.length);
}

function grouped<Item extends PaletteItem>(items: readonly Item[]): PaletteGroup<Item>[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  }
  return [...groups].map(([title, members]) => ({ title, items: members }));
}

/** What is shown for a query: without one, the recent rows and then everything; else groups by their best match. `recent` is newest first. */
export function arrange<Item extends PaletteItem>(items: readonly Item[], query: string, recent: readonly string[]): PaletteGroup<Item>[] {
  if (query.trim() === "") {
    const byId = new Map(items.map((item) => [item.id, item]));
    const latest = recent.flatMap((id) => byId.get(id) ?? []).slice(0, kRecentShown);
    const rest = items.filter((item) => item.isSearchOnly !== true && !latest.includes(item));
    return [...(latest.length > 0 ? [{ title: kRecentGroup, items: latest }] : []), ...grouped(rest)];
  }
  const recency = (id: string) => {
    const index = recent.indexOf(id);
    return index === -1 ? 0 : Math.max(0, 10 - index);
  };
  const matches = items
    .map((item, index) => ({ item, index, score: scoreItem(query, item) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score + recency(b.item.id) - (a.score + recency(a.item.id)) || a.index - b.index);
  return grouped(matches.map(({ item }) => item));
}
