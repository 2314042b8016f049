/** A failure that SQLite reports. `code` is its extended result code: "SQLITE_CONSTRAINT_UNIQUE". */
export class SqliteError extends Error {
  code: string;

  constructor(message: string, code: string) {
    if (typeof code !== "string") {
      throw new TypeError("Expected second argument to be a string");
    }
    super(message);
    this.code = code;
  }
}
Object.defineProperty(SqliteError.prototype, "name", { value: "SqliteError", writable: true, configurable: true });
