import type { PluginDatabase } from "../../../../sdk/src/database";
import { backup, schemaOption, type BackupMetadata } from "./backup";
import { booleanOption, functionOption, optionsArgument, stringArgument, switchArgument, type Options } from "./checks";
import { defineAggregate, defineFunction } from "./functions";
import type { Connection, NativeDatabases, Statement } from "./native";
import { SqliteError } from "./sqlite_error";
import { makeTransactions } from "./transactions";

const kMostTimeout = 0x7fffffff;

const { dirname, resolve } = require("path") as typeof import("node:path");
const { existsSync } = require("fs") as typeof import("node:fs");
const { defineProperties, freeze } = Object;
const { isView } = ArrayBuffer;

export interface DatabaseSettings {
  native: NativeDatabases;
  busyTimeout: number;
  /** Throws when this load may not open databases any more. */
  assertOpenable(): void;
}

/** A file of the plugin's own: readable for nobody else. */
const kPrivate = Symbol("private");
/** Leads to the connection, which only this file can reach. */
const kToken = Symbol("connection");

interface Parts {
  connection: Connection;
  transaction: (database: object, fn: unknown) => Function;
  timeout: number;
}

/** What console.log() shows of a database. */
class Shown {}
Object.defineProperty(Shown, "name", { value: "Database" });

/** The class that authors know from the better-sqlite3 package. Not a `class`: it can be called without `new`. */
export function makeDatabaseClass(settings: DatabaseSettings) {
  const parts = new WeakMap<object, Parts>();
  /** Of the instance, of an object derived from it, or of a proxy of it. */
  const partsOf = (database: unknown): Parts | undefined => {
    const token = (database as { [kToken]?: object } | undefined | null)?.[kToken];
    return token === undefined ? undefined : parts.get(token);
  };
  const of = (database: object): Parts => {
    const found = partsOf(database);
    if (found === undefined) {
      throw new TypeError("Illegal invocation");
    }
    return found;
  };

  function Database(this: object | undefined, filename?: unknown, value?: unknown): object {
    const database = (new.target ? this : Object.create(Database.prototype)) as object;
    settings.assertOpenable();
    const bytes = isView(filename) ? filename : undefined;
    const name = bytes ? ":memory:" : filename === undefined || filename === null ? "" : stringArgument(filename);
    const options = readOptions(value, settings.busyTimeout);
    const trimmed = name.trim();
    const memory = trimmed === "" || trimmed === ":memory:";
    if (memory && options.readonly && !bytes) {
      throw new TypeError("In-memory/temporary databases cannot be readonly");
    }
    const path = memory ? trimmed : resolve(trimmed);
    if (!memory && !existsSync(dirname(path))) {
      throw new TypeError("Cannot open database because the directory does not exist");
    }
    const { readonly, fileMustExist, timeout, verbose } = options;
    const connection = settings.native.open(path, readonly && !bytes, fileMustExist, options.isPrivate, timeout, verbose, bytes, readonly);
    const token = freeze({});
    parts.set(token, { connection, transaction: makeTransactions(connection), timeout });
    defineProperties(database, {
      [kToken]: { value: token },
      name: { get: () => name, enumerable: true },
      open: { get: () => connection.open, enumerable: true },
      inTransaction: { get: () => connection.inTransaction, enumerable: true },
      readonly: { get: () => readonly, enumerable: true },
      memory: { get: () => memory, enumerable: true },
    });
    return database;
  }

  const methods = {
    prepare(this: object, sql: unknown): Statement {
      return of(this).connection.prepare(this, sql);
    },
    transaction(this: object, fn: unknown): Function {
      return of(this).transaction(this, fn);
    },
    pragma(this: object, source: unknown, value?: unknown): unknown {
      return pragma(of(this).connection, this, source, value);
    },
    explain(this: object, source: unknown): unknown[] {
      const { connection } = of(this);
      return connection.prepare(this, `EXPLAIN ${stringArgument(source)}`, true).all();
    },
    backup(this: object, file: unknown, options?: unknown): Promise<BackupMetadata> {
      const { connection, timeout } = of(this);
      return backup(connection, resolve, timeout, file, options);
    },
    serialize(this: object, value?: unknown): Buffer {
      return of(this).connection.serialize(schemaOption(optionsArgument(value, "first")));
    },
    function(this: object, name: unknown, first: unknown, second?: unknown): object {
      defineFunction(of(this).connection, name, first, second);
      return this;
    },
    aggregate(this: object, name: unknown, options: unknown): object {
      defineAggregate(of(this).connection, name, options);
      return this;
    },
    table(this: object): never {
      of(this).connection.requireIdle();
      throw new TypeError("table(): virtual tables are not supported here; use a temporary table or json_each()");
    },
    loadExtension(this: object, path: unknown): never {
      stringArgument(path);
      of(this).connection.requireIdle();
      throw new TypeError("loadExtension(): loading extensions is refused, because their code would run in the server");
    },
    exec(this: object, sql: unknown): object {
      of(this).connection.exec(sql);
      return this;
    },
    close(this: object): object {
      of(this).connection.close();
      return this;
    },
    defaultSafeIntegers(this: object, ...on: unknown[]): object {
      of(this).connection.safeIntegers(switchArgument(on));
      return this;
    },
    unsafeMode(this: object, ...on: unknown[]): object {
      of(this).connection.unsafe(switchArgument(on));
      return this;
    },
  };
  for (const [key, method] of Object.entries(methods)) {
    Object.defineProperty(Database.prototype, key, { value: method, writable: true, configurable: true });
  }
  // console.log() shows what an author knows; the rest is on the prototype.
  Object.defineProperty(Database.prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: object): object {
      return Object.assign(new Shown(), this);
    },
  });
  Object.defineProperty(Database, "SqliteError", { value: SqliteError });

  return {
    Database,
    /** Opens the plugin's own database file. */
    openPrivate(file: string): PluginDatabase {
      const open = Database as unknown as new (file: string, options: object) => PluginDatabase;
      return new open(file, { [kPrivate]: true });
    },
    /** The connection behind an instance; undefined for anything else. */
    connectionOf(database: unknown): Connection | undefined {
      return partsOf(database)?.connection;
    },
  };
}

