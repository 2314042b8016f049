/**
 * `node:sqlite` of Node 22, for an embedded Node that does not have it: its classes on the database connection of the service, so that
 * the process has one SQLite. Not there: sessions, and extensions, whose code would be native.
 */
import { makeDatabaseClass } from "../../database/js/database/database_class";
import type { NativeDatabases } from "../../database/js/database/native";
import { SqliteError } from "../../database/js/database/sqlite_error";
import { provideBuiltin } from "./builtin_modules.js";

/** What this uses of the service's database class. */
interface Database {
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare(sql: unknown): Statement;
  exec(sql: unknown): void;
  close(): void;
  function(name: unknown, options: object, fn: unknown): void;
  aggregate(name: unknown, options: object): void;
  backup(path: string, options?: object): Promise<{ totalPages: number }>;
}

interface Statement {
  readonly reader: boolean;
  readonly source: string;
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: unknown[]): Row | undefined;
  all(...parameters: unknown[]): Row[];
  iterate(...parameters: unknown[]): IterableIterator<Row>;
  columns(): object[];
  safeIntegers(on: boolean): void;
}

type Row = Record<string, unknown>;

interface DatabaseOptions {
  open?: boolean;
  readOnly?: boolean;
  enableForeignKeyConstraints?: boolean;
  timeout?: number;
}

interface FunctionOptions {
  deterministic?: boolean;
  directOnly?: boolean;
  useBigIntArguments?: boolean;
  varargs?: boolean;
}

/** Primary result codes; extended ones have theirs in the low byte. */
const kCodes = [
  "OK",
  "ERROR",
  "INTERNAL",
  "PERM",
  "ABORT",
  "BUSY",
  "LOCKED",
  "NOMEM",
  "READONLY",
  "INTERRUPT",
  "IOERR",
  "CORRUPT",
  "NOTFOUND",
  "FULL",
  "CANTOPEN",
  "PROTOCOL",
  "EMPTY",
  "SCHEMA",
  "TOOBIG",
  "CONSTRAINT",
  "MISMATCH",
  "MISUSE",
  "NOLFS",
  "AUTH",
  "FORMAT",
  "RANGE",
  "NOTADB",
];
/** Of constraints, in the order of their extended codes. */
const kConstraints = ["", "CHECK", "COMMITHOOK", "FOREIGNKEY", "FUNCTION", "NOTNULL", "PRIMARYKEY", "TRIGGER", "UNIQUE", "VTAB", "ROWID"];
const kConstraint = 19;
const kExtended = 256;

function coded(code: string, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { code, ...more });
}

function numberOf(name: string): number {
  const [, primary = "", extended] = /^SQLITE_([A-Z]+)(?:_([A-Z]+))?/.exec(name) ?? [];
  const code = Math.max(kCodes.indexOf(primary), 1);
  return code === kConstraint && extended !== undefined ? code + kExtended * Math.max(kConstraints.indexOf(extended), 0) : code;
}

/** Runs `fn`; what SQLite reports is thrown as Node does. */
function reported<T>(fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    if (error instanceof SqliteError) {
      throw coded("ERR_SQLITE_ERROR", error.message, { errcode: numberOf(error.code), errstr: error.message, cause: error });
    }
    throw error;
  }
}

