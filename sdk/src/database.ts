// The API of the `better-sqlite3` package (13), declared here so that plugins need neither it nor its types. A value of these
// types fits where `import("better-sqlite3").Database` is wanted: query builders and helpers for that package work.

type AnyFunction = (...params: any[]) => unknown;
type ArgumentsOf<F extends AnyFunction> = F extends (...args: infer A) => unknown ? A : never;
type ElementOf<T> = T extends (infer E)[] ? E : T;
/** `Buffer` in a project that has the types of Node, else `Uint8Array`. */
type Bytes = typeof globalThis extends { Buffer: { alloc(size: number): infer B } } ? B : Uint8Array;

/**
 * The SQLite database of the plugin: `svc.storage.database()`. Synchronous; every method throws
 * `TypeError: The database connection is not open` after `close()` and after the load has ended, and an Error named
 * `SqliteError` with a `code` such as `SQLITE_CONSTRAINT_UNIQUE` when SQLite fails.
 *
 * While the rows of `iterate()` are being read, `run()` and `exec()` throw
 * `TypeError: This database connection is busy executing a query`; inside functions that SQL calls everything does.
 *
 * The SQL is that of the server's SQLite, 3.40 or newer: `SELECT sqlite_version()`. The test host has one of its own, which is
 * newer, and refuses what came after 3.40.
 */
export interface PluginDatabase {
  /** The file, or the name the database was opened with. */
  readonly name: string;
  readonly open: boolean;
  readonly inTransaction: boolean;
  readonly readonly: boolean;
  readonly memory: boolean;

  /**
   * @throws RangeError when the text holds no statement or more than one.
   * @example db.prepare<[number], { title: string }>("SELECT title FROM todos WHERE id = ?").get(1)?.title
   */
  prepare<BindParameters extends unknown[] | {} = unknown[], Result = unknown>(
    source: string,
  ): BindParameters extends unknown[] ? PluginDatabaseStatement<BindParameters, Result> : PluginDatabaseStatement<[BindParameters], Result>;
  /**
   * A function that runs `fn` in a transaction (inside another one: a savepoint) and rolls back when it throws. `fn` must
   * be synchronous. The result also has the variants `deferred`, `immediate` and `exclusive`.
   */
  transaction<F extends AnyFunction>(fn: F): PluginDatabaseTransaction<F>;
  /** Runs a script of any number of statements; the first error ends it. */
  exec(source: string): this;
  /** All rows of a PRAGMA; with `simple` the first value of the first one. */
  pragma(source: string, options?: { simple?: boolean | undefined }): unknown;
  /** Makes a function callable from SQL; SQL passes `fn.length` arguments unless `varargs` is set. */
  function(name: string, fn: (...params: any[]) => any): this;
  function(name: string, options: PluginDatabaseFunctionOptions, fn: (...params: any[]) => any): this;
  /** Makes an aggregate function callable from SQL; with `inverse` it is a window function too. */
  aggregate<T>(
    name: string,
    options: PluginDatabaseFunctionOptions & {
      start?: T | (() => T);
      step: (total: T, next: ElementOf<T>) => T | void;
      inverse?: ((total: T, dropped: T) => T) | undefined;
      result?: ((total: T) => unknown) | undefined;
    },
  ): this;
  /** What SQLite would do: the rows of `EXPLAIN <source>`. Parameters need no values. */
  explain(source: string): unknown[];
  /**
   * Copies the database into a file, 100 pages (or what `progress` answers) between two turns of the event loop. Changes
   * made meanwhile are in the copy. Fails with `SQLITE_BUSY` when a lock, or a transaction of this connection, stays for
   * longer than the option `timeout`.
   */
  backup(destinationFile: string, options?: { progress: (info: PluginDatabaseBackup) => number }): Promise<PluginDatabaseBackup>;
  /** The bytes of the database file. */
  serialize(options?: { attached?: string }): Bytes;
  /** Whether integers of statements prepared from now on are BigInts. */
  defaultSafeIntegers(toggleState?: boolean): this;
  /** Allows changes while rows are being read. */
  unsafeMode(unsafe?: boolean): this;
  /** Closes the connection; the next `svc.storage.database()` opens another one. */
  close(): this;
  /** @throws TypeError always: loading extensions is refused. */
  loadExtension(path: string): this;
  /** @throws TypeError always: virtual tables are not supported. */
  table(
    name: string,
    options: {
      rows: (...params: unknown[]) => Generator;
      columns: string[];
      parameters?: string[] | undefined;
      safeIntegers?: boolean | undefined;
      directOnly?: boolean | undefined;
    },
  ): this;
}

