/** One prepared statement, and the reading of its rows one by one. */
import type { Connection } from "./connection";
import type { Address } from "./machine";
import { bindParameters, type ParameterList, parametersOf, readParameters } from "./parameters";
import { columnValue } from "./values";

const kRow = 100;
const kDone = 101;

type Shape = "object" | "pluck" | "expand" | "raw";
type Access = "reads" | "changes";

function switchArgument(args: readonly unknown[]): boolean {
  if (args.length > 0 && typeof args[0] !== "boolean") {
    throw new TypeError("Expected first argument to be a boolean");
  }
  return args[0] !== false;
}

/** What console.log() and a spread show of a statement: they are its own. */
const kOwn = ["busy", "reader", "readonly", "source", "database"] as const;

/** Whoever makes statements knows it. */
export const kMaker = Symbol("maker");

export class Statement {
  readonly #connection: Connection;
  #handle: Address;
  readonly #source: string;
  readonly #database: object;
  readonly #reader: boolean;
  readonly #readonly: boolean;
  #bound: boolean;
  #shape: Shape = "object";
  #bigInts: boolean;
  #parameters: ParameterList | undefined;
  #iterator: StatementIterator | undefined;

  constructor(maker: symbol, connection: Connection, handle: Address, database: object, source: string, bound: boolean) {
    if (maker !== kMaker) {
      throw new TypeError("Statements can only be constructed by the db.prepare() method");
    }
    const { calls } = connection.machine;
    this.#connection = connection;
    this.#handle = handle;
    this.#database = database;
    this.#source = source;
    this.#bound = bound;
    this.#reader = calls.sqlite3_column_count(handle) > 0;
    this.#readonly = calls.sqlite3_stmt_readonly(handle) !== 0;
    this.#bigInts = connection.bigInts;
    for (const name of kOwn) {
      Object.defineProperty(this, name, { ...Object.getOwnPropertyDescriptor(new.target.prototype, name), enumerable: true });
    }
  }

  get busy(): boolean {
    return this.#iterator !== undefined;
  }
  get reader(): boolean {
    return this.#reader;
  }
  get readonly(): boolean {
    return this.#readonly;
  }
  get source(): string {
    return this.#source;
  }
  get database(): object {
    return this.#database;
  }

  run(...args: unknown[]): { changes: number; lastInsertRowid: number | bigint } {
    this.#begin(args, "changes");
    const { calls } = this.#connection.machine;
    const db = this.#connection.handle;
    const before = calls.sqlite3_total_changes64(db);
    const stepped = this.#step();
    if (stepped !== kRow && stepped !== kDone) {
      this.#fail();
    }
    if (this.#reset() !== 0) {
      this.#connection.throwFailure();
    }
    const id = calls.sqlite3_last_insert_rowid(db);
    const changed = before !== calls.sqlite3_total_changes64(db);
    return { changes: changed ? Number(calls.sqlite3_changes64(db)) : 0, lastInsertRowid: this.#bigInts ? id : Number(id) };
  }

  get(...args: unknown[]): unknown {
    this.#requireReader();
    this.#begin(args, "reads");
    const stepped = this.#step();
    if (stepped !== kRow && stepped !== kDone) {
      this.#fail();
    }
    const row = stepped === kRow ? this.#row() : undefined;
    if (this.#reset() !== 0) {
      this.#connection.throwFailure();
    }
    return row;
  }

  all(...args: unknown[]): unknown[] {
    this.#requireReader();
    this.#begin(args, "reads");
    const rows: unknown[] = [];
    let stepped = this.#step();
    for (; stepped === kRow; stepped = this.#step()) {
      rows.push(this.#row());
    }
    if (stepped !== kDone) {
      this.#fail();
    }
    this.#reset();
    return rows;
  }

  iterate(...args: unknown[]): StatementIterator {
    this.#requireReader();
    this.#begin(args, "reads");
    this.#iterator = new StatementIterator(kMaker, this, this.#connection, {
      next: () => this.#nextRow(),
      end: () => this.#endIteration(),
    });
    this.#connection.iterators++;
    return this.#iterator;
  }

  bind(...args: unknown[]): this {
    this.#requireUsable("reads");
    if (this.#bound) {
      throw new TypeError("The bind() method can only be invoked once per statement object");
    }
    this.#bind(args, "reads");
    this.#bound = true;
    return this;
  }

  pluck(...on: unknown[]): this {
    return this.#setShape("pluck", on);
  }
  expand(...on: unknown[]): this {
    return this.#setShape("expand", on);
  }
  raw(...on: unknown[]): this {
    return this.#setShape("raw", on);
  }
  safeIntegers(...on: unknown[]): this {
    this.#requireUnused();
    this.#bigInts = switchArgument(on);
    return this;
  }

