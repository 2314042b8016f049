import { functionOption, optionsArgument, stringArgument } from "./checks";
import type { Connection } from "./native";
import { SqliteError } from "./sqlite_error";

/** Pages copied between two turns of the event loop. */
const kPagesPerTurn = 100;
const kMostPages = 0x7fffffff;
/** How long a copy waits for a lock before it looks again. */
const kRetryMs = 20;

export interface BackupMetadata {
  totalPages: number;
  remainingPages: number;
}

const { setImmediate, setTimeout, performance } = globalThis;
const { dirname } = require("path") as typeof import("node:path");
const { existsSync, rmSync } = require("fs") as typeof import("node:fs");

/** `db.backup(file, options)`: an online copy that lets the event loop turn. */
export async function backup(
  connection: Connection,
  resolve: (name: string) => string,
  patienceMs: number,
  file: unknown,
  value: unknown,
): Promise<BackupMetadata> {
  const options = optionsArgument(value, "second");
  const name = stringArgument(file).trim();
  const schema = schemaOption(options);
  const progress = functionOption(options, "progress");
  if (name === "") {
    throw new TypeError("Backup filename cannot be an empty string");
  }
  if (name === ":memory:") {
    throw new TypeError('Invalid backup filename ":memory:"');
  }
  const path = resolve(name);
  if (!existsSync(dirname(path))) {
    throw new TypeError("Cannot save backup because the directory does not exist");
  }
  const isNew = !existsSync(path);
  const copy = connection.backup(schema, path);
  try {
    return await run(connection, (pages) => copy.step(pages), patienceMs, progress);
  } catch (error) {
    copy.finish();
    if (isNew) {
      rmSync(path, { force: true });
    }
    throw error;
  }
}

type Step = (pages: number) => [totalPages: number, remainingPages: number, done: boolean, locked: boolean];

/** A step of no pages finds out the size first, so that `progress` hears of it. */
async function run(connection: Connection, step: Step, patienceMs: number, progress: Function | undefined): Promise<BackupMetadata> {
  let rate = kPagesPerTurn;
  let lockedSince: number | undefined;
  for (let pages = progress === undefined ? rate : 0; ; pages = rate) {
    await new Promise<void>((resolve) => (lockedSince === undefined ? setImmediate(resolve) : setTimeout(resolve, kRetryMs)));
    const [totalPages, remainingPages, done, locked] = step(pages);
    const state: BackupMetadata = { totalPages, remainingPages };
    if (done) {
      return state;
    }
    if (locked) {
      lockedSince ??= performance.now();
      if (performance.now() - lockedSince >= patienceMs) {
        throw lockedError(connection, patienceMs);
      }
    } else {
      lockedSince = undefined;
    }
    rate = nextRate(progress?.(state), rate);
  }
}

function lockedError(connection: Connection, patienceMs: number): SqliteError {
  const why = connection.inTransaction
    ? "this connection is in a transaction: end it first, or make the backup before it"
    : "another connection keeps the source or the target locked";
  return new SqliteError(
    `database is locked: the backup made no progress for ${patienceMs} ms (option "timeout"), because ${why}`,
    "SQLITE_BUSY",
  );
}

function nextRate(answer: unknown, rate: number): number {
  if (answer === undefined) {
    return rate;
  }
  if (typeof answer !== "number" || Number.isNaN(answer)) {
    throw new TypeError("Expected progress callback to return a number or undefined");
  }
  return Math.max(0, Math.min(kMostPages, Math.round(answer)));
}

/** The database to copy: "main" or an attached one. */
export function schemaOption(options: Record<string, unknown>): string {
  if (!("attached" in options)) {
    return "main";
  }
  const schema = options.attached;
  if (typeof schema !== "string") {
    throw new TypeError('Expected the "attached" option to be a string');
  }
  if (schema === "") {
    throw new TypeError('The "attached" option cannot be an empty string');
  }
  return schema;
}
