/** What src/databases.cpp puts into the environment. Arguments have been checked before they get here. */
export interface NativeDatabases {
  setErrorClass(errorClass: new (message: string, code: string) => Error): void;
  open(
    path: string,
    readonly: boolean,
    mustExist: boolean,
    isPrivate: boolean,
    timeoutMs: number,
    verbose: ((sql: string) => void) | undefined,
    bytes: ArrayBufferView | undefined,
    bytesReadonly: boolean,
  ): Connection;
  closeAll(): void;
}

export interface Connection {
  readonly open: boolean;
  readonly inTransaction: boolean;
  /** `owner` is the statement's `database`. */
  prepare(owner: object, sql: unknown, withoutParameters?: boolean): Statement;
  exec(sql: unknown): void;
  close(): void;
  /** Throws when the connection is closed, runs something, or rows are being read. */
  requireIdle(): void;
  /** As requireIdle(), but in unsafe mode rows may be being read. */
  requireWritable(): void;
  safeIntegers(on: boolean): void;
  unsafe(on: boolean): void;
  defineFunction(
    name: string,
    argumentCount: number,
    deterministic: boolean,
    directOnly: boolean,
    safeIntegers: boolean | undefined,
    fn: Function,
  ): void;
  defineAggregate(
    name: string,
    argumentCount: number,
    deterministic: boolean,
    directOnly: boolean,
    safeIntegers: boolean | undefined,
    step: Function,
    start: unknown,
    inverse: Function | undefined,
    result: Function | undefined,
  ): void;
  serialize(schema: string): Buffer;
  backup(schema: string, path: string): Backup;
}

export interface Backup {
  step(pages: number): [totalPages: number, remainingPages: number, done: boolean, locked: boolean];
  finish(): void;
}

export interface Statement {
  readonly reader: boolean;
  readonly readonly: boolean;
  run(...parameters: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  pluck(on?: boolean): this;
  raw(on?: boolean): this;
  safeIntegers(on?: boolean): this;
}
