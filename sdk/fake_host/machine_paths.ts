/** What a path leads to in the memory of FakeMachineFiles, with the refusals of `modules/hostfiles/src/places.cpp`. There are no links. */
import { posix } from "node:path";

import { httpError } from "../../modules/sdkclient/js/call";
import { invalidInput } from "./body";

export const kHome = "/home/user";
const kLongestName = 255;

type Kind = "file" | "directory" | undefined;
export type KindOf = (path: string) => Kind;

export const missing = (path: string): Error => httpError(404, "not_found", `${path} does not exist`);
export const conflict = (why: string): Error => httpError(409, "conflict", why);
const noDirectory = (path: string): Error => invalidInput(`${path}: a part of it is not a directory`);

const withHome = (path: string): string => (path === "~" || path.startsWith("~/") ? kHome + path.slice(1) : path);

function checkText(path: string): void {
  if (path === "" || path.includes("\0")) {
    throw invalidInput(path === "" ? "path: a path is not empty" : "path: a path has no null characters");
  }
}

/** What one call may reach. */
export class Reach {
  readonly #root: string | undefined;

  constructor(
    private readonly kindOf: KindOf,
    root: string | undefined,
  ) {
    if (root === undefined) {
      return;
    }
    checkText(root);
    const text = withHome(root);
    if (!text.startsWith("/")) {
      throw invalidInput(`rootPath: "${root}" is not absolute`);
    }
    if (this.#followed(text, root) !== "directory") {
      throw noDirectory(root);
    }
    this.#root = text;
  }

  /** The path of something that is there. */
  object(path: string): string {
    const full = this.whole(path);
    this.#confine(full);
    this.#followed(full);
    return posix.resolve(full);
  }

  /** The path that something has, or is to have; its directory is there, or `make` makes it. */
  place(path: string, make?: (directory: string) => void): string {
    const full = this.whole(path).replace(/(?<=[^/])\/+$/, "");
    const name = posix.basename(full);
    if (name === "" || name === "." || name === "..") {
      throw invalidInput(`path: ${full} has no name`);
    }
    const above = full.slice(0, full.length - name.length).replace(/(?<=[^/])\/+$/, "");
    if (make === undefined) {
      this.#confine(above);
      if (this.#followed(above) !== "directory") {
        throw noDirectory(above);
      }
    } else {
      this.makeDirectories(above, make);
    }
    return posix.resolve(full);
  }

  /** Fine when they are there. */
  makeDirectories(path: string, make: (directory: string) => void): void {
    const full = this.whole(path);
    this.#confine(full);
    const steps = posix.resolve(full).split("/").filter(Boolean);
    for (const [index, name] of steps.entries()) {
      checkName(name);
      if (this.kindOf(`/${steps.slice(0, index + 1).join("/")}`) === "file") {
        throw noDirectory(full);
      }
    }
    make(posix.resolve(full));
  }

  whole(path: string): string {
    checkText(path);
    const text = withHome(path);
    if (text.startsWith("/")) {
      return text;
    }
    if (this.#root === undefined) {
      throw invalidInput(`path: "${path}" is not absolute; begin it with / or ~/`);
    }
    return this.#root.endsWith("/") ? this.#root + text : `${this.#root}/${text}`;
  }

  #confine(full: string): void {
    const root = this.#root === undefined ? "/" : posix.resolve(this.#root);
    const resolved = posix.resolve(full);
    if (root !== "/" && resolved !== root && !resolved.startsWith(`${root}/`)) {
      throw httpError(403, "forbidden", `${full} is outside of what may be reached`);
    }
  }

  /** Step by step, as a system does it: what is below a file, or below nothing, leads nowhere. */
  #followed(full: string, shown = full): Kind {
    let at = "/";
    for (const name of full.split("/").slice(1)) {
      if (this.kindOf(at) === "file") {
        throw noDirectory(shown);
      }
      checkName(name);
      at = posix.resolve(at, name);
      if (this.kindOf(at) === undefined) {
        throw missing(shown);
      }
    }
    return this.kindOf(at);
  }
}

function checkName(name: string): void {
  if (Buffer.byteLength(name) > kLongestName) {
    throw invalidInput("path: the name is too long for this machine");
  }
}