function plain(value: unknown): unknown {
  return Buffer.isBuffer(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
}

function rowOf(row: Row): Row {
  const out = Object.create(null) as Row;
  for (const key of Object.keys(row)) {
    out[key] = plain(row[key]);
  }
  return out;
}

/** Node takes names with and without their prefix. */
function named(parameters: unknown[]): unknown[] {
  const [first] = parameters;
  if (typeof first !== "object" || first === null || ArrayBuffer.isView(first)) {
    return parameters;
  }
  const bare = Object.fromEntries(Object.entries(first).map(([name, value]) => [name.replace(/^[:$@]/, ""), value]));
  return [...parameters.slice(1), bare];
}

/** What is not given is NULL in Node, and refused before anything runs by the service. */
function withNulls<T>(parameters: unknown[], run: (...parameters: unknown[]) => T): T {
  const given = named(parameters);
  for (;;) {
    try {
      return run(...given);
    } catch (error) {
      const { message = "" } = error as Error;
      const name = /^Missing named parameter "(.*)"$/.exec(message)?.[1];
      const last = given.at(-1) as Row | undefined;
      if (!(error instanceof RangeError || error instanceof TypeError)) {
        throw error;
      } else if (name !== undefined && typeof last === "object") {
        last[name] = null;
      } else if (message === "Missing named parameters") {
        given.push({});
      } else if (message === "Too few parameter values were provided") {
        const names = typeof last === "object" && last !== null && !ArrayBuffer.isView(last) ? given.pop() : undefined;
        given.push(null, ...(names === undefined ? [] : [names]));
      } else {
        throw error;
      }
    }
  }
}

export function makeSqlite(native: NativeDatabases): object {
  native.setErrorClass(SqliteError);
  const { Database } = makeDatabaseClass({ native, busyTimeout: 0, assertOpenable: () => undefined });
  const open = Database as unknown as new (path: string, options: object) => Database;
  const connections = new WeakMap<DatabaseSync, Database>();
  const statements = new WeakMap<StatementSync, { database: Database; statement: Statement }>();

  const connectionOf = (database: DatabaseSync): Database => {
    const found = connections.get(database);
    if (found === undefined) {
      throw coded("ERR_INVALID_STATE", "database is not open");
    }
    return found;
  };

  class StatementSync {
    constructor(database: Database, statement: Statement) {
      statements.set(this, { database, statement });
    }
    get sourceSQL(): string {
      return statementOf(this).source;
    }
    get expandedSQL(): string {
      return statementOf(this).source;
    }
    all(...parameters: unknown[]): Row[] {
      const statement = statementOf(this);
      if (!statement.reader) {
        this.run(...parameters);
        return [];
      }
      return reported(() => withNulls(parameters, (...given) => statement.all(...given))).map(rowOf);
    }
    get(...parameters: unknown[]): Row | undefined {
      const statement = statementOf(this);
      if (!statement.reader) {
        this.run(...parameters);
        return undefined;
      }
      const row = reported(() => withNulls(parameters, (...given) => statement.get(...given)));
      return row === undefined ? undefined : rowOf(row);
    }
    *iterate(...parameters: unknown[]): IterableIterator<Row> {
      const statement = statementOf(this);
      if (!statement.reader) {
        this.run(...parameters);
        return;
      }
      for (const row of reported(() => withNulls(parameters, (...given) => statement.iterate(...given)))) {
        yield rowOf(row);
      }
    }
    run(...parameters: unknown[]): object {
      const { database, statement } = statements.get(this)!;
      return reported(() => {
        if (!statement.reader) {
          const { changes, lastInsertRowid } = withNulls(parameters, (...given) => statement.run(...given));
          return { lastInsertRowid, changes };
        }
        withNulls(parameters, (...given) => statement.all(...given));
        return database.prepare("SELECT last_insert_rowid() AS lastInsertRowid, changes() AS changes").get()!;
      });
    }
    columns(): object[] {
      return statementOf(this).columns();
    }
    setReadBigInts(on: boolean): void {
      statementOf(this).safeIntegers(on);
    }
    setAllowBareNamedParameters(_on: boolean): void {}
    setAllowUnknownNamedParameters(_on: boolean): void {}
    setReturnArrays(): never {
      throw coded("ERR_METHOD_NOT_IMPLEMENTED", "setReturnArrays() is not supported here");
    }
  }

  const statementOf = (statement: StatementSync): Statement => statements.get(statement)!.statement;

  class DatabaseSync {
    readonly #path: string;
    readonly #options: DatabaseOptions;

    constructor(path: unknown, options: DatabaseOptions = {}) {
      const text = path instanceof URL ? path.pathname : Buffer.isBuffer(path) ? path.toString() : path;
      if (typeof text !== "string" || text.includes("\0")) {
        throw Object.assign(new TypeError('The "path" argument must be a string, Uint8Array, or URL without null bytes.'), {
          code: "ERR_INVALID_ARG_TYPE",
        });
      }
      this.#path = text;
      this.#options = options;
      if (options.open !== false) {
        this.open();
      }
    }
    get isOpen(): boolean {
      return connections.get(this)?.open === true;
    }
    get isTransaction(): boolean {
      return connectionOf(this).inTransaction;
    }
    open(): void {
      if (this.isOpen) {
        throw coded("ERR_INVALID_STATE", "database is already open");
      }
      const { readOnly = false, enableForeignKeyConstraints = true, timeout = 0 } = this.#options;
      reported(() => {
        const database = new open(this.#path, { readonly: readOnly, fileMustExist: readOnly, timeout });
        database.exec(`PRAGMA foreign_keys = ${enableForeignKeyConstraints ? "ON" : "OFF"}`);
        connections.set(this, database);
      });
    }
    close(): void {
      reported(() => connectionOf(this).close());
      connections.delete(this);
    }
    [Symbol.for("nodejs.dispose")](): void {
      if (this.isOpen) {
        this.close();
      }
    }
    exec(sql: string): void {
      reported(() => connectionOf(this).exec(sql));
    }
    prepare(sql: string): StatementSync {
      const database = connectionOf(this);
      return new StatementSync(
        database,
        reported(() => database.prepare(sql)),
      );
    }
    location(): string | null {
      return this.#path === ":memory:" || this.#path === ""
        ? null
        : (require("node:path") as typeof import("node:path")).resolve(this.#path);
    }
    function(name: string, first: unknown, second?: unknown): void {
      const options = typeof first === "function" ? {} : (first as FunctionOptions);
      reported(() => connectionOf(this).function(name, optionsOf(options), typeof first === "function" ? first : second));
    }
    aggregate(name: string, options: FunctionOptions & object): void {
      reported(() => connectionOf(this).aggregate(name, { ...options, ...optionsOf(options) }));
    }
    createSession(): never {
      throw coded("ERR_METHOD_NOT_IMPLEMENTED", "sessions are not supported here");
    }
    applyChangeset(): never {
      throw coded("ERR_METHOD_NOT_IMPLEMENTED", "sessions are not supported here");
    }
    enableLoadExtension(on: boolean): void {
      if (on) {
        throw coded("ERR_METHOD_NOT_IMPLEMENTED", "extensions are native code, which a host entry cannot load");
      }
    }
    loadExtension(): never {
      throw coded("ERR_METHOD_NOT_IMPLEMENTED", "extensions are native code, which a host entry cannot load");
    }
  }
  const dispose = (Symbol as { dispose?: symbol }).dispose;
  if (dispose !== undefined) {
    Object.defineProperty(DatabaseSync.prototype, dispose, {
      value: DatabaseSync.prototype[Symbol.for("nodejs.dispose") as never],
      configurable: true,
    });
  }

  return {
    DatabaseSync,
    StatementSync,
    backup: async (source: DatabaseSync, path: string) => (await connectionOf(source).backup(path)).totalPages,
    constants: {},
  };
}

function optionsOf({ deterministic = false, directOnly = false, useBigIntArguments = false, varargs = false }: FunctionOptions): object {
  return { deterministic, directOnly, safeIntegers: useBigIntArguments, varargs };
}

/** Lets `require` and `process.getBuiltinModule` find it. Nothing when Node has its own. */
export function installSqlite(native: () => NativeDatabases): void {
  const kName = "node:sqlite";
  if ((require("node:module") as typeof import("node:module")).isBuiltin(kName)) {
    return;
  }
  let sqlite: object | undefined;
  provideBuiltin([kName], () => (sqlite ??= makeSqlite(native())));
}
