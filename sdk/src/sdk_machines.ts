import type { Host, Terminal, TerminalScope } from "./records.js";
import type { Call, NotSupported, Ok, OptionalCall, PathEntry, PathQuery } from "./sdk_calls.js";
import type { PlaceProvider } from "./sdk_workspaces.js";

/** A file or folder of a machine, as `hosts.directory` lists it. */
export interface DirectoryEntry {
  name: string;
  path: string;
  /** A link has the kind of what it leads to; one that leads nowhere is a `file`. */
  kind: "file" | "directory";
  isSymlink?: true;
  /** A pipe, a socket or a device: it cannot be read. */
  isSpecial?: true;
  /** The name is no UTF-8: what is shown of it has U+FFFD, and names nothing. */
  isNameBroken?: true;
  /** Of files. */
  sizeBytes?: number;
  /** Epoch milliseconds. */
  modifiedAt?: number;
}

/** `svc.sdk.hosts`: machines, and how they join. */
export interface SdkHosts {
  /** The server's own machine first, then by name. */
  list: OptionalCall<{}, Host[]>;
  /**
   * Entries by name, at most 10,000; `path` is absolute, without it the home of the daemon's user. Rejects with `host_unavailable` when
   * the machine is away.
   */
  directory: Call<{ hostId: string; path?: string }, Ok & { directory: string; parent: string | null; entries: DirectoryEntry[] }>;
  get: Call<{ hostId: string }, Host>;
  /** `name`: 1 to 100 characters. A name that another machine has gets a number. */
  update: Call<{ hostId: string; name?: string }, Host>;
  /** The machine's key stops working and its daemon ends. The server's own machine cannot be removed (`conflict`). */
  delete: Call<{ hostId: string }, Ok>;
  /**
   * A code for `svc-hostd join`: used once, within 15 minutes (`expiresAt` in epoch milliseconds). Without `hostId` for a new machine.
   */
  createJoinCode: OptionalCall<{ hostId?: string; name?: string }, Ok & { joinCode: string; hostId: string; expiresAt: number }>;
  listProviders: OptionalCall<{}, PlaceProvider[]>;
  pathsExist: Call<{ hostId: string; paths: string[] }, Ok & { existence: { [path: string]: boolean } }>;
  cloneDefaultPath: Call<{ hostId: string; projectId: string }, Ok & { path: string }>;
  create: NotSupported;
  pickFolder: NotSupported;
  suspend: NotSupported;
  resume: NotSupported;
  retryCleanup: NotSupported;
  retryUpdate: NotSupported;
  providerCliStatus: NotSupported;
  installProviderCli: NotSupported;
}

/** What `terminals.create` takes. */
export interface TerminalStart {
  scope: TerminalScope;
  /** Columns; `rows` are its lines. */
  cols: number;
  rows: number;
  title?: string;
  /** Default: the user's shell. */
  start?: { mode: "shell" } | { mode: "command"; command: string };
}

/** `svc.sdk.terminals`: programs in terminals on machines. Data is base64 of the bytes. */
export interface SdkTerminals {
  create: Call<TerminalStart, Terminal>;
  get: Call<{ terminalId: string }, Terminal>;
  /** From a ring of 1 MiB; `truncated`: bytes before the first chunk are gone. */
  output: Call<
    { terminalId: string; sinceSeq?: number | string; tailBytes?: number | string; limitChunks?: number | string },
    Ok & { chunks: { seq: number; dataBase64: string }[]; nextSeq: number; truncated: boolean }
  >;
  /** `if-clean` (default) is `conflict` while more than the shell runs; `force` ends the process group. */
  close: Call<{ terminalId: string; mode?: "force" | "if-clean" }, Terminal>;
  /** Without a scope all of them. */
  list: OptionalCall<{ scope?: TerminalScope }, Ok & { sessions: Terminal[] }>;
  input: Call<{ terminalId: string; dataBase64: string }, Terminal>;
  resize: Call<{ terminalId: string; cols: number; rows: number }, Terminal>;
  rename: Call<{ terminalId: string; title: string }, Terminal>;
  /** Opens a shell of the same scope, size and title with a new id, then closes the old one. */
  restart: Call<{ terminalId: string }, Terminal>;
}

/** Without `hostId` the server's machine. */
interface OnHost {
  hostId?: string;
}
/** `rootPath` confines, symlinks resolved first. */
interface Confined {
  rootPath?: string;
}

/** `svc.sdk.files`: files of machines. */
export interface SdkFiles {
  read: Call<
    { path: string } & OnHost & Confined,
    Ok & {
      path: string;
      content: string;
      contentEncoding: "utf8" | "base64";
      sha256: string;
      sizeBytes: number;
      mimeType?: string;
      /** Epoch milliseconds. */
      modifiedAtMs: number;
      mode: number;
    }
  >;
  /** `expectedSha256` null: the file must not exist; absent: unconditional. At most 25 MB. */
  write: Call<
    {
      path: string;
      content: string;
      contentEncoding?: "utf8" | "base64";
      createParents?: boolean;
      expectedSha256?: string | null;
      mode?: number;
    } & OnHost &
      Confined,
    Ok & ({ outcome: "written"; path: string; sha256: string; sizeBytes: number } | { outcome: "conflict"; currentSha256: string | null })
  >;
  /** Recursive; paths relative to `path`. `limit`: 100 by default, up to 5,000. */
  list: Call<
    { path: string; query?: string; limit?: number } & OnHost,
    Ok & { files: { name: string; path: string }[]; truncated: boolean }
  >;
  listPaths: Call<
    { path: string; includeFiles: boolean; includeDirectories: boolean } & Pick<PathQuery, "query" | "limit"> & OnHost,
    Ok & { paths: PathEntry[]; truncated: boolean }
  >;
  mkdir: Call<{ path: string; recursive?: boolean } & OnHost & Confined, Ok>;
  /** An existing destination is `conflict`. */
  move: Call<{ sourcePath: string; destinationPath: string } & OnHost & Confined, Ok>;
  /** A folder that is not empty is `conflict` without `recursive`. */
  remove: Call<{ path: string; recursive?: boolean } & OnHost & Confined, Ok>;
  /** `GET <baseUrl>/<relative path>` answers the bytes. `ttlMs`: milliseconds, 10 minutes by default, up to 24 hours. */
  createPreview: Call<{ rootPath: string; ttlMs?: number } & OnHost, Ok & { baseUrl: string; expiresAtMs: number }>;
}
