const { existsSync, mkdirSync } = require("node:fs");
const { basename } = require("node:path");

module.exports = ({ Database, assert, test, keep, memory, sample, file, throws }) => {
  test("properties describe the connection", () => {
    const path = file();
    const db = keep(new Database(path));
    assert.deepEqual([db.name, db.open, db.inTransaction, db.readonly, db.memory], [path, true, false, false, false]);
    assert.deepEqual(Object.keys(db).sort(), ["inTransaction", "memory", "name", "open", "readonly"]);
    throws(() => {
      "use strict";
      db.open = false;
    }, TypeError);
    db.exec("BEGIN");
    assert.equal(db.inTransaction, true);
    assert.equal(db.close(), db);
    assert.deepEqual([db.name, db.open, db.inTransaction], [path, false, false]);
    assert.equal(db.close(), db);
  });

  test("names without a file are in memory", () => {
    for (const name of [":memory:", "", "  :memory: ", undefined, null]) {
      const db = keep(new Database(name));
      assert.deepEqual([db.memory, db.name], [true, name ?? ""]);
      db.exec("CREATE TABLE t (a)");
    }
    assert.ok(keep(Database(":memory:")) instanceof Database);
  });

  test("a name that looks like a URI is a file name", () => {
    const path = file("file:x.db?mode=memory");
    keep(new Database(path)).exec("CREATE TABLE t (a)");
    assert.equal(existsSync(path), true, basename(path));
  });

  test("a file can be opened for reading only", () => {
    const path = file();
    keep(new Database(path)).exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)").close();
    const db = keep(new Database(path, { readonly: true }));
    assert.equal(db.readonly, true);
    assert.equal(db.prepare("SELECT a FROM t").pluck().get(), 1);
    throws(() => db.exec("DELETE FROM t"), "SqliteError", "attempt to write a readonly database", "SQLITE_READONLY");
    throws(() => new Database(file(), { readonly: true }), "SqliteError", "unable to open database file", "SQLITE_CANTOPEN");
    throws(() => new Database(":memory:", { readonly: true }), TypeError, "In-memory/temporary databases cannot be readonly");
  });

  test("files that cannot be opened", () => {
    throws(() => new Database(`${file()}/none/x.db`), TypeError, "Cannot open database because the directory does not exist");
    const path = file();
    throws(() => new Database(path, { fileMustExist: true }), "SqliteError", "unable to open database file", "SQLITE_CANTOPEN");
    assert.equal(existsSync(path), false);
    mkdirSync(path);
    throws(() => new Database(path), "SqliteError", "unable to open database file");
  });

  test("options are checked", () => {
    throws(() => new Database(3), TypeError, "Expected first argument to be a string");
    throws(() => new Database(":memory:", 3), TypeError, "Expected second argument to be an options object");
    for (const option of ["readonly", "fileMustExist"]) {
      throws(() => new Database(":memory:", { [option]: 1 }), TypeError, `Expected the "${option}" option to be a boolean`);
    }
    for (const timeout of ["x", -1, 1.5]) {
      throws(() => new Database(":memory:", { timeout }), TypeError, 'Expected the "timeout" option to be a positive integer');
    }
    throws(() => new Database(":memory:", { timeout: 2 ** 31 }), RangeError, 'Option "timeout" cannot be greater than 2147483647');
    throws(() => new Database(":memory:", { verbose: 1 }), TypeError, 'Expected the "verbose" option to be a function');
    throws(() => new Database("x", { readOnly: true }), TypeError, 'Misspelled option "readOnly" should be "readonly"');
    throws(() => new Database("x", { memory: true }), TypeError, /^Option "memory" was removed/);
    assert.equal(keep(new Database(":memory:", null)).open, true);
  });

  test("exec runs a script and stops at the first error", () => {
    const db = sample();
    assert.equal(db.exec("CREATE TABLE q (a); INSERT INTO q VALUES (1); SELECT 1"), db);
    throws(
      () => db.exec("INSERT INTO q VALUES (2); bad; INSERT INTO q VALUES (3)"),
      "SqliteError",
      'near "bad": syntax error',
      "SQLITE_ERROR",
    );
    assert.deepEqual(db.prepare("SELECT a FROM q").pluck().all(), [1, 2]);
    assert.equal(db.exec(""), db);
    assert.equal(db.exec("-- nothing"), db);
    assert.equal(db.exec("SELECT ?"), db);
    throws(() => db.exec(), TypeError, "Expected first argument to be a string");
    throws(() => db.exec(4), TypeError, "Expected first argument to be a string");
  });

  test("a lock that stays is SQLITE_BUSY after the timeout", () => {
    const path = file();
    const first = keep(new Database(path));
    first.exec("CREATE TABLE t (a); BEGIN IMMEDIATE");
    const second = keep(new Database(path, { timeout: 30 }));
    throws(() => second.exec("BEGIN IMMEDIATE"), "SqliteError", "database is locked", "SQLITE_BUSY");
    first.exec("COMMIT");
    second.exec("BEGIN IMMEDIATE; COMMIT");
  });

  test("verbose hears of every statement", () => {
    const log = [];
    const db = memory({ verbose: (sql) => log.push(sql) });
    db.exec("CREATE TABLE t (a); DELETE FROM t");
    db.prepare("INSERT INTO t VALUES (?)").run("x");
    db.prepare("SELECT * FROM t WHERE a = @a").all({ a: "q" });
    assert.deepEqual(
      log.map((sql) => sql.trim().replace(/;$/, "")),
      ["CREATE TABLE t (a)", "DELETE FROM t", "INSERT INTO t VALUES ('x')", "SELECT * FROM t WHERE a = 'q'"],
    );
    const failing = memory({
      verbose() {
        throw new RangeError("mine");
      },
    });
    throws(() => failing.exec("SELECT 1"), RangeError, "mine");
    throws(() => failing.prepare("SELECT 1").get(), RangeError, "mine");
    const closing = memory({ verbose: () => closing.close() });
    throws(() => closing.exec("SELECT 1"), TypeError, "This database connection is busy executing a query");
  });

  test("a closed connection refuses everything", () => {
    const db = sample();
    db.close();
    const calls = {
      prepare: () => db.prepare("SELECT 1"),
      exec: () => db.exec("SELECT 1"),
      pragma: () => db.pragma("user_version"),
      function: () => db.function("f", () => 1),
      aggregate: () => db.aggregate("f", { step() {} }),
      serialize: () => db.serialize(),
    };
    for (const [name, call] of Object.entries(calls)) {
      assert.throws(call, { name: "TypeError", message: "The database connection is not open" }, name);
    }
  });

  test("unsafe mode allows changes of the schema table", () => {
    const db = sample();
    db.unsafeMode().pragma("writable_schema = on");
    assert.equal(db.prepare("DELETE FROM sqlite_master").run().changes > 0, true);
  });

  test("methods need a database", () => {
    const { prepare } = Database.prototype;
    throws(() => prepare.call({}, "SELECT 1"), TypeError);
  });
};
