/** `svc.storage.database()` and `migrate()` over the better-sqlite3 package, which the plugin brings. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { PluginDatabase } from "../src/database";
import { extend } from "../../modules/plugins/js/namespace";
import type { PluginApi } from "../../modules/plugins/js/plugin_api";
import { kindOf } from "../../modules/plugins/js/policy/arguments";
import { migrate } from "../../modules/plugins/js/policy/migrations";
import { kBusyTimeout } from "./limits";
import { newerSql } from "./newer_sql";

type DatabaseClass = (new (file: string, options?: object) => PluginDatabase) & {
  SqliteError: new (message: string, code: string) => Error;
};

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

/** Adds the two members to `svc.storage`. Returns what closes every handle of the load for good. */
export function databasePart(api: PluginApi, file: DatabaseFile): () => void {
  const handles = new Set<PluginDatabase>();
  let current: PluginDatabase | undefined;
  let ended = false;

  function open(): PluginDatabase {
    if (ended) {
      throw new TypeError("The database connection is not open");
    }
    if (current?.open === true) {
      return current;
    }
    const opened = new (databaseClass())(file.path, { timeout: kBusyTimeout });
    handles.add(opened);
    opened.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    Object.assign(opened, kRefused, oldestSql(opened));
    return (current = opened);
  }

  function migrateDatabase(given: unknown, statements: unknown): void {
    const member = "storage.migrate";
    if (!isDatabase(given)) {
      api.fail(member, `the first argument must be a database of svc.storage.database(), is ${kindOf(given)}`);
    }
    const database = given as PluginDatabase;
    const target = {
      get inTransaction() {
        return database.inTransaction;
      },
      exec: (sql: string) => void database.exec(sql),
      rows: (sql: string, ...parameters: unknown[]) =>
        database
          .prepare(sql)
          .safeIntegers(false)
          .raw()
          .all(...parameters) as unknown[][],
      run: (sql: string, ...parameters: unknown[]) => void database.prepare(sql).run(...parameters),
    };
    migrate(target, statements, {
      fail: (what) => api.fail(member, what),
      hash: (statement) => createHash("sha256").update(statement).digest("hex"),
    });
  }

  extend(api, "storage", {
    database: api.guard("storage.database", open),
    migrate: api.guard("storage.migrate", migrateDatabase),
  });
  return () => {
    ended = true;
    handles.forEach((handle) => handle.close());
  };
}

/** What the service refuses, in its words. */
const kRefused = {
  table(): never {
    throw new TypeError("table(): virtual tables are not supported here; use a temporary table or json_each()");
  },
  loadExtension(): never {
    throw new TypeError("loadExtension(): loading extensions is refused, because their code would run in the server");
  },
};

/** The methods that take SQL, or make functions for it: what the server's SQLite may not know fails here too. */
function oldestSql(database: PluginDatabase): Partial<PluginDatabase> {
  const own = new Set<string>();
  const check = (sql: unknown): void => {
    const problem = typeof sql === "string" ? newerSql(sql, own) : undefined;
    if (problem !== undefined) {
      throw new (databaseClass().SqliteError)(problem, "SQLITE_ERROR");
    }
  };
  const checking = (name: "prepare" | "exec") => {
    const original = database[name] as (sql: string) => never;
    return function (this: PluginDatabase, sql: string): never {
      check(sql);
      return original.call(this, sql);
    };
  };
  const noting = (name: "function" | "aggregate") => {
    const original = database[name] as (defined: string, ...rest: unknown[]) => PluginDatabase;
    return function (this: PluginDatabase, defined: string, ...rest: unknown[]): PluginDatabase {
      const result = original.call(this, defined, ...rest);
      own.add(defined.toLowerCase());
      return result;
    };
  };
  return { prepare: checking("prepare"), exec: checking("exec"), function: noting("function"), aggregate: noting("aggregate") };
}

let found: DatabaseClass | undefined;

function databaseClass(): DatabaseClass {
  return (found ??= findPackage());
}

function isDatabase(value: unknown): boolean {
  return found !== undefined && value instanceof found;
}

/** That of the plugin, whose folder tests run in, else one near the SDK. */
function findPackage(): DatabaseClass {
  const places = [join(process.cwd(), "package.json"), import.meta.url];
  for (const place of places) {
    const require = createRequire(place);
    try {
      require.resolve("better-sqlite3");
    } catch {
      continue;
    }
    return require("better-sqlite3") as DatabaseClass;
  }
  throw new Error(
    "storage.database: the test host opens databases with the better-sqlite3 package, which is not installed; " +
      "run: npm install --save-dev better-sqlite3",
  );
}
