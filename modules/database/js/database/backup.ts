import { functionOption, optionsArgument, stringArgument } from "./checks";
import type { Connection } from "./native";

/** Pages copied between two turns of the event loop. */
const kPagesPerTurn = 100;
const kMostPages = 0x7fffffff;

export interface BackupMetadata {
  totalPages: number;
  remainingPages: number;
}

const { setImmediate } = globalThis;
const { dirname } = require("path") as typeof import("node:path");
const { existsSync, rmSync } = require("fs") as typeof import("node:fs");

/** `db.backup(file, options)`: an online copy that lets the event loop turn. */
export async function backup(
  connection: Connection,
  resolve: (name: string) => string,
  file: unknown,
  value: unknown,
): Promise<BackupMetadata> {
  const options = optionsArgument(value, "second");
  const name = stringArgument(file).trim();
  const schema = schemaOption(options);
  const progress = functionOption(options, "progress");
  if (name === "") throw new TypeError("Backup filename cannot be an empty string");
  if (name === ":memory:") throw new TypeError('Invalid backup filename ":memory:"');
  const path = resolve(name);
  if (!existsSync(dirname(path))) {
    throw new TypeError("Cannot save backup because the directory does not exist");
  }
  const isNew = !existsSync(path);
  const copy = connection.backup(schema, path);
  try {
    return await run((pages) => copy.step(pages), progress);
  } catch (error) {
    copy.finish();
    if (isNew) rmSync(path, { force: true });
    throw error;
  }
}

type Step = (pages: number) => [number, number, boolean];

/** A step of no pages finds out the size first, so that `progress` hears of it. */
async function run(step: Step, progress: Function | undefined): Promise<BackupMetadata> {
  let rate = kPagesPerTurn;
  for (let pages = progress === undefined ? rate : 0; ; pages = rate) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const [totalPages, remainingPages, done] = step(pages);
    const state: BackupMetadata = { totalPages, remainingPages };
    if (done) return state;
    rate = nextRate(progress?.(state), rate);
  }
}

function nextRate(answer: unknown, rate: number): number {
  if (answer === undefined) return rate;
  if (typeof answer !== "number" || Number.isNaN(answer)) {
    throw new TypeError("Expected progress callback to return a number or undefined");
  }
  return Math.max(0, Math.min(kMostPages, Math.round(answer)));
}

/** The database to copy: "main" or an attached one. */
export function schemaOption(options: Record<string, unknown>): string {
  if (!("attached" in options)) return "main";
  const schema = options.attached;
  if (typeof schema !== "string") throw new TypeError('Expected the "attached" option to be a string');
  if (schema === "") throw new TypeError('The "attached" option cannot be an empty string');
  return schema;
}
