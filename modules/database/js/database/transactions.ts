import type { Connection, Statement } from "./native";

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const kModes = ["default", "deferred", "immediate", "exclusive"] as const;
type Mode = (typeof kModes)[number];

const kBegin: Record<Mode, string> = {
  default: "BEGIN",
  deferred: "BEGIN DEFERRED",
  immediate: "BEGIN IMMEDIATE",
  exclusive: "BEGIN EXCLUSIVE",
};
const kSavepoint = "`svc transaction`";

const { defineProperties } = Object;
/** These statements are shown to nobody. */
const kNobody = Object.freeze({});
const { apply } = Reflect;

/** `db.transaction()` of one connection; `database` is what it was called on. */
export function makeTransactions(connection: Connection): (database: object, fn: unknown) => AnyFunction {
  const statements = new Map<string, Statement>();
  const run = (sql: string): void => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(kNobody, sql);
      statements.set(sql, statement);
    }
    statement.run();
  };

  /** One execution: a transaction of its own, or a savepoint in the one that is open. */
  const execute = (mode: Mode, fn: AnyFunction, receiver: unknown, args: unknown[]): unknown => {
    const nested = connection.inTransaction;
    run(nested ? `SAVEPOINT ${kSavepoint}` : kBegin[mode]);
    try {
      const result = apply(fn, receiver, args);
      if (typeof (result as { then?: unknown } | null | undefined)?.then === "function") {
        throw new TypeError("Transaction function cannot return a promise");
      }
      run(nested ? `RELEASE ${kSavepoint}` : "COMMIT");
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself.
      if (connection.inTransaction) {
        if (nested) {
          run(`ROLLBACK TO ${kSavepoint}`);
        }
        run(nested ? `RELEASE ${kSavepoint}` : "ROLLBACK");
      }
      throw error;
    }
  };

  return (database, fn) => {
    if (typeof fn !== "function") {
      throw new TypeError("Expected first argument to be a function");
    }
    if (!connection.open) {
      throw new TypeError("The database connection is not open");
    }
    const variants = {} as Record<Mode, AnyFunction>;
    for (const mode of kModes) {
      variants[mode] = function sqliteTransaction(this: unknown, ...args: unknown[]): unknown {
        return execute(mode, fn as AnyFunction, this, args);
      };
    }
    const properties: PropertyDescriptorMap = { database: { value: database, enumerable: true } };
    for (const mode of kModes) {
      properties[mode] = { value: variants[mode] };
    }
    for (const mode of kModes) {
      defineProperties(variants[mode], properties);
    }
    return variants.default;
  };
}