/**
 * Parameters are numbers, strings, BigInts, bytes and null: by position (`?`, also as arrays) or by name (`@name`,
 * `:name`, `$name`) in one plain object.
 */
export interface PluginDatabaseStatement<BindParameters extends unknown[] = unknown[], Result = unknown> {
  readonly database: PluginDatabase;
  readonly source: string;
  /** Whether it returns rows. */
  readonly reader: boolean;
  readonly readonly: boolean;
  /** Whether its rows are being iterated. */
  readonly busy: boolean;

  run(...params: BindParameters): PluginDatabaseRunResult;
  /** The first row; undefined when there is none. */
  get(...params: BindParameters): Result | undefined;
  all(...params: BindParameters): Result[];
  /** The rows one by one; the statement is busy until the iterator ends. */
  iterate(...params: BindParameters): IterableIterator<Result>;
  /** Rows become the value of their first column. */
  pluck(toggleState?: boolean): this;
  /** Rows become an object per table; what belongs to none is under `$`. */
  expand(toggleState?: boolean): this;
  /** Rows become arrays. */
  raw(toggleState?: boolean): this;
  /** Binds the parameters for the life of the statement. */
  bind(...params: BindParameters): this;
  columns(): PluginDatabaseColumn[];
  /** Whether its integers are BigInts. */
  safeIntegers(toggleState?: boolean): this;
  /** The source, with the parameters that `bind()` has fixed. */
  toString(): string;
}

/**
 * A function that runs in a transaction, as `transaction()` of a database makes it. Called by itself it begins with `BEGIN`, which is
 * deferred.
 */
export interface PluginDatabaseTransaction<F extends AnyFunction> {
  (...params: ArgumentsOf<F>): ReturnType<F>;
  /** As the function itself. */
  default(...params: ArgumentsOf<F>): ReturnType<F>;
  /** `BEGIN DEFERRED`: locks at the first read and the first write. */
  deferred(...params: ArgumentsOf<F>): ReturnType<F>;
  /** `BEGIN IMMEDIATE`: locks for writing at once. */
  immediate(...params: ArgumentsOf<F>): ReturnType<F>;
  /** `BEGIN EXCLUSIVE`: as `immediate`; a journal that is no WAL keeps readers out, too. */
  exclusive(...params: ArgumentsOf<F>): ReturnType<F>;
}

/** What `run()` of a statement did. */
export interface PluginDatabaseRunResult {
  /** Rows that were inserted, updated or deleted; triggers and foreign keys do not count. */
  changes: number;
  /** The row id that this connection inserted last; a BigInt when the statement has `safeIntegers`. */
  lastInsertRowid: number | bigint;
}

/** A column of a statement's rows. `column`, `table`, `database` and `type` are null for an expression. */
export interface PluginDatabaseColumn {
  name: string;
  column: string | null;
  table: string | null;
  database: string | null;
  /** As the table declares it. */
  type: string | null;
}

/** How SQL may call a function. */
export interface PluginDatabaseFunctionOptions {
  /** Any number of arguments. Default false: as many as the function has parameters. */
  varargs?: boolean | undefined;
  /** Equal arguments give equal results: SQLite may call it less often, and use it in an index. Default false. */
  deterministic?: boolean | undefined;
  /** Integers among the arguments are BigInts. Default: as the database has it. */
  safeIntegers?: boolean | undefined;
  /** Not from triggers, views, indexes and constraints. Default false. */
  directOnly?: boolean | undefined;
}

/** How far a backup is, in pages. */
export interface PluginDatabaseBackup {
  totalPages: number;
  remainingPages: number;
}
