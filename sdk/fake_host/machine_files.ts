/** Files of machines in memory, for `svc.sdk.files`. Machines share them: a test names paths, not machines. */
import { createHash } from "node:crypto";
import { posix } from "node:path";

import { httpError } from "../../modules/sdkclient/js/call";
import { Body, invalidInput } from "./body";
import { conflict, kHome, missing, Reach } from "./machine_paths";
import { mediaTypeOf } from "./media_types";

interface File {
  bytes: Buffer;
  mode: number;
  modifiedAtMs: number;
}
interface Listing {
  found: string[];
  truncated: boolean;
  root: string;
}

/** L:file-write and L:listing. */
const kMost = 25_000_000;
const kListing = 5000;
const kListingDefault = 100;
const kPermissions = 0o777;

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

function tooLarge(bytes: number): Error {
  return httpError(413, "too_large", `the content has ${bytes} bytes (limit fileWrite: ${kMost})`);
}

/** Checks what the machine is not sent. */
function checkHost({ hostId }: Readonly<Record<string, unknown>>): void {
  if (hostId !== undefined && (typeof hostId !== "string" || hostId === "")) {
    throw invalidInput("the request is not valid: hostId: Expected the id of a machine");
  }
}

/** What the machine does with a request: `modules/hostfiles`, over a map in place of a disk. */
export class FakeMachineFiles {
  readonly #files = new Map<string, File>();
  readonly #directories = new Set<string>(["/", posix.dirname(kHome), kHome]);

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, content] of Object.entries(files)) {
      this.#put(posix.resolve(new Reach(this.#kindOf, undefined).whole(path)), Buffer.from(content), 0o644);
    }
  }

  /** What the test sees: texts by path. */
  get contents(): ReadonlyMap<string, string> {
    return new Map([...this.#files].map(([path, { bytes }]) => [path, bytes.toString("utf8")]));
  }

  answer(method: string, argument: Record<string, unknown>): unknown {
    const body = new Body(argument);
    const own = { read: this.#read, write: this.#write, list: this.#list, listPaths: this.#listPaths };
    const all = new Map(Object.entries({ ...own, mkdir: this.#mkdir, move: this.#move, remove: this.#remove }));
    const run = all.get(method);
    if (run === undefined) {
      return undefined;
    }
    checkHost(body.members);
    return run.call(this, body);
  }

  readonly #kindOf = (path: string): "file" | "directory" | undefined =>
    this.#files.has(path) ? "file" : this.#directories.has(path) ? "directory" : undefined;

  #reach(body: Body): Reach {
    const root = body.optionalString("rootPath");
    body.finish("machine");
    return new Reach(this.#kindOf, root);
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

  #read(body: Body): object {
    const asked = body.requiredString("path");
    const path = this.#reach(body).object(asked);
    const file = this.#files.get(path);
    if (file === undefined) {
      throw invalidInput(`${path} is a directory`);
    }
    const text = file.bytes.toString("utf8");
    const isText = !text.includes("\0") && Buffer.from(text).equals(file.bytes);
    const mimeType = mediaTypeOf(posix.basename(path));
    return {
      ok: true,
      path,
      content: isText ? text : file.bytes.toString("base64"),
      contentEncoding: isText ? "utf8" : "base64",
      sha256: sha256(file.bytes),
      sizeBytes: file.bytes.length,
      modifiedAtMs: file.modifiedAtMs,
      mode: file.mode,
      ...(mimeType !== undefined && { mimeType }),
    };
  }

  #write(body: Body): object {
    const { contentEncoding = "utf8", expectedSha256, mode } = body.members;
    if (contentEncoding !== "utf8" && contentEncoding !== "base64") {
      throw invalidInput('the request is not valid: contentEncoding: Expected "utf8" or "base64"');
    }
    const content = body.requiredString("content");
    const bytes = contentEncoding === "base64" ? body.base64("content", content) : Buffer.from(content);
    const createParents = body.flag("createParents");
    if (expectedSha256 !== undefined && expectedSha256 !== null && typeof expectedSha256 !== "string") {
      body.issue("Expected a SHA-256 in hexadecimal, or null", "expectedSha256");
    }
    if (mode !== undefined && !(Number.isInteger(mode) && (mode as number) >= 0 && (mode as number) <= kPermissions)) {
      body.issue("Expected a number from 0 to 511 (octal 777)", "mode");
    }
    const asked = body.requiredString("path");
    const reach = this.#reach(body);
    if (bytes.length > kMost) {
      throw tooLarge(bytes.length);
    }
    const path = this.#targetOf(reach, asked, createParents);
    const before = this.#files.get(path);
    const currentSha256 = before === undefined ? null : sha256(before.bytes);
    if (expectedSha256 !== undefined && (expectedSha256 || null) !== currentSha256) {
      return { ok: true, outcome: "conflict", currentSha256 };
    }
    this.#put(path, bytes, (mode as number | undefined) ?? before?.mode ?? 0o644);
    return { ok: true, outcome: "written", path, sha256: sha256(bytes), sizeBytes: bytes.length };
  }

  #targetOf(reach: Reach, asked: string, createParents: boolean): string {
    let there: string;
    try {
      there = reach.object(asked);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "not_found") {
        throw error;
      }
      return reach.place(asked, createParents ? (directory) => this.#addDirectories(directory) : undefined);
    }
    if (this.#directories.has(there)) {
      throw invalidInput(`${there} is a directory`);
    }
    return there;
  }

  /** Entries below the directory, relative, whose path has the letters of the query in their order. */
  #entries(body: Body, wanted: (path: string) => boolean): Listing {
    const asked = body.requiredString("path");
    const root = body.optionalString("rootPath");
    const query = body.optionalString("query") ?? "";
    const { limit = kListingDefault } = body.members;
    if (!(Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= kListing)) {
      body.issue(`Expected a number from 1 to ${kListing} (limit listing), not ${JSON.stringify(limit)}`, "limit");
    }
    body.finish("machine");
    const path = new Reach(this.#kindOf, root).object(asked);
    if (!this.#directories.has(path)) {
      throw invalidInput(`${path} is not a directory`);
    }
    const matches = (each: string): boolean => {
      let at = 0;
      return [...query.toLowerCase()].every((letter) => (at = each.toLowerCase().indexOf(letter, at) + 1) > 0);
    };
    const all = this.#below(path)
      .filter(wanted)
      .map((each) => posix.relative(path, each))
      .filter(matches)
      .sort();
    return { found: all.slice(0, limit as number), truncated: all.length > (limit as number), root: path };
  }

  #list(body: Body): object {
    const { found, truncated } = this.#entries(body, (path) => this.#files.has(path));
    return { ok: true, files: found.map((path) => ({ name: posix.basename(path), path })), truncated };
  }

  #listPaths(body: Body): object {
    for (const flag of ["includeFiles", "includeDirectories"]) {
      if (typeof body.members[flag] !== "boolean") {
        body.issue("Required: true or false", flag);
      }
    }
    const { includeFiles, includeDirectories } = body.members;
    const { found, truncated, root } = this.#entries(body, (path) => (this.#files.has(path) ? includeFiles : includeDirectories) === true);
    const paths = found.map((path) => {
      const kind = this.#files.has(posix.join(root, path)) ? "file" : "directory";
      return { kind, name: posix.basename(path), path, score: 0, positions: [] };
    });
    return { ok: true, paths, truncated };
  }

  #mkdir(body: Body): object {
    const asked = body.requiredString("path");
    const recursive = body.flag("recursive");
    const reach = this.#reach(body);
    if (recursive) {
      reach.makeDirectories(asked, (directory) => this.#addDirectories(directory));
      return { ok: true };
    }
    const path = reach.place(asked);
    if (this.#kindOf(path) !== undefined) {
      throw conflict(`${path} exists already`);
    }
    this.#addDirectories(path);
    return { ok: true };
  }

  #move(body: Body): object {
    const [source, destination] = [body.requiredString("sourcePath"), body.requiredString("destinationPath")];
    const reach = this.#reach(body);
    const from = reach.place(source);
    const to = reach.place(destination);
    if (this.#kindOf(from) === undefined) {
      throw missing(from);
    }
    if (this.#kindOf(to) !== undefined) {
      throw conflict(`${to} exists already`);
    }
    if (to.startsWith(`${from}/`)) {
      throw invalidInput(`cannot move ${from} there`);
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

  #remove(body: Body): object {
    const asked = body.requiredString("path");
    const recursive = body.flag("recursive");
    const path = this.#reach(body).place(asked);
    if (this.#kindOf(path) === undefined) {
      throw missing(path);
    }
    const below = this.#below(path);
    if (below.length > 0 && !recursive) {
      throw conflict(`${path} is not empty`);
    }
    for (const each of [path, ...below]) {
      this.#files.delete(each);
      this.#directories.delete(each);
    }
    return { ok: true };
  }
}
