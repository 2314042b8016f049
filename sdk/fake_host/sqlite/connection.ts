/** One connection: what the script of the module `database` asks of the server, answered by SQLite as WebAssembly. */
import { closeSync, openSync } from "node:fs";

import type * as native from "../../../modules/database/js/database/native";
import { SqliteError } from "../../../modules/database/js/database/sqlite_error";
import { newerSql } from "../newer_sql";
import { Backup } from "./backup";
import { failureOf, openHandle, theLibrary } from "./library";
import type { Address, Machine } from "./machine";
import { kMaker, Statement } from "./statement";

const kOk = 0;
const kRow = 100;
const kDone = 101;
const kReadOnly = 0x1;
const kReadWrite = 0x2;
const kCreate = 0x4;
const kPersistent = 1;
const kFreeOnClose = 1;
const kResizable = 2;
const kDeserializeReadOnly = 4;
/** Options of a connection: foreign keys, defence, and whether "x" may be a text. */
const kForeignKeys = 1002;
const kDefensive = 1010;
const kTextInQuotes = [1013, 1014];
/** This build of SQLite has larger pages by itself. */
const kPages = "PRAGMA page_size=4096; PRAGMA cache_size=-16000";

export interface OpenOptions {
  path: string;
  readonly: boolean;
  mustExist: boolean;
  isPrivate: boolean;
  timeoutMs: number;
  verbose: ((sql: string) => void) | undefined;
}

export class Connection implements native.Connection {
  readonly library = theLibrary();
  /** 0 once it is closed. */
  handle: Address;
  bigInts = false;
  /** How many are reading rows. */
  iterators = 0;
  readonly backups = new Set<Backup>();
  readonly #verbose: ((sql: string) => void) | undefined;
  readonly #statements = new Set<Statement>();
  /** Functions of the plugin, which may be called as newer ones of SQLite are. */
  readonly #own = new Set<string>();
  #executing = 0;
  #unsafe = false;
  #held: { error: unknown } | undefined;

