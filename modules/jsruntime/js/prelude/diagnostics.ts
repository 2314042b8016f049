/**
 * What Node writes of heaps and profiles. A relative name begins where the process works, which is the server's directory: here it
 * begins in a folder of the plugin.
 */
import type { BuiltinRequire } from "../binding.js";

/** The default of the others, and of names that nobody gives. */
const kFolder = "--diagnostic-dir";
const kFolders = [kFolder, "--cpu-prof-dir", "--heap-prof-dir"];

/** `folder` is asked for each snapshot; where it has none, Node's own default holds. */
export function placeHeapSnapshots(process: NodeJS.Process, builtin: BuiltinRequire, folder: () => string | undefined): void {
  const v8 = builtin<typeof import("node:v8")>("v8");
  const { writeHeapSnapshot } = v8;
  let written = 0;
  const placed = (name: unknown): unknown => {
    const begin = folder();
    if (begin === undefined || (name !== undefined && typeof name !== "string")) {
      return name;
    }
    const { resolve } = builtin<typeof import("node:path")>("path");
    // With the members of Node's own names, of which the thread's number is one: workers write there, too.
    const own = () => {
      const [day, time] = new Date()
        .toISOString()
        .replace(/[-:]|\..*/g, "")
        .split("T");
      const { threadId } = builtin<typeof import("node:worker_threads")>("worker_threads");
      return `Heap.${day}.${time}.${process.pid}.${threadId}.${String(++written).padStart(3, "0")}.heapsnapshot`;
    };
    return resolve(begin, name ?? own());
  };
  (v8 as { writeHeapSnapshot: unknown }).writeHeapSnapshot = (name?: unknown, ...rest: []) =>
    writeHeapSnapshot(placed(name) as string | undefined, ...rest);
}

/** `execArgv` of a worker thread, with its folders in this one. */
export function placeProfiles(builtin: BuiltinRequire, folder: string | undefined, execArgv: readonly string[]): string[] {
  if (folder === undefined) {
    return [...execArgv];
  }
  const { resolve } = builtin<typeof import("node:path")>("path");
  const isFolder = (option: string | undefined): boolean => option !== undefined && kFolders.includes(option.replaceAll("_", "-"));
  const placed = execArgv.map((each, at) => {
    const end = each.indexOf("=");
    if (end !== -1 && isFolder(each.slice(0, end))) {
      return each.slice(0, end + 1) + resolve(folder, each.slice(end + 1));
    }
    return isFolder(execArgv[at - 1]) ? resolve(folder, each) : each;
  });
  return [`${kFolder}=${folder}`, ...placed];
}

/** The folder that a worker thread was given so. */
export function folderOf(execArgv: readonly string[]): string | undefined {
  return execArgv.find((each) => each.startsWith(`${kFolder}=`))?.slice(kFolder.length + 1);
}