  columns(): object[] {
    this.#requireShaped("columns");
    this.#connection.requireOpen();
    this.#connection.requireNotExecuting();
    const { machine } = this.#connection;
    const { calls } = machine;
    return Array.from({ length: calls.sqlite3_column_count(this.#handle) }, (_, column) => ({
      name: machine.textOrNull(calls.sqlite3_column_name(this.#handle, column)),
      column: machine.textOrNull(calls.sqlite3_column_origin_name(this.#handle, column)),
      table: machine.textOrNull(calls.sqlite3_column_table_name(this.#handle, column)),
      database: machine.textOrNull(calls.sqlite3_column_database_name(this.#handle, column)),
      type: machine.textOrNull(calls.sqlite3_column_decltype(this.#handle, column)),
    }));
  }

  /** The source, with the parameters that bind() has fixed. */
  toString(): string {
    return (this.#bound && this.#handle !== 0 ? this.#connection.expanded(this.#handle) : undefined) ?? this.#source;
  }

  /** The connection closes: nothing can be executed any more. */
  static finalize(statement: Statement): void {
    statement.#endIteration();
    statement.#connection.machine.calls.sqlite3_finalize(statement.#handle);
    statement.#handle = 0;
  }

  #requireUsable(access: Access): void {
    this.#connection.requireOpen();
    this.#requireUnused();
    if (access === "changes") {
      this.#connection.requireWritable();
    }
  }
  /** Neither the connection runs something nor are rows of this statement being read. */
  #requireUnused(): void {
    this.#connection.requireNotExecuting();
    if (this.#iterator !== undefined) {
      throw new TypeError("This statement is busy executing a query");
    }
  }
  #requireReader(): void {
    if (!this.#reader) {
      throw new TypeError("This statement does not return data. Use run() instead");
    }
  }
  #requireShaped(method: string): void {
    if (!this.#reader) {
      throw new TypeError(`The ${method}() method is only for statements that return data`);
    }
  }

  #bind(args: readonly unknown[], access: Access): void {
    const { machine } = this.#connection;
    this.#parameters ??= parametersOf(machine, this.#handle);
    const values = readParameters(args, this.#parameters);
    // Getters of the arguments may have used the connection.
    this.#requireUsable(access);
    try {
      bindParameters(machine, this.#handle, values);
    } catch (error) {
      machine.calls.sqlite3_clear_bindings(this.#handle);
      throw error;
    }
  }

  /** Everything before the first step. */
  #begin(args: readonly unknown[], access: Access): void {
    this.#requireUsable(access);
    if (!this.#bound) {
      this.#bind(args, access);
    } else if (args.length > 0) {
      throw new TypeError("This statement already has bound parameters");
    }
    try {
      this.#connection.trace(this.#handle);
    } catch (error) {
      this.#reset();
      throw error;
    }
  }

  #step(): number {
    return this.#connection.executing(() => this.#connection.machine.calls.sqlite3_step(this.#handle));
  }
  #reset(): number {
    const { calls } = this.#connection.machine;
    const status = calls.sqlite3_reset(this.#handle);
    if (!this.#bound) {
      calls.sqlite3_clear_bindings(this.#handle);
    }
    return status;
  }
  #fail(): never {
    try {
      return this.#connection.throwFailure();
    } finally {
      this.#reset();
    }
  }

  #nextRow(): { row: unknown } | undefined {
    const stepped = this.#step();
    if (stepped === kRow) {
      return { row: this.#row() };
    }
    try {
      return stepped === kDone ? undefined : this.#connection.throwFailure();
    } finally {
      this.#endIteration();
    }
  }
  #endIteration(): void {
    if (this.#iterator !== undefined) {
      StatementIterator.detach(this.#iterator);
      this.#iterator = undefined;
      this.#connection.iterators--;
      this.#reset();
    }
  }

  #setShape(shape: Shape, on: readonly unknown[]): this {
    this.#requireShaped(shape);
    this.#requireUnused();
    if (switchArgument(on)) {
      this.#shape = shape;
    } else if (this.#shape === shape) {
      this.#shape = "object";
    }
    return this;
  }

  #row(): unknown {
    const { machine } = this.#connection;
    const { calls } = machine;
    const value = (column: number): unknown => columnValue(machine, this.#handle, column, this.#bigInts);
    if (this.#shape === "pluck") {
      return value(0);
    }
    const columns = Array.from({ length: calls.sqlite3_column_count(this.#handle) }, (_, column) => column);
    if (this.#shape === "raw") {
      return columns.map(value);
    }
    const row = {};
    for (const column of columns) {
      let into: object = row;
      if (this.#shape === "expand") {
        const table = machine.textOrNull(calls.sqlite3_column_table_name(this.#handle, column)) ?? "$";
        into = Object.hasOwn(row, table) ? (row as Record<string, object>)[table]! : setMember(row, table, {});
      }
      setMember(into, machine.text(calls.sqlite3_column_name(this.#handle, column)), value(column));
    }
    return row;
  }
}

/** A column may be called `__proto__`. */
function setMember<T>(object: object, key: string, value: T): T {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

/** How an iterator drives its statement. */
interface Drive {
  next(): { row: unknown } | undefined;
  end(): void;
}

/** What `iterate()` answers. */
export class StatementIterator {
  readonly #statement: Statement;
  readonly #connection: Connection;
  #drive: Drive | undefined;

  constructor(maker: symbol, statement: Statement, connection: Connection, drive: Drive) {
    if (maker !== kMaker) {
      throw new TypeError("Illegal constructor");
    }
    this.#statement = statement;
    this.#connection = connection;
    this.#drive = drive;
  }

  /** The statement has ended the execution. */
  static detach(iterator: StatementIterator): void {
    iterator.#drive = undefined;
  }

  get statement(): Statement {
    return this.#statement;
  }
  next(): { value: unknown; done: boolean } {
    if (this.#drive !== undefined) {
      this.#connection.requireNotExecuting();
    }
    const next = this.#drive?.next();
    return { value: next?.row, done: next === undefined };
  }
  return(): { value: undefined; done: true } {
    if (this.#drive !== undefined) {
      this.#connection.requireNotExecuting();
      this.#drive.end();
    }
    return { value: undefined, done: true };
  }
  [Symbol.iterator](): this {
    return this;
  }
}
