/** Where `svc.storage.database()` of a fake host keeps its data. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { kBusyTimeout } from "./limits";
import type { HostFunctions } from "./runtime";
import { noFunctions } from "./runtime";

/** The file of one fake host: made when it is first opened, kept across its loads. */
export class DatabaseFile {
  #folder: string | undefined;

  get path(): string {
    this.#folder ??= leftovers.add(mkdtempSync(join(tmpdir(), "svc-plugin-test-")));
    return join(this.#folder, "data.db");
  }

  remove(): void {
    if (this.#folder !== undefined) {
      leftovers.remove(this.#folder);
    }
    this.#folder = undefined;
  }
}

/** Folders of hosts that nobody has disposed go with the process. */
const leftovers = {
  folders: new Set<string>(),
  watching: false,
  add(folder: string): string {
    this.folders.add(folder);
    if (!this.watching) {
      process.once("exit", () => this.folders.forEach((each) => this.remove(each)));
    }
    this.watching = true;
    return folder;
  },
  remove(folder: string): void {
    this.folders.delete(folder);
    rmSync(folder, { recursive: true, force: true });
  },
};

export function databaseFunctions(file: DatabaseFile): HostFunctions {
  return {
    ...noFunctions(),
    sync: { "database.config": () => JSON.stringify({ file: file.path, busyTimeout: kBusyTimeout }) },
  };
}
