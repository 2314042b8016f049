// Which modules of the build share a file where the bundler would make too many of them: the groups of vite.config.ts.

/** What the bundler tells of a module; ids are paths. */
interface ModuleInfo {
  /** Modules it imports, and by `import()`. */
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
  /** Modules that import it, and by `import()`. */
  readonly importers: readonly string[];
  readonly dynamicImporters: readonly string[];
}

export interface ModuleGraph {
  getModuleInfo(id: string): ModuleInfo | null;
}

/** The name of the file that a module goes to; null leaves it to the bundler. */
export type ChunkName = (id: string, graph: ModuleGraph) => string | null;

/**
 * What the entry imports statically is one file: as the browser needs all of it at once, a file for each part that a lazy page shares
 * would only be more requests.
 */
export function bootChunk(entry: string): ChunkName {
  let boot: Set<string> | undefined;
  return (id, graph) => {
    if (boot === undefined) {
      boot = new Set([entry]);
      for (const known of boot) {
        graph.getModuleInfo(known)?.importedIds.forEach((imported) => boot?.add(imported));
      }
    }
    return boot.has(id) ? "boot" : null;
  };
}

/** Icons in a file: some 8 KiB after compression. The icons of one screen come with a few requests, the whole set is some 30 files. */
export const kIconsPerChunk = 64;

const isOfLucide = (id: string) => id.includes("/lucide-react/");
const isIcon = (id: string) => id.includes("/lucide-react/dist/esm/icons/");

/** Whether a module outside of the package imports the icon by its name, be it an older one. */
function isNamedBySource(id: string, graph: ModuleGraph): boolean {
  return (graph.getModuleInfo(id)?.importers ?? []).some(
    (importer) => !isOfLucide(importer) || (isIcon(importer) && isNamedBySource(importer, graph)),
  );
}

/** The icon that a module of an older name stands for, else the icon itself. */
function iconOf(id: string, graph: ModuleGraph): string {
  return graph.getModuleInfo(id)?.importedIds.find(isIcon) ?? id;
}

/**
 * The icons that are loaded by name, `kIconsPerChunk` to a file in the order of the alphabet; older names are with the icon they stand
 * for. Icons that the window's own modules import stay
 * with those, under every name: neither does a page fetch 64 for one, nor does a file of icons bring one of them along.
 */
export function iconChunk(): ChunkName {
  let places: Map<string, number> | undefined;
  return (id, graph) => {
    if (!isIcon(id)) {
      return null;
    }
    const icon = iconOf(id, graph);
    if (isNamedBySource(icon, graph)) {
      return null;
    }
    const list = graph.getModuleInfo(id)?.dynamicImporters.find(isOfLucide);
    if (places === undefined && list !== undefined) {
      const icons = new Set(graph.getModuleInfo(list)?.dynamicallyImportedIds.map((listed) => iconOf(listed, graph)));
      places = new Map([...icons].sort().map((listed, index) => [listed, index]));
    }
    const place = places?.get(icon);
    return place === undefined ? null : `icons-${Math.floor(place / kIconsPerChunk)}`;
  };
}
