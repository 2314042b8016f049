/** A copy of a database that is made in steps. */
import type * as native from "../../../modules/database/js/database/native";
import type { Connection } from "./connection";
import { failureOf, openHandle } from "./library";
import type { Address } from "./machine";

const kOk = 0;
const kBusy = 5;
const kLocked = 6;
const kDone = 101;
const kReadWriteCreate = 0x6;

export class Backup implements native.Backup {
  readonly #source: Connection;
  #target: Address;
  #handle: Address;

  constructor(source: Connection, schema: string, path: string) {
    const { machine, library } = source;
    this.#source = source;
    this.#target = openHandle(library, path, kReadWriteCreate);
    machine.calls.sqlite3_extended_result_codes(this.#target, 1);
    this.#handle = machine.usingText("main", (main) =>
      machine.usingText(schema, (name) => machine.calls.sqlite3_backup_init(this.#target, main, source.handle, name)),
    );
    if (this.#handle === 0) {
      const error = failureOf(library, this.#target);
      machine.calls.sqlite3_close_v2(this.#target);
      throw error;
    }
    source.backups.add(this);
  }

  /** A target or source in use makes no progress. */
  step(pages: number): [totalPages: number, remainingPages: number, done: boolean, locked: boolean] {
    if (this.#handle === 0) {
      throw new TypeError("The database connection is not open");
    }
    this.#source.requireNotExecuting();
    const { calls } = this.#source.machine;
    const kind = calls.sqlite3_backup_step(this.#handle, pages) & 0xff;
    const isLocked = kind === kBusy || kind === kLocked;
    if (kind !== kOk && kind !== kDone && !isLocked) {
      // Moves the error to the target.
      calls.sqlite3_backup_finish(this.#handle);
      this.#handle = 0;
      const error = failureOf(this.#source.library, this.#target);
      this.finish();
      throw error;
    }
    const total = calls.sqlite3_backup_pagecount(this.#handle);
    const remaining = calls.sqlite3_backup_remaining(this.#handle);
    if (kind === kDone) {
      this.finish();
    }
    return [total, remaining, kind === kDone, isLocked];
  }

  finish(): void {
    const { calls } = this.#source.machine;
    this.#source.backups.delete(this);
    if (this.#handle !== 0) {
      calls.sqlite3_backup_finish(this.#handle);
    }
    if (this.#target !== 0) {
      calls.sqlite3_close_v2(this.#target);
    }
    this.#handle = this.#target = 0;
  }
}
