module.exports = ({ Database, assert, test, memory, sample, throws }) => {
  test("prepare wants one statement", () => {
    const db = sample();
    throws(() => db.prepare(), TypeError, "Expected first argument to be a string");
    throws(() => db.prepare(3), TypeError, "Expected first argument to be a string");
    throws(() => db.prepare(new String("SELECT 1")), TypeError, "Expected first argument to be a string");
    throws(() => db.prepare(""), RangeError, "The supplied SQL string contains no statements");
    throws(() => db.prepare("-- nothing\n;"), RangeError, "The supplied SQL string contains no statements");
    throws(() => db.prepare("SELECT 1; SELECT 2"), RangeError, "The supplied SQL string contains more than one statement");
    throws(() => db.prepare("SELEC 1"), "SqliteError", 'near "SELEC": syntax error', "SQLITE_ERROR");
    throws(() => db.prepare("SELECT * FROM nowhere"), "SqliteError", "no such table: nowhere", "SQLITE_ERROR");
  });

  test("blanks and comments may follow a statement", () => {
    assert.deepEqual(sample().prepare("SELECT 1 AS n; -- one\n /* two */ ; ").get(), { n: 1 });
  });

  test("run answers changes and the last row id", () => {
    const db = sample();
    assert.deepEqual(db.prepare("INSERT INTO t (b) VALUES ('z')").run(), { changes: 1, lastInsertRowid: 3 });
    assert.equal(db.prepare("UPDATE t SET c = 0").run().changes, 3);
    assert.equal(db.prepare("DELETE FROM t WHERE a = 99").run().changes, 0);
    // Nothing changed: not the count of an earlier statement.
    db.prepare("UPDATE t SET c = 1").run();
    assert.equal(db.prepare("CREATE TABLE other (a)").run().changes, 0);
    assert.equal(db.prepare("BEGIN").run().changes, 0);
  });

  test("changes made by triggers do not count", () => {
    const db = sample();
    db.exec("CREATE TABLE log (a); CREATE TRIGGER tr AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (1); END");
    assert.equal(db.prepare("UPDATE t SET c = 9").run().changes, 2);
  });

  test("run works on statements that return data, and takes one step", () => {
    const db = sample();
    let calls = 0;
    db.function("tick", () => ++calls);
    assert.deepEqual(db.prepare("SELECT tick() FROM t").run(), { changes: 0, lastInsertRowid: 2 });
    assert.equal(calls, 1);
    assert.deepEqual(db.prepare("INSERT INTO t (b) VALUES ('r') RETURNING a").run(), { changes: 1, lastInsertRowid: 3 });
  });

  test("get answers the first row or undefined", () => {
    const db = sample();
    assert.deepEqual(db.prepare("SELECT a, b FROM t ORDER BY a").get(), { a: 1, b: "x" });
    assert.equal(db.prepare("SELECT a FROM t WHERE a = 99").get(), undefined);
    assert.deepEqual(db.prepare("INSERT INTO t (b) VALUES ('r') RETURNING a, b").get(), { a: 3, b: "r" });
  });

  test("all answers every row", () => {
    const db = sample();
    assert.deepEqual(db.prepare("SELECT a FROM t ORDER BY a").all(), [{ a: 1 }, { a: 2 }]);
    assert.deepEqual(db.prepare("SELECT a FROM t WHERE 0").all(), []);
    assert.deepEqual(db.prepare("UPDATE t SET c = 5 RETURNING a").all(), [{ a: 1 }, { a: 2 }]);
  });

  test("a statement can be used again and again", () => {
    const statement = sample().prepare("SELECT b FROM t WHERE a = ?");
    assert.deepEqual(
      [1, 2, 3, 1].map((a) => statement.get(a)?.b),
      ["x", "y", undefined, "x"],
    );
  });

  test("reading methods refuse statements that return nothing", () => {
    const db = sample();
    const insert = db.prepare("INSERT INTO t (b) VALUES ('q')");
    for (const method of ["get", "all", "iterate"]) {
      throws(() => insert[method](), TypeError, "This statement does not return data. Use run() instead");
    }
    for (const method of ["pluck", "raw", "expand", "columns"]) {
      throws(() => insert[method](), TypeError, `The ${method}() method is only for statements that return data`);
    }
    assert.equal(db.prepare("SELECT count(*) FROM t").pluck().get(), 2);
  });

  test("properties say what the statement is", () => {
    const db = sample();
    const statement = db.prepare("SELECT 1");
    assert.equal(statement.database, db);
    assert.equal(statement.source, "SELECT 1");
    assert.equal(statement.busy, false);
    const kinds = {
      "SELECT 1": [true, true],
      "VALUES (1)": [true, true],
      "WITH q AS (SELECT 1) SELECT * FROM q": [true, true],
      "EXPLAIN SELECT 1": [true, true],
      "PRAGMA user_version": [true, true],
      "PRAGMA user_version = 3": [false, false],
      "INSERT INTO t (b) VALUES (1)": [false, false],
      "INSERT INTO t (b) VALUES (1) RETURNING a": [true, false],
      "CREATE TABLE q (a)": [false, false],
      BEGIN: [false, true],
      COMMIT: [false, true],
      VACUUM: [false, false],
    };
    for (const [sql, [reader, readonly]] of Object.entries(kinds)) {
      const made = db.prepare(sql);
      assert.deepEqual([made.reader, made.readonly], [reader, readonly], sql);
    }
    throws(() => {
      "use strict";
      statement.source = "x";
    }, TypeError);
    assert.deepEqual(Object.keys(statement).sort(), ["busy", "database", "reader", "readonly", "source"]);
  });

  test("the class is reachable and cannot be called", () => {
    const statement = sample().prepare("SELECT 1");
    assert.equal(statement.constructor.name, "Statement");
    assert.ok(statement instanceof statement.constructor);
    throws(() => new statement.constructor(), TypeError, "Statements can only be constructed by the db.prepare() method");
    throws(() => statement.get.call({}), TypeError);
  });

  test("columns describes the result", () => {
    assert.deepEqual(sample().prepare("SELECT a, b AS q, a + 1 FROM t").columns(), [
      { name: "a", column: "a", table: "t", database: "main", type: "INTEGER" },
      { name: "q", column: "b", table: "t", database: "main", type: "TEXT" },
      { name: "a + 1", column: null, table: null, database: null, type: null },
    ]);
  });

  test("a change of the schema reaches prepared statements", () => {
    const db = sample();
    const statement = db.prepare("SELECT * FROM t WHERE a = 1");
    assert.deepEqual(Object.keys(statement.get()), ["a", "b", "c", "d"]);
    db.exec("ALTER TABLE t ADD COLUMN e DEFAULT 7");
    assert.equal(statement.get().e, 7);
    assert.equal(statement.columns().length, 5);
    assert.equal(statement.raw().get().length, 5);
  });

  test("a closed connection refuses every statement", () => {
    const db = sample();
    const statement = db.prepare("SELECT 1");
    db.close();
    for (const method of ["run", "get", "all", "iterate", "bind", "columns"]) {
      throws(() => statement[method](), TypeError, "The database connection is not open");
    }
    assert.deepEqual([statement.busy, statement.reader, statement.source], [false, true, "SELECT 1"]);
    assert.equal(statement.pluck(), statement);
    assert.equal(statement.safeIntegers(), statement);
  });

  test("thousands of statements that nobody keeps are no problem", () => {
    const db = memory();
    for (let i = 0; i < 5000; i++) {
      assert.equal(db.prepare(`SELECT ${i} AS n`).get().n, i);
    }
  });

  test("instances belong to their classes", () => {
    const db = sample();
    assert.ok(db instanceof Database);
    assert.equal(db.constructor, Database);
    assert.equal(Database.name, "Database");
  });
};
