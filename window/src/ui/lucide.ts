import type { LucideIcon } from "lucide-react";

import { ownMember } from "@/lib/own";
import { createStore, useStore } from "@/lib/store";
import { kIconAliases } from "./icon_aliases";

type Imports = Readonly<Record<string, () => Promise<{ default: LucideIcon }>>>;

/** Spelling-independent: `ListTodo`, `list-todo` and `list_todo` are one name. */
export function iconKey(name: string): string {
  return name.replace(/[^a-zA-Z0-9]/g, "").toLowerCase();
}

/** What is known of a name: null when there is no such icon. Names that are not listed were not asked for or are on their way. */
const loaded = createStore<ReadonlyMap<string, LucideIcon | null>>(new Map());
const loading = new Set<string>();
let importsByKey: Promise<ReadonlyMap<string, Imports[string]>> | undefined;

/** The list of all icons is itself a chunk that loads with the first icon; the icons come some 60 to a file (`chunks.ts`). */
function loadImports(): Promise<ReadonlyMap<string, Imports[string]>> {
  importsByKey ??= import("lucide-react/dynamicIconImports").then(
    (module) => new Map(Object.entries(module.default as Imports).map(([name, load]) => [iconKey(name), load])),
  );
  return importsByKey;
}

/** The import of an icon; undefined when lucide has none of this name and no alias does. */
export async function findLucideImport(name: string): Promise<Imports[string] | undefined> {
  const imports = await loadImports();
  const key = iconKey(name);
  const alias = ownMember(kIconAliases, key);
  // `PlugIcon` and `LucidePlug` are names of the same package.
  const spellings = [key, alias && iconKey(alias), key.replace(/icon$/, ""), key.replace(/^lucide/, "")];
  return spellings.map((spelling) => (spelling ? imports.get(spelling) : undefined)).find((found) => found !== undefined);
}

async function load(name: string): Promise<void> {
  try {
    const found = await findLucideImport(name);
    const icon = found === undefined ? null : (await found()).default;
    loaded.update((all) => new Map(all).set(name, icon));
  } catch {
    // A chunk that did not arrive: whoever asks next tries again.
    importsByKey = undefined;
  } finally {
    loading.delete(name);
  }
}

/** Starts loading an icon that is not there yet. */
export function requestLucideIcon(name: string): void {
  if (!loaded.get().has(name) && !loading.has(name)) {
    loading.add(name);
    void load(name);
  }
}

/** Undefined while it loads, null when there is none. Other icons that arrive render nothing anew. */
export function useLucideIcon(name: string): LucideIcon | null | undefined {
  return useStore(loaded, (icons) => icons.get(name));
}
