import { migrate as apply } from "../../../plugins/js/policy/migrations";
import type { Connection } from "./native";

function sha256(text: string): string {
  const { createHash } = require("crypto") as typeof import("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}

/** `svc.storage.migrate()` on a connection. */
export function migrate(connection: Connection, database: object, statements: unknown, fail: (what: string) => never): void {
  connection.requireIdle();
  const prepare = (sql: string) => connection.prepare(database, sql).safeIntegers(false);
  const target = {
    get inTransaction() {
      return connection.inTransaction;
    },
    exec: (sql: string) => connection.exec(sql),
    rows: (sql: string, ...parameters: unknown[]) =>
      prepare(sql)
        .raw()
        .all(...parameters) as unknown[][],
    run: (sql: string, ...parameters: unknown[]) => void connection.prepare(database, sql).run(...parameters),
  };
  apply(target, statements, { fail, hash: sha256 });
}
