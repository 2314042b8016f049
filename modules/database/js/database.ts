import type { PluginDatabase } from "../../../sdk/src/database";
import type { HostRuntime } from "../../jsruntime/js/runtime";
import { extend } from "../../plugins/js/namespace";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { kindOf } from "../../plugins/js/policy/arguments";
import { makeDatabaseClass } from "./database/database_class";
import { migrate } from "./database/migrate";
import type { NativeDatabases } from "./database/native";
import { SqliteError } from "./database/sqlite_error";

interface Config {
  file: string;
  busyTimeout: number;
}

const { parse } = JSON;

/** `svc.storage.database()` and `migrate()`, and the host's function "database.close". */
export default function databasePart(runtime: HostRuntime, api: PluginApi): void {
  const { file, busyTimeout } = parse(runtime.callSync("database.config") ?? "{}") as Config;
  const native = runtime.native<NativeDatabases>("database");
  native.setErrorClass(SqliteError);
  let ended = false;
  let current: PluginDatabase | undefined;

  const { openPrivate, connectionOf } = makeDatabaseClass({
    native,
    busyTimeout,
    assertOpenable() {
      if (ended) {
        throw new TypeError("The database connection is not open");
      }
      // Tells the host that this load has something to close.
      api.setRegistration("database", true);
    },
  });

  const database = (): PluginDatabase => {
    if (current !== undefined && connectionOf(current)?.open) {
      return current;
    }
    const opened = openPrivate(file);
    const connection = connectionOf(opened)!;
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    } catch (error) {
      connection.close();
      if (error instanceof SqliteError) {
        error.message = `storage.database: ${file}: ${error.message}`;
      }
      throw error;
    }
    return (current = opened);
  };

  const migrateDatabase = (db: unknown, statements: unknown): void => {
    const member = "storage.migrate";
    const connection = connectionOf(db);
    if (connection === undefined) {
      api.fail(member, `the first argument must be a database of svc.storage.database(), is ${kindOf(db)}`);
    }
    migrate(connection!, db as object, statements, (what) => api.fail(member, what));
  };

  runtime.handle("database.close", () => {
    ended = true;
    native.closeAll();
    return undefined;
  });

  extend(api, "storage", {
    database: api.guard("storage.database", database),
    migrate: api.guard("storage.migrate", migrateDatabase),
  });
}