  constructor({ path, readonly, mustExist, isPrivate, timeoutMs, verbose }: OpenOptions) {
    if (isPrivate) {
      createPrivately(path);
    }
    this.handle = openHandle(this.library, path, readonly ? kReadOnly : mustExist ? kReadWrite : kReadWrite | kCreate);
    const { calls } = this.machine;
    calls.sqlite3_extended_result_codes(this.handle, 1);
    calls.sqlite3_busy_timeout(this.handle, timeoutMs);
    this.#configure(kForeignKeys, true);
    this.#configure(kDefensive, true);
    kTextInQuotes.forEach((option) => this.#configure(option, false));
    this.exec(kPages);
    this.#verbose = verbose;
  }

  get machine(): Machine {
    return this.library.machine;
  }
  get open(): boolean {
    return this.handle !== 0;
  }
  get inTransaction(): boolean {
    return this.open && this.machine.calls.sqlite3_get_autocommit(this.handle) === 0;
  }
  get isExecuting(): boolean {
    return this.#executing > 0;
  }

  prepare(owner: object, sql: unknown, withoutParameters = false): Statement {
    this.#requireSql(sql);
    this.requireOpen();
    this.requireNotExecuting();
    this.#requireOldSql(sql);
    const { machine } = this;
    const handle = machine.usingText(sql, (at) => this.executing(() => this.#prepareOnly(at)));
    const statement = new Statement(kMaker, this, handle, owner, sql, withoutParameters);
    this.#statements.add(statement);
    return statement;
  }

  exec(sql: unknown): void {
    this.#requireSql(sql);
    this.requireOpen();
    this.requireNotExecuting();
    this.requireWritable();
    this.#requireOldSql(sql);
    this.machine.usingText(sql, (at) => {
      for (let rest = at; this.machine.bytes[rest] !== 0;) {
        rest = this.#runNext(rest);
      }
    });
  }

  close(): void {
    if (this.open) {
      this.requireNotExecuting();
      this.#requireNoIterators();
      this.shut();
    }
  }

  /** Closes whatever is going on. */
  shut(): void {
    if (!this.open) {
      return;
    }
    this.#statements.forEach((statement) => Statement.finalize(statement));
    this.#statements.clear();
    this.backups.forEach((backup) => backup.finish());
    this.iterators = 0;
    this.machine.calls.sqlite3_close_v2(this.handle);
    this.handle = 0;
  }

  requireOpen(): void {
    if (!this.open) {
      throw new TypeError("The database connection is not open");
    }
  }
  requireNotExecuting(): void {
    if (this.isExecuting) {
      throw new TypeError("This database connection is busy executing a query");
    }
  }
  requireIdle(): void {
    this.requireOpen();
    this.requireNotExecuting();
    this.#requireNoIterators();
  }
  requireWritable(): void {
    this.requireOpen();
    this.requireNotExecuting();
    if (!this.#unsafe) {
      this.#requireNoIterators();
    }
  }

  safeIntegers(on: boolean): void {
    this.requireOpen();
    this.requireNotExecuting();
    this.bigInts = on;
  }
  unsafe(on: boolean): void {
    this.requireOpen();
    this.requireNotExecuting();
    this.#unsafe = on;
    this.#configure(kDefensive, !on);
  }

  defineFunction(...args: Parameters<native.Connection["defineFunction"]>): void {
    const [name, argumentCount, deterministic, directOnly, safeIntegers, call] = args;
    this.requireIdle();
    const bigInts = safeIntegers ?? this.bigInts;
    this.library.functions.define({ connection: this, name, argumentCount, deterministic, directOnly, bigInts, call });
    this.#own.add(name.toLowerCase());
  }
  defineAggregate(...args: Parameters<native.Connection["defineAggregate"]>): void {
    const [name, argumentCount, deterministic, directOnly, safeIntegers, call, start, inverse, result] = args;
    this.requireIdle();
    const bigInts = safeIntegers ?? this.bigInts;
    const flags = { deterministic, directOnly, bigInts };
    this.library.functions.define({ connection: this, name, argumentCount, ...flags, call, start, inverse, result });
    this.#own.add(name.toLowerCase());
  }

  serialize(schema: string): Buffer {
    this.requireIdle();
    const { machine } = this;
    return machine.using(8, (out) => {
      const bytes = machine.usingText(schema, (name) => machine.calls.sqlite3_serialize(this.handle, name, out, 0));
      const size = Number(machine.view.getBigInt64(out, true));
      // An empty database has no bytes.
      if (bytes === 0 && size !== 0) {
        throw new Error(size < 0 ? `There is no database "${schema}"` : "Out of memory");
      }
      const copy = Buffer.from(machine.bytes.subarray(bytes, bytes + size));
      machine.calls.sqlite3_free(bytes);
      return copy;
    });
  }

  /** Fills a database in memory. */
  load({ buffer, byteOffset, byteLength }: ArrayBufferView, readonly: boolean): void {
    if (byteLength === 0) {
      return;
    }
    const { machine } = this;
    const copy = machine.allocate(byteLength);
    machine.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), copy);
    const size = BigInt(byteLength);
    const flags = kFreeOnClose | (readonly ? kDeserializeReadOnly : kResizable);
    if (machine.usingText("main", (main) => machine.calls.sqlite3_deserialize(this.handle, main, copy, size, size, flags)) !== kOk) {
      this.throwFailure();
    }
  }

  backup(schema: string, path: string): Backup {
    this.requireOpen();
    this.requireNotExecuting();
    return new Backup(this, schema, path);
  }

  /** JavaScript that SQLite calls meanwhile cannot use the connection. */
  executing<T>(call: () => T): T {
    this.#executing++;
    try {
      return call();
    } finally {
      this.#executing--;
    }
  }

  /** Keeps what JavaScript under a call of SQLite has thrown, until that call has returned. */
  hold(error: unknown): void {
    this.#held ??= { error };
  }
  get holds(): boolean {
    return this.#held !== undefined;
  }

  /** Throws what made the last call fail: what JavaScript under it has thrown, or else an SqliteError. */
  throwFailure(): never {
    const held = this.#held;
    this.#held = undefined;
    throw held === undefined ? failureOf(this.library, this.handle) : held.error;
  }

  /** The SQL of a statement with its values. */
  expanded(statement: Address): string | undefined {
    const at = this.machine.calls.sqlite3_expanded_sql(statement);
    const text = this.machine.textOrNull(at) ?? undefined;
    this.machine.calls.sqlite3_free(at);
    return text;
  }

  /** Shows the statement to the author's `verbose`. */
  trace(statement: Address): void {
    if (this.#verbose !== undefined) {
      const sql = this.expanded(statement) ?? this.machine.text(this.machine.calls.sqlite3_sql(statement));
      this.executing(() => this.#verbose?.(sql));
    }
  }

  #configure(option: number, on: boolean): void {
    this.machine.calls.sqlite3__wasm_db_config_ip(this.handle, option, on ? 1 : 0, 0);
  }

  #requireNoIterators(): void {
    if (this.iterators > 0) {
      throw new TypeError("This database connection is busy executing a query");
    }
  }
  #requireSql(sql: unknown): asserts sql is string {
    if (typeof sql !== "string") {
      throw new TypeError("Expected first argument to be a string");
    }
  }
  #requireOldSql(sql: string): void {
    const problem = newerSql(sql, this.#own);
    if (problem !== undefined) {
      throw new SqliteError(problem, "SQLITE_ERROR");
    }
  }

  /** One statement of a text and where the next begins. */
  #prepareNext(sql: Address, flags: number): { status: number; statement: Address; rest: Address } {
    const { machine } = this;
    return machine.using(8, (out) => {
      const status = machine.calls.sqlite3_prepare_v3(this.handle, sql, -1, flags, out, out + 4);
      return { status, statement: machine.int(out), rest: machine.int(out + 4) };
    });
  }

  /** The only statement of a text: nothing but comments and blanks may follow. */
  #prepareOnly(sql: Address): Address {
    const { calls } = this.machine;
    const first = this.#prepareNext(sql, kPersistent);
    if (first.status !== kOk) {
      this.throwFailure();
    }
    if (first.statement === 0) {
      throw new RangeError("The supplied SQL string contains no statements");
    }
    for (let { rest } = first; this.machine.bytes[rest] !== 0;) {
      const next = this.#prepareNext(rest, 0);
      if (next.status !== kOk || next.statement !== 0) {
        calls.sqlite3_finalize(next.statement);
        calls.sqlite3_finalize(first.statement);
        throw new RangeError("The supplied SQL string contains more than one statement");
      }
      ({ rest } = next);
    }
    return first.statement;
  }

  /** Runs one statement to its end and answers where the next begins. */
  #runNext(sql: Address): Address {
    const { calls } = this.machine;
    const { status, statement, rest } = this.executing(() => this.#prepareNext(sql, 0));
    if (status !== kOk) {
      this.throwFailure();
    }
    if (statement !== 0) {
      try {
        this.trace(statement);
        let stepped = kRow;
        this.executing(() => {
          while (stepped === kRow) {
            stepped = calls.sqlite3_step(statement);
          }
        });
        if (stepped !== kDone) {
          this.throwFailure();
        }
      } finally {
        calls.sqlite3_finalize(statement);
      }
    }
    return rest;
  }
}

/** SQLite would create the file so that everybody can read it. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    // It is there, or cannot be made: SQLite says why.
  }
}

/** What the server has behind the class `Database`. */
export function makeNative(): native.NativeDatabases {
  const connections = new Set<Connection>();
  return {
    // Errors are of the class that the script has: it is the same one.
    setErrorClass: () => undefined,
    open(path, readonly, mustExist, isPrivate, timeoutMs, verbose, bytes, bytesReadonly) {
      const connection = new Connection({ path, readonly, mustExist, isPrivate, timeoutMs, verbose });
      if (bytes !== undefined) {
        try {
          connection.load(bytes, bytesReadonly);
        } catch (error) {
          connection.shut();
          throw error;
        }
      }
      connections.add(connection);
      return connection;
    },
    closeAll: () => connections.forEach((connection) => connection.shut()),
  };
}
