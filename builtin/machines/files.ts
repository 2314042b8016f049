/** Files and folders of a machine, as text for agents. */
import type { DirectoryEntry, Host, PluginSdk } from "@get-svc/plugin-sdk";

import { MachineError, on, sizeText, timeText } from "./machines.ts";
import { headOf } from "./plain_text.ts";

export interface Place {
  sdk: PluginSdk;
  machine: Host;
  signal: AbortSignal;
}

const kHome = "~";
const kMostLines = 2_000;
const kMostBytes = 64 * 1024;

export async function listFolder({ sdk, machine, signal }: Place, path: string | undefined, limit: number): Promise<string> {
  const { directory, entries } = await on(machine, () => sdk.hosts.directory({ hostId: machine.id, path: path ?? kHome, signal }));
  const left = entries.length - limit;
  return [
    `${directory} on ${machine.name}: ${counted(entries.length, "entry", "entries")}`,
    ...entries.slice(0, limit).map(entryLine),
    ...(left > 0 ? [`… and ${left} more: give a higher limit, or a query.`] : []),
  ].join("\n");
}

function entryLine({ name, kind, isSymlink, isSpecial, isNameBroken, sizeBytes, modifiedAt }: DirectoryEntry): string {
  const facts = [
    ...(kind === "file" && sizeBytes !== undefined ? [sizeText(sizeBytes)] : []),
    ...(modifiedAt === undefined ? [] : [timeText(modifiedAt)]),
    ...(isSymlink === true ? ["a link"] : []),
    ...(isSpecial === true ? ["a pipe, a socket or a device"] : []),
    ...(isNameBroken === true ? ["its name is no UTF-8: it cannot be named"] : []),
  ];
  return `${name}${kind === "directory" ? "/" : ""}${facts.length === 0 ? "" : `  (${facts.join(", ")})`}`;
}

export async function findFiles({ sdk, machine, signal }: Place, path: string | undefined, query: string, limit: number): Promise<string> {
  const root = path ?? kHome;
  const { paths, truncated } = await on(machine, () =>
    sdk.files.listPaths({ hostId: machine.id, path: root, query, limit, includeFiles: true, includeDirectories: true, signal }),
  );
  return [
    `Below ${root} on ${machine.name}: ${counted(paths.length, "path fits", "paths fit")} "${query}", best first`,
    ...paths.map((each) => (each.kind === "directory" ? `${each.path}/` : each.path)),
    ...(truncated ? ["There may be more: look in a smaller folder, or give a higher limit."] : []),
  ].join("\n");
}

export interface Slice {
  fromLine: number;
  lines: number | undefined;
}

/** What stands above the text, and the text as it is. */
export async function readText({ sdk, machine, signal }: Place, path: string, { fromLine, lines }: Slice): Promise<string[]> {
  const file = await on(machine, () => sdk.files.read({ hostId: machine.id, path, signal }));
  const facts = `${sizeText(file.sizeBytes)}, sha256 ${file.sha256}`;
  if (file.contentEncoding !== "utf8") {
    return [
      `${file.path} on ${machine.name} is no text and is not shown: ${facts}${file.mimeType === undefined ? "" : `, ${file.mimeType}`}`,
    ];
  }
  const all = linesOf(file.content);
  if (all.length === 0) {
    return [`${file.path} on ${machine.name} is empty: ${facts}`];
  }
  if (fromLine > all.length) {
    throw new MachineError(
      `${file.path} on ${machine.name} has ${counted(all.length, "line", "lines")}: fromLine ${fromLine} is behind its end.`,
    );
  }
  const wanted = all.slice(fromLine - 1, fromLine - 1 + Math.min(lines ?? kMostLines, kMostLines));
  const { text, count, isLineCut } = fitting(wanted);
  const last = fromLine + count - 1;
  const what = count === all.length ? counted(count, "line", "lines") : `lines ${fromLine} to ${last} of ${all.length}`;
  const more = isLineCut
    ? [`Line ${last} is longer than ${sizeText(kMostBytes)} and is cut; machine_run reads the rest of it (cut -c).`]
    : last < all.length
      ? [`More: machine_read with fromLine ${last + 1}.`]
      : [];
  return [[`${file.path} on ${machine.name}: ${what}, ${facts}`, ...more].join("\n"), text];
}

/** Each with its line break. */
function linesOf(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function fitting(lines: readonly string[]): { text: string; count: number; isLineCut: boolean } {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line);
    if (bytes > kMostBytes) {
      break;
    }
    count += 1;
  }
  return count > 0
    ? { text: lines.slice(0, count).join(""), count, isLineCut: false }
    : { text: headOf(lines[0] ?? "", kMostBytes), count: 1, isLineCut: true };
}

export interface NewText {
  path: string;
  content: string;
  /** SHA-256 of what is replaced; without it nothing may be there. */
  replaces: string | undefined;
  createParents: boolean;
}

export async function writeText({ sdk, machine, signal }: Place, { path, content, replaces, createParents }: NewText): Promise<string> {
  const written = await on(machine, () =>
    sdk.files.write({ hostId: machine.id, path, content, createParents, expectedSha256: replaces?.toLowerCase() ?? null, signal }),
  );
  if (written.outcome === "written") {
    return `${written.path} on ${machine.name} is written: ${sizeText(written.sizeBytes)}, sha256 ${written.sha256}`;
  }
  // What is there now is not told: who has not read it is not to replace it.
  if (written.currentSha256 === null) {
    throw new MachineError(`${path} on ${machine.name} is not there any more; nothing was written. Leave out replaces to create it.`);
  }
  const why = replaces === undefined ? "is there already" : "is not what you have read: it was changed since";
  throw new MachineError(
    `${path} on ${machine.name} ${why}; nothing was written. Read it with machine_read, and give its sha256 as replaces.`,
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
