module.exports = ({ Database, assert, test, sample, throws }) => {
  test("constraints have their code", () => {
    const db = sample();
    db.pragma("foreign_keys = ON");
    db.exec(
      "CREATE TABLE n (a NOT NULL); CREATE TABLE k (a CHECK (a > 1)); CREATE TABLE f (a REFERENCES t (a));" +
        "CREATE TRIGGER tr BEFORE INSERT ON k WHEN NEW.a = 5 BEGIN SELECT RAISE(ABORT, 'my message'); END",
    );
    const cases = [
      ["INSERT INTO t (b) VALUES ('x')", "UNIQUE constraint failed: t.b", "SQLITE_CONSTRAINT_UNIQUE"],
      ["INSERT INTO t (a) VALUES (1)", "UNIQUE constraint failed: t.a", "SQLITE_CONSTRAINT_PRIMARYKEY"],
      ["INSERT INTO n VALUES (NULL)", "NOT NULL constraint failed: n.a", "SQLITE_CONSTRAINT_NOTNULL"],
      ["INSERT INTO k VALUES (0)", "CHECK constraint failed: a > 1", "SQLITE_CONSTRAINT_CHECK"],
      ["INSERT INTO f VALUES (99)", "FOREIGN KEY constraint failed", "SQLITE_CONSTRAINT_FOREIGNKEY"],
      ["INSERT INTO k VALUES (5)", "my message", "SQLITE_CONSTRAINT_TRIGGER"],
    ];
    for (const [sql, message, code] of cases) {
      throws(() => db.prepare(sql).run(), "SqliteError", message, code);
      throws(() => db.exec(sql), "SqliteError", message, code);
    }
    throws(() => db.prepare("INSERT INTO t (b) VALUES ('x') RETURNING a").get(), "SqliteError", undefined, "SQLITE_CONSTRAINT_UNIQUE");
    throws(() => db.prepare("INSERT INTO t (b) VALUES ('x') RETURNING a").all(), "SqliteError", undefined, "SQLITE_CONSTRAINT_UNIQUE");
  });

  test("other failures have theirs", () => {
    const db = sample();
    throws(() => db.prepare("SELECT zeroblob(2000000000)").get(), "SqliteError", "string or blob too big", "SQLITE_TOOBIG");
    throws(() => db.prepare("SELECT load_extension('x')").get(), "SqliteError", /not authorized|no such function/, "SQLITE_ERROR");
  });

  test("a failed statement can be used again", () => {
    const db = sample();
    const insert = db.prepare("INSERT INTO t (b) VALUES (?)");
    throws(() => insert.run("x"), "SqliteError", undefined, "SQLITE_CONSTRAINT_UNIQUE");
    assert.equal(insert.run("z").changes, 1);
  });

  test("SqliteError is an Error of its own", () => {
    const error = new Database.SqliteError("message", "CODE");
    assert.ok(error instanceof Error);
    assert.deepEqual([error.name, error.message, error.code, String(error)], ["SqliteError", "message", "CODE", "SqliteError: message"]);
    throws(() => new Database.SqliteError("message", 3), TypeError, "Expected second argument to be a string");
    assert.throws(
      () => sample().exec("nonsense"),
      (thrown) => thrown instanceof Database.SqliteError && /SqliteError: near/.test(thrown.stack),
    );
    assert.deepEqual(Object.keys(error), ["code"]);
  });
};
