/** `svc.storage.migrate()`: what may be given, what counts as a change of the past, and how it is applied. */
import { kindOf } from "./arguments";

/** What migrations need of a database. */
export interface MigrationDatabase {
  readonly inTransaction: boolean;
  /** Runs a script. */
  exec(sql: string): void;
  /** Rows as arrays, integers as numbers. */
  rows(sql: string, ...parameters: unknown[]): unknown[][];
  /** Runs one statement. */
  run(sql: string, ...parameters: unknown[]): void;
}

export interface MigrationTools {
  fail(what: string): never;
  /** SHA-256 as hexadecimal text. */
  hash(statement: string): string;
}

const kTable = "_svc_migrations";
const { isArray } = Array;
const { now } = Date;

/** Applies the statements that are new since the last time, in one transaction. */
export function migrate(database: MigrationDatabase, statements: unknown, { fail, hash }: MigrationTools): void {
  const list = checkStatements(statements, fail);
  if (database.inTransaction) {
    fail("a transaction is open on this database; migrate before you begin one");
  }
  const hashes = list.map(hash);
  // Nothing new is the usual case: it needs no lock, so a reload does not wait for the load it replaces.
  if (compare(appliedHashes(database), hashes) === list.length) {
    return;
  }
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS ${kTable} (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)`);
    const first = compare(appliedHashes(database), hashes);
    for (let index = first; index < list.length; index++) {
      apply(database, list[index] as string, index);
      database.run(`INSERT INTO ${kTable} (id, hash, applied_at) VALUES (?, ?, ?)`, index, hashes[index], now());
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) {
      database.exec("ROLLBACK");
    }
    throw error;
  }
}

function checkStatements(statements: unknown, fail: MigrationTools["fail"]): string[] {
  if (!isArray(statements)) {
    fail(`the statements must be an array of SQL texts, is ${kindOf(statements)}`);
  }
  return (statements as unknown[]).map((statement, index) => {
    if (typeof statement !== "string" || statement.trim() === "") {
      fail(`statement ${index} must be SQL text, is ${typeof statement === "string" ? "blank" : kindOf(statement)}`);
    }
    return statement as string;
  });
}

/** Hashes of the statements that have been applied, by index. */
function appliedHashes(database: MigrationDatabase): string[] {
  const [exists] = database.rows("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", kTable);
  if (exists?.[0] === 0) {
    return [];
  }
  return database.rows(`SELECT id, hash FROM ${kTable} ORDER BY id`).map(([id, hash], index) => {
    if (id !== index) {
      throw new Error(`storage.migrate: the table ${kTable} has no row for statement ${index}`);
    }
    return hash as string;
  });
}

/** How many are applied already. Throws when the past was changed. */
function compare(applied: readonly string[], hashes: readonly string[]): number {
  applied.forEach((hash, index) => {
    if (index >= hashes.length) {
      throw new Error(`storage.migrate: statement ${index} has been applied and is missing now; applied statements must stay`);
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

function apply(database: MigrationDatabase, statement: string, index: number): void {
  try {
    database.exec(statement);
  } catch (error) {
    if (error instanceof Error && error.name === "SqliteError") {
      error.message = `storage.migrate: statement ${index} failed: ${error.message}`;
    }
    throw error;
  }
  if (!database.inTransaction) {
    throw new Error(`storage.migrate: statement ${index} ended the transaction; leave COMMIT and ROLLBACK out`);
  }
}
