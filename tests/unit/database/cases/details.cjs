// What the package's own suite asks for beside the main road.
const { inspect } = require("node:util");

module.exports = ({ Database, assert, test, keep, memory, sample, file, throws }) => {
  const busy = "This database connection is busy executing a query";

  test("a snapshot that is not the newest has a code of its own", () => {
    const path = file();
    const writer = keep(new Database(path));
    writer.pragma("journal_mode = WAL");
    writer.exec("CREATE TABLE t (a)");
    const reader = keep(new Database(path, { timeout: 0 }));
    reader.exec("BEGIN; SELECT * FROM t");
    writer.exec("INSERT INTO t VALUES (1)");
    throws(() => reader.exec("INSERT INTO t VALUES (2)"), "SqliteError", "database is locked", "SQLITE_BUSY_SNAPSHOT");
  });

  test("RETURNING changes rows while others are being read", () => {
    const db = sample();
    const insert = db.prepare("INSERT INTO t (b) VALUES (?) RETURNING b");
    for (const _row of db.prepare("SELECT a FROM t").iterate()) {
      assert.deepEqual(insert.get("get"), { b: "get" });
      assert.deepEqual(insert.all("all"), [{ b: "all" }]);
      assert.deepEqual([...insert.iterate("iterate")], [{ b: "iterate" }]);
      throws(() => db.prepare("INSERT INTO t (b) VALUES ('run')").run(), TypeError, busy);
      break;
    }
    assert.equal(db.prepare("SELECT count(*) FROM t").pluck().get(), 5);
  });

  test("proxies of a database, and objects derived from it, are one", () => {
    const db = sample();
    const derived = Object.create(db);
    const proxy = new Proxy(db, {});
    for (const other of [derived, proxy]) {
      assert.equal(other.prepare("SELECT count(*) FROM t").pluck().get(), 2);
      assert.equal(other.prepare("SELECT 1").database, other);
      assert.equal(other.transaction(() => 1).database, other);
      assert.equal(other.transaction(() => other.inTransaction)(), true);
      assert.equal(other.exec("SELECT 1"), other);
      assert.equal(other.open, true);
    }
    class Mine extends Database {}
    assert.equal(keep(new Mine(":memory:")).pragma("user_version", { simple: true }), 0);
    assert.throws(() => Database.prototype.prepare.call({}, "SELECT 1"), TypeError);
  });

  test("the first value that is wrong is the error", () => {
    const db = memory();
    const cannot = "SQLite3 can only bind numbers, strings, bigints, buffers, and null";
    throws(() => db.prepare("SELECT ?1").get(Symbol()), TypeError, cannot);
    throws(() => db.prepare("SELECT ?1").get(undefined), RangeError, "Too many parameter values were provided");
    throws(() => db.prepare("SELECT ?, ?").get(Symbol()), TypeError, cannot);
    throws(() => db.prepare("SELECT ?").get(1, Symbol()), TypeError, cannot);
    throws(() => db.prepare("SELECT ?").get([1, 2, Symbol()]), RangeError, "Too many parameter values were provided");
    assert.deepEqual(db.prepare("SELECT ?1 AS a").get({ 1: 5 }), { a: 5 });
  });

  test("options that are null are left out", () => {
    const db = memory({ verbose: null });
    db.aggregate("last", { step: (_last, next) => next, inverse: null, result: null });
    assert.equal(db.prepare("SELECT last(3)").pluck().get(), 3);
  });

  test("an empty database has bytes to begin with", () => {
    const bytes = memory().serialize();
    assert.ok(Buffer.isBuffer(bytes));
    const copy = keep(new Database(bytes));
    copy.exec("CREATE TABLE t (a)");
    assert.equal(copy.prepare("SELECT count(*) FROM t").pluck().get(), 0);
  });

  test("pragmas in unsafe mode do not mind rows that are being read", () => {
    const db = sample();
    for (const _row of db.prepare("SELECT a FROM t").iterate()) {
      throws(() => db.pragma("user_version"), TypeError, busy);
      db.unsafeMode();
      assert.deepEqual(db.pragma("user_version = 3"), []);
      assert.equal(db.pragma("user_version", { simple: true }), 3);
      db.unsafeMode(false);
    }
  });

  test("a window asks for its result once for each row", () => {
    const db = sample();
    const calls = { start: 0, result: 0 };
    db.aggregate("moving", {
      start: () => {
        calls.start++;
        return 0;
      },
      step: (total, next) => total + next,
      inverse: (total, gone) => total - gone,
      result: (total) => {
        calls.result++;
        return total;
      },
    });
    const values = (sql) => {
      calls.start = calls.result = 0;
      return db.prepare(sql).pluck().all();
    };
    assert.deepEqual(values("SELECT moving(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t"), [1, 3]);
    assert.deepEqual(calls, { start: 1, result: 2 });
    assert.deepEqual(values("SELECT moving(a) OVER (ORDER BY a ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM t"), [0, 1]);
    assert.deepEqual(calls, { start: 1, result: 2 });
    assert.deepEqual(values("SELECT moving(a) FROM t"), [3]);
    assert.deepEqual(calls, { start: 1, result: 1 });
    assert.deepEqual(values("SELECT moving(a) FROM t WHERE 0"), [0]);
    assert.deepEqual(calls, { start: 1, result: 1 });
  });

  test("start may be undefined", () => {
    const db = sample();
    db.aggregate("known", { start: undefined, step: (total, next) => (total === undefined ? 10 : total) + next });
    assert.equal(db.prepare("SELECT known(a) FROM t").pluck().get(), 13);
    assert.equal(db.prepare("SELECT known(a) FROM t WHERE 0").pluck().get(), null);
    db.aggregate("unset", { start: () => undefined, step: (_total, _next) => undefined });
    assert.equal(db.prepare("SELECT unset(a) FROM t").pluck().get(), null);
  });

  test("a function of the author changes no statement", () => {
    const db = sample();
    const statement = db.prepare("SELECT a FROM t");
    db.function("change", (method) => {
      statement[method]();
      return 1;
    });
    for (const method of ["pluck", "raw", "expand", "safeIntegers"]) {
      throws(() => db.prepare("SELECT change(?)").get(method), TypeError, busy);
    }
    assert.deepEqual(statement.get(), { a: 1 });
  });

  test("explain needs no parameters", () => {
    const db = sample();
    assert.ok(db.explain("SELECT * FROM t WHERE a = ?").some(({ opcode }) => opcode === "ResultRow"));
    assert.match(db.explain("QUERY PLAN SELECT * FROM t WHERE a = :id")[0].detail, /^SEARCH t/);
    throws(() => db.explain(1), TypeError, "Expected first argument to be a string");
    throws(() => db.explain("nonsense"), "SqliteError", 'near "nonsense": syntax error', "SQLITE_ERROR");
  });

  test("statements and databases can be printed", () => {
    const db = sample();
    assert.equal(String(db.prepare("SELECT ?")), "SELECT ?");
    assert.equal(String(db.prepare("SELECT ?, :x").bind("it's", { x: 2 })), "SELECT 'it''s', 2.0");
    const shown = inspect(db);
    assert.match(shown, /^Database \{/);
    for (const part of ["name: ':memory:'", "open: true", "inTransaction: false", "readonly: false", "memory: true"]) {
      assert.ok(shown.includes(part), shown);
    }
  });
};