function readOptions(value: unknown, busyTimeout: number) {
  const options = optionsArgument(value, "second");
  if ("readOnly" in options) {
    throw new TypeError('Misspelled option "readOnly" should be "readonly"');
  }
  if ("memory" in options) {
    throw new TypeError('Option "memory" was removed in v7.0.0 (use ":memory:" filename instead)');
  }
  return {
    readonly: booleanOption(options, "readonly"),
    fileMustExist: booleanOption(options, "fileMustExist"),
    timeout: timeoutOption(options, busyTimeout),
    verbose: functionOption(options, "verbose") as ((sql: string) => void) | undefined,
    isPrivate: (options as { [kPrivate]?: boolean })[kPrivate] === true,
  };
}

function timeoutOption(options: Options, fallback: number): number {
  if (!("timeout" in options)) {
    return fallback;
  }
  const timeout = options.timeout;
  if (typeof timeout !== "number" || !Number.isInteger(timeout) || timeout < 0) {
    throw new TypeError('Expected the "timeout" option to be a positive integer');
  }
  if (timeout > kMostTimeout) {
    throw new RangeError(`Option "timeout" cannot be greater than ${kMostTimeout}`);
  }
  return timeout;
}

/** All rows of a PRAGMA, or with `simple` the first value of the first. One that only sets something has none. */
function pragma(connection: Connection, database: object, source: unknown, value: unknown): unknown {
  const options = optionsArgument(value, "second");
  const text = stringArgument(source);
  const simple = booleanOption(options, "simple");
  connection.requireWritable();
  const statement = connection.prepare(database, `PRAGMA ${text}`);
  if (!statement.reader) {
    statement.run();
    return simple ? undefined : [];
  }
  return simple ? statement.pluck().get() : statement.all();
}
