import { kindOf } from "../../../plugins/js/policy/arguments";
import type { Connection } from "./native";
import { SqliteError } from "./sqlite_error";

const kTable = "_svc_migrations";
const { isArray } = Array;
const { now } = Date;

export type Fail = (what: string) => never;

function hashOf(statement: string): string {
  const { createHash } = require("crypto") as typeof import("node:crypto");
  return createHash("sha256").update(statement).digest("hex");
}

/** Hashes of the statements that have been applied, by index. */
function appliedHashes(connection: Connection, database: object): string[] {
  const exists = connection.prepare(database, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (exists.safeIntegers(false).pluck().get(kTable) === 0) return [];
  const rows = connection.prepare(database, `SELECT id, hash FROM ${kTable} ORDER BY id`).safeIntegers(false).raw().all();
  return (rows as [number, string][]).map(([id, hash], index) => {
    if (id !== index) throw new Error(`storage.migrate: the table ${kTable} has no row for statement ${index}`);
    return hash;
  });
}

/** `svc.storage.migrate()`: applies the statements that are new since the last time. */
export function migrate(connection: Connection, database: object, statements: unknown, fail: Fail): void {
  const list = checkStatements(statements, fail);
  connection.requireIdle();
  if (connection.inTransaction) fail("a transaction is open on this database; migrate before you begin one");
  const hashes = list.map(hashOf);
  // Nothing new is the usual case: it needs no lock, so a reload does not wait for the load it replaces.
  if (compare(appliedHashes(connection, database), hashes) === list.length) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    connection.exec(
      `CREATE TABLE IF NOT EXISTS ${kTable} (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)`,
    );
    const first = compare(appliedHashes(connection, database), hashes);
    const note = connection.prepare(database, `INSERT INTO ${kTable} (id, hash, applied_at) VALUES (?, ?, ?)`);
    for (let index = first; index < list.length; index++) {
      apply(connection, list[index] as string, index);
      note.run(index, hashes[index], now());
    }
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

function checkStatements(statements: unknown, fail: Fail): string[] {
  if (!isArray(statements)) fail(`the statements must be an array of SQL texts, is ${kindOf(statements)}`);
  return (statements as unknown[]).map((statement, index) => {
    if (typeof statement !== "string" || statement.trim() === "") {
      fail(`statement ${index} must be SQL text, is ${typeof statement === "string" ? "blank" : kindOf(statement)}`);
    }
    return statement as string;
  });
}

/** How many are applied already. Throws when the past was changed. */
function compare(applied: readonly string[], hashes: readonly string[]): number {
  applied.forEach((hash, index) => {
    if (index >= hashes.length) {
      throw new Error(
        `storage.migrate: statement ${index} has been applied and is missing now; applied statements must stay`,
      );
    }
    if (hash !== hashes[index]) {
      throw new Error(
        `storage.migrate: statement ${index} differs from the one that has been applied; ` +
          "restore it, keep the order, and append what is new",
      );
    }
  });
  return applied.length;
}

function apply(connection: Connection, statement: string, index: number): void {
  try {
    connection.exec(statement);
  } catch (error) {
    if (error instanceof SqliteError) error.message = `storage.migrate: statement ${index} failed: ${error.message}`;
    throw error;
  }
  if (!connection.inTransaction) {
    throw new Error(`storage.migrate: statement ${index} ended the transaction; leave COMMIT and ROLLBACK out`);
  }
}
