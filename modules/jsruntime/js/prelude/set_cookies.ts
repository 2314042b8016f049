/**
 * Each Set-Cookie header stays one of its own, as since Node 20: in iterations and copies of Headers and in those of fetched
 * responses. Node 18 folds them with a comma. Its lists of headers are copied by their map, so the cookies lie in its entry.
 */
import { addMissing } from "./define.js";

interface Entry {
  name: string;
  value: string;
  /** Of set-cookie; none where there was one only. */
  cookies?: string[];
}

interface HeadersList extends Iterable<[string, string]> {
  append(name: string, value: string): unknown;
  [key: symbol]: unknown;
}

type Pairs = [string, string][];

const kName = "set-cookie";

export function keepSetCookies(): void {
  const { prototype } = Headers;
  const kList = symbolOf(new Headers(), "headers list");
  const kSorted = symbolOf(prototype, "headers map sorted");
  if ("getSetCookie" in prototype || kList === undefined || kSorted === undefined) {
    return;
  }
  const listOf = (headers: Headers): HeadersList => (headers as unknown as Record<symbol, HeadersList>)[kList] as HeadersList;
  const list = listOf(new Headers());
  const kMap = symbolOf(list, "headers map") as symbol;
  const entryOf = (list: HeadersList): Entry | undefined => (list[kMap] as Map<string, Entry>).get(kName);
  const cookiesOf = (list: HeadersList): string[] => {
    const entry = entryOf(list);
    return entry === undefined ? [] : (entry.cookies ?? [entry.value]);
  };

  const listPrototype = Object.getPrototypeOf(list) as HeadersList;
  const { append } = listPrototype;
  listPrototype.append = function (this: HeadersList, name, value) {
    if (name.length !== kName.length || name.toLowerCase() !== kName) {
      return append.call(this, name, value);
    }
    const before = cookiesOf(this);
    append.call(this, name, value);
    // Each change makes an entry of its own: copies of the map share those that are there.
    (entryOf(this) as Entry).cookies = [...before, value];
  };

  const pairsOf = (list: HeadersList): Pairs =>
    [...list]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([name, value]) => (name === kName ? cookiesOf(list).map((cookie): [string, string] => [name, cookie]) : [[name, value]]));
  Object.defineProperty(prototype, kSorted, {
    configurable: true,
    get(this: Headers) {
      const list = listOf(this);
      // Where Node keeps its sorted map, which it forgets with each change. It takes nothing but the entries.
      return (list[kSorted] ??= { pairs: pairsOf(list), entries: givePairs });
    },
  });
  addMissing(prototype, {
    getSetCookie(this: Headers) {
      return [...cookiesOf(listOf(this))];
    },
  });
}

function givePairs(this: { pairs: Pairs }): Pairs {
  return this.pairs;
}

function symbolOf(object: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(object).find((symbol) => symbol.description === description);
}
