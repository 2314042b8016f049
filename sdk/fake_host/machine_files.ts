/** Files of machines in memory, for `svc.sdk.files`. Machines share them: a test names paths, not machines. */
import { createHash } from "node:crypto";
import { posix } from "node:path";

import { httpError } from "../../modules/sdkclient/js/call";

interface Place {
  path: string;
  rootPath?: string;
}
interface WriteArgument extends Place {
  content: string;
  contentEncoding?: "utf8" | "base64";
  createParents?: boolean;
  expectedSha256?: string | null;
  mode?: number;
}
interface ListArgument extends Place {
  query?: string;
  limit?: number;
  includeFiles?: boolean;
  includeDirectories?: boolean;
}
interface File {
  bytes: Buffer;
  mode: number;
  modifiedAtMs: number;
}

const kMost = 25_000_000;
const kHome = "/home/user";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const missing = (path: string): Error => httpError(404, "not_found", `${path} does not exist`);
const conflict = (why: string): Error => httpError(409, "conflict", why);

export class FakeMachineFiles {
  readonly #files = new Map<string, File>();
  readonly #directories = new Set<string>(["/", posix.dirname(kHome), kHome]);

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, content] of Object.entries(files)) {
      this.#put(this.#resolve({ path }), Buffer.from(content), 0o644);
    }
  }

  /** What the test sees: texts by path. */
  get contents(): ReadonlyMap<string, string> {
    return new Map([...this.#files].map(([path, { bytes }]) => [path, bytes.toString("utf8")]));
  }

  answer(method: string, argument: unknown): unknown {
    switch (method) {
      case "read":
        return this.#read(argument as Place);
      case "write":
        return this.#write(argument as WriteArgument);
      case "list":
        return this.#list(argument as ListArgument);
      case "listPaths":
        return this.#listPaths(argument as ListArgument);
      case "mkdir":
        return this.#mkdir(argument as Place & { recursive?: boolean });
      case "move":
        return this.#move(argument as { sourcePath: string; destinationPath: string; rootPath?: string });
      case "remove":
        return this.#remove(argument as Place & { recursive?: boolean });
      default:
        return undefined;
    }
  }

  #resolve({ path, rootPath }: Place): string {
    const whole = (text: string): string => (text === "~" || text.startsWith("~/") ? kHome + text.slice(1) : text);
    const root = rootPath === undefined ? undefined : posix.resolve(whole(rootPath));
    const text = whole(path);
    if (root === undefined && !text.startsWith("/")) {
      throw httpError(400, "invalid_input", `path: "${path}" is not absolute; begin it with / or ~/`);
    }
    const resolved = posix.resolve(root ?? "/", text);
    if (root !== undefined && root !== "/" && resolved !== root && !resolved.startsWith(`${root}/`)) {
      const message = `${resolved} is outside of what may be reached`;
      throw httpError(502, "host_error", message, { code: "forbidden", message });
    }
    return resolved;
  }

  #put(path: string, bytes: Buffer, mode: number): void {
    this.#addDirectories(posix.dirname(path));
    this.#files.set(path, { bytes, mode, modifiedAtMs: Date.now() });
  }

  #addDirectories(path: string): void {
    for (let at = path; !this.#directories.has(at); at = posix.dirname(at)) {
      this.#directories.add(at);
    }
  }

  #below(path: string): string[] {
    const prefix = path === "/" ? "/" : `${path}/`;
    return [...this.#directories, ...this.#files.keys()].filter((each) => each.startsWith(prefix) && each !== path);
  }

  #read(place: Place): object {
    const path = this.#resolve(place);
    const file = this.#files.get(path);
    if (file === undefined) {
      throw this.#directories.has(path) ? httpError(400, "invalid_input", `${path} is a directory`) : missing(path);
    }
    const text = file.bytes.toString("utf8");
    const isText = !text.includes("\0") && Buffer.from(text).equals(file.bytes);
    return {
      ok: true,
      path,
      content: isText ? text : file.bytes.toString("base64"),
      contentEncoding: isText ? "utf8" : "base64",
      sha256: sha256(file.bytes),
      sizeBytes: file.bytes.length,
      modifiedAtMs: file.modifiedAtMs,
      mode: file.mode,
    };
  }

  #write({ content, contentEncoding, createParents, expectedSha256, mode, ...place }: WriteArgument): object {
    const path = this.#resolve(place);
    const bytes = Buffer.from(content, contentEncoding ?? "utf8");
    if (bytes.length > kMost) {
      throw httpError(413, "too_large", `the content has ${bytes.length} bytes (limit fileWrite: ${kMost})`);
    }
    if (this.#directories.has(path)) {
      throw httpError(400, "invalid_input", `${path} is a directory`);
    }
    if (createParents !== true && !this.#directories.has(posix.dirname(path))) {
      throw missing(posix.dirname(path));
    }
    const before = this.#files.get(path);
    const currentSha256 = before === undefined ? null : sha256(before.bytes);
    if (expectedSha256 !== undefined && expectedSha256 !== currentSha256) {
      return { ok: true, outcome: "conflict", currentSha256 };
    }
    this.#put(path, bytes, mode ?? before?.mode ?? 0o644);
    return { ok: true, outcome: "written", path, sha256: sha256(bytes), sizeBytes: bytes.length };
  }

  /** Entries below the directory, relative, whose path has the letters of the query in their order. */
  #entries(
    { query = "", limit = 100, ...place }: ListArgument,
    wanted: (path: string) => boolean,
  ): { found: string[]; truncated: boolean } {
    const root = this.#resolve(place);
    if (!this.#directories.has(root)) {
      throw missing(root);
    }
    const matches = (path: string): boolean => {
      let at = 0;
      return [...query.toLowerCase()].every((letter) => (at = path.toLowerCase().indexOf(letter, at) + 1) > 0);
    };
    const all = this.#below(root)
      .filter(wanted)
      .map((path) => posix.relative(root, path))
      .filter(matches)
      .sort();
    return { found: all.slice(0, limit), truncated: all.length > limit };
  }

  #list(argument: ListArgument): object {
    const { found, truncated } = this.#entries(argument, (path) => this.#files.has(path));
    return { ok: true, files: found.map((path) => ({ name: posix.basename(path), path })), truncated };
  }

  #listPaths(argument: ListArgument): object {
    const { includeFiles, includeDirectories } = argument;
    const root = this.#resolve(argument);
    const { found, truncated } = this.#entries(argument, (path) => (this.#files.has(path) ? includeFiles : includeDirectories) === true);
    const paths = found.map((path) => {
      const kind = this.#files.has(posix.join(root, path)) ? "file" : "directory";
      return { kind, name: posix.basename(path), path, score: 0, positions: [] };
    });
    return { ok: true, paths, truncated };
  }

  #mkdir({ recursive, ...place }: Place & { recursive?: boolean }): object {
    const path = this.#resolve(place);
    if (this.#files.has(path) || (recursive !== true && this.#directories.has(path))) {
      throw conflict(`${path} exists already`);
    }
    if (recursive !== true && !this.#directories.has(posix.dirname(path))) {
      throw missing(posix.dirname(path));
    }
    this.#addDirectories(path);
    return { ok: true };
  }

  #move({ sourcePath, destinationPath, ...confined }: { sourcePath: string; destinationPath: string; rootPath?: string }): object {
    const from = this.#resolve({ path: sourcePath, ...confined });
    const to = this.#resolve({ path: destinationPath, ...confined });
    if (!this.#files.has(from) && !this.#directories.has(from)) {
      throw missing(from);
    }
    if (this.#files.has(to) || this.#directories.has(to)) {
      throw conflict(`${to} exists already`);
    }
    for (const path of [from, ...this.#below(from)]) {
      const next = to + path.slice(from.length);
      const file = this.#files.get(path);
      if (file !== undefined) {
        this.#files.delete(path);
        this.#files.set(next, file);
      } else if (this.#directories.delete(path)) {
        this.#directories.add(next);
      }
    }
    return { ok: true };
  }

  #remove({ recursive, ...place }: Place & { recursive?: boolean }): object {
    const path = this.#resolve(place);
    if (!this.#files.has(path) && !this.#directories.has(path)) {
      throw missing(path);
    }
    const below = this.#below(path);
    if (below.length > 0 && recursive !== true) {
      throw conflict(`${path} is not empty`);
    }
    for (const each of [path, ...below]) {
      this.#files.delete(each);
      this.#directories.delete(each);
    }
    return { ok: true };
  }
}
