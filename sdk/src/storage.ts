import type { PluginDatabase } from "./database.js";
import type { JsonInput, JsonLike } from "./json.js";

/**
 * JSON values by key, private to the plugin, kept across reloads, restarts and updates. Operations apply in call
 * order; what was written is visible to every later read of any channel.
 *
 * Keys are non-empty strings of at most 512 bytes, values at most 262,144 bytes of JSON (UTF-8).
 */
export interface PluginKvStorage {
  /** The value, or `undefined` when the key is absent. `T` is not checked: parse what you do not trust. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** Resolves when the write is durable. Rejects when the value is not strict JSON or is too large. */
  set(key: string, value: JsonInput): Promise<void>;
  set<Value>(key: string, value: Value & JsonLike<Value>): Promise<void>;
  /** Resolves when the removal is durable, whether or not the key was there. */
  delete(key: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /**
   * Writes `next` when the stored value is `expected`; members of objects have no order, and `undefined` stands for an absent
   * key. True when written. What a change of one key needs when several loads or processes may change it at once.
   */
  experimental_compareAndSet(key: string, expected: JsonInput | undefined, next: JsonInput | undefined): Promise<boolean>;
  experimental_compareAndSet<Expected, Next>(
    key: string,
    expected: (Expected & JsonLike<Expected>) | undefined,
    next: (Next & JsonLike<Next>) | undefined,
  ): Promise<boolean>;
  /** Keys that start with `prefix` (default: all), ascending by UTF-8 bytes. */
  list(prefix?: string): Promise<string[]>;
}

/** `svc.storage`: what the plugin keeps. It outlives reloads, updates and restarts. */
export interface PluginStorage {
  readonly kv: PluginKvStorage;
  /**
   * The plugin's own SQLite database, a file that is kept across reloads, restarts and updates; SQLite in the process,
   * with the API of the `better-sqlite3` package. One handle for the whole load, closed when the load ends; after
   * `close()` the next call opens a fresh one. Foreign keys are on, the journal is a WAL, a lock is waited for at most 5 s
   * (`SQLITE_BUSY`). Not available in worker threads.
   */
  database(): PluginDatabase;
  /**
   * Brings the schema up to date. Each element is one migration (one or more SQL statements), identified by its index;
   * those that are new since the last time run in one transaction, and a failing one undoes all of them. Append only: a
   * changed, removed or reordered earlier element throws and names its index.
   */
  migrate(db: PluginDatabase, statements: readonly string[]): void;
}
