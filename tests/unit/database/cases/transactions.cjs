module.exports = ({ assert, test, memory, sample, throws }) => {
  const names = (db) => db.prepare("SELECT b FROM t ORDER BY b").pluck().all();

  test("a function runs in a transaction", () => {
    const db = sample();
    const add = db.transaction((a, b) => [a + b, db.inTransaction]);
    assert.deepEqual(add(1, 2), [3, true]);
    assert.equal(db.inTransaction, false);
    assert.equal(
      db
        .transaction(function () {
          return this;
        })
        .call(db),
      db,
    );
  });

  test("what it throws rolls back", () => {
    const db = sample();
    const error = new RangeError("mine");
    const run = db.transaction(() => {
      db.exec("INSERT INTO t (b) VALUES ('q')");
      throw error;
    });
    assert.throws(run, (thrown) => thrown === error);
    assert.equal(db.inTransaction, false);
    assert.deepEqual(names(db), ["x", "y"]);
  });

  test("transactions nest as savepoints", () => {
    const db = sample();
    const insert = db.prepare("INSERT INTO t (b) VALUES (?)");
    const inner = db.transaction((fails) => {
      insert.run("in");
      if (fails) {
        throw new Error("no");
      }
    });
    db.transaction(() => {
      insert.run("out");
      throws(() => inner(true), Error, "no");
      insert.run("after");
    })();
    assert.deepEqual(names(db), ["after", "out", "x", "y"]);
    throws(
      db.transaction(() => {
        inner(false);
        throw new Error("all");
      }),
      Error,
      "all",
    );
    assert.deepEqual(names(db), ["after", "out", "x", "y"]);
    const deep = db.transaction((n) => {
      insert.run(`d${n}`);
      if (n > 0) {
        deep(n - 1);
      }
    });
    deep(3);
    assert.equal(names(db).length, 8);
  });

  test("variants begin differently", () => {
    const log = [];
    const db = memory({ verbose: (sql) => log.push(sql) });
    const fn = db.transaction(() => db.inTransaction);
    for (const mode of ["default", "deferred", "immediate", "exclusive"]) {
      assert.equal(fn[mode](), true);
    }
    assert.deepEqual(
      log.filter((sql) => sql.startsWith("BEGIN")),
      ["BEGIN", "BEGIN DEFERRED", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"],
    );
    assert.equal(log.filter((sql) => sql === "COMMIT").length, 4);
    assert.equal(fn.default, fn);
    assert.equal(fn.immediate.immediate, fn.immediate);
    assert.equal(fn.database, db);
    assert.equal(db.transaction(() => fn.immediate())(), true);
  });

  test("promises are refused and rolled back", () => {
    const db = sample();
    for (const fn of [async () => 1, () => Promise.resolve(1), () => ({ then() {} })]) {
      throws(db.transaction(fn), TypeError, "Transaction function cannot return a promise");
      assert.equal(db.inTransaction, false);
    }
  });

  test("SQLite's own rollback is noticed", () => {
    const db = sample();
    const run = db.transaction(() => db.exec("INSERT OR ROLLBACK INTO t VALUES (1, 1, 1, 1)"));
    throws(run, "SqliteError", undefined, "SQLITE_CONSTRAINT_PRIMARYKEY");
    assert.equal(db.inTransaction, false);
  });

  test("inside a transaction begun by hand it is a savepoint", () => {
    const db = sample();
    db.exec("BEGIN");
    assert.equal(db.transaction(() => 3)(), 3);
    assert.equal(db.inTransaction, true);
    db.exec("ROLLBACK");
    throws(
      db.transaction(() => db.exec("COMMIT")),
      "SqliteError",
      "cannot commit - no transaction is active",
    );
  });

  test("arguments and state are checked", () => {
    const db = sample();
    throws(() => db.transaction(), TypeError, "Expected first argument to be a function");
    throws(() => db.transaction(3), TypeError, "Expected first argument to be a function");
    const fn = db.transaction(() => 1);
    db.close();
    throws(fn, TypeError, "The database connection is not open");
  });
};
