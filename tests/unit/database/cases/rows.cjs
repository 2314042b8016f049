module.exports = ({ assert, test, memory, sample, throws }) => {
  test("rows are plain objects", () => {
    const row = sample().prepare("SELECT * FROM t").get();
    assert.equal(Object.getPrototypeOf(row), Object.prototype);
    assert.deepEqual(row, { a: 1, b: "x", c: 1.5, d: Buffer.from([1, 2]) });
  });

  test("names of columns are what SQL says", () => {
    const row = memory().prepare(`SELECT 1 AS "a b", 2 AS """", 3 AS "\n", 4 AS "é😀", 5 AS "\\", 6 AS [it's]`).get();
    assert.deepEqual(row, { "a b": 1, '"': 2, "\n": 3, "é😀": 4, "\\": 5, "it's": 6 });
    assert.deepEqual(memory().prepare("SELECT 1 a, 2 a").get(), { a: 2 });
    assert.deepEqual(memory().prepare("SELECT 1 a, 2 a").raw().get(), [1, 2]);
  });

  test("pluck, raw and expand exclude each other and can be turned off", () => {
    const statement = memory().prepare("SELECT 4 AS a, 2 AS b");
    assert.equal(statement.pluck().get(), 4);
    assert.deepEqual(statement.pluck(false).get(), { a: 4, b: 2 });
    assert.deepEqual(statement.raw().get(), [4, 2]);
    assert.equal(statement.pluck().get(), 4);
    assert.deepEqual(statement.raw(false).pluck().get(), 4);
    assert.deepEqual(statement.expand().get(), { $: { a: 4, b: 2 } });
    assert.deepEqual(statement.raw(true).all(), [[4, 2]]);
    assert.deepEqual(statement.raw(false).all(), [{ a: 4, b: 2 }]);
    for (const method of ["pluck", "raw", "expand", "safeIntegers"]) {
      throws(() => statement[method](1), TypeError, "Expected first argument to be a boolean");
      throws(() => statement[method](undefined), TypeError, "Expected first argument to be a boolean");
    }
  });

  test("expand groups by table", () => {
    const db = sample();
    db.exec("CREATE TABLE u (a, f); INSERT INTO u VALUES (1, 'f')");
    assert.deepEqual(db.prepare("SELECT t.a, t.b, u.*, 1 AS z FROM t JOIN u ON t.a = u.a").expand().all(), [
      { t: { a: 1, b: "x" }, u: { a: 1, f: "f" }, $: { z: 1 } },
    ]);
  });

  test("many columns and many rows", () => {
    const db = memory();
    const columns = Array.from({ length: 500 }, (_, i) => `${i} AS c${i}`).join();
    const row = db.prepare(`SELECT ${columns}`).get();
    assert.equal(Object.keys(row).length, 500);
    assert.equal(row.c499, 499);
    const rows = db
      .prepare("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i, 'row ' || i AS s FROM n")
      .all();
    assert.equal(rows.length, 50000);
    assert.deepEqual(rows[49999], { i: 50000, s: "row 50000" });
  });

  test("integers are numbers unless they are asked for as bigints", () => {
    const db = memory();
    const sql = "SELECT 9007199254740993 AS v";
    assert.equal(db.prepare(sql).get().v, 9007199254740992);
    assert.equal(db.prepare(sql).safeIntegers().get().v, 9007199254740993n);
    assert.equal(db.defaultSafeIntegers(), db);
    assert.equal(db.prepare(sql).get().v, 9007199254740993n);
    assert.equal(db.prepare(sql).safeIntegers(false).get().v, 9007199254740992);
    assert.equal(db.prepare("SELECT 1.5 AS v").get().v, 1.5);
    db.exec("CREATE TABLE q (a)");
    assert.deepEqual(db.prepare("INSERT INTO q VALUES (1)").run(), { changes: 1, lastInsertRowid: 1n });
    db.defaultSafeIntegers(false);
    assert.deepEqual(db.prepare("INSERT INTO q VALUES (1)").run(), { changes: 1, lastInsertRowid: 2 });
    throws(() => db.defaultSafeIntegers(1), TypeError, "Expected first argument to be a boolean");
  });

  test("the setting of the connection is taken when a statement is prepared", () => {
    const db = memory();
    const statement = db.prepare("SELECT 1 AS v");
    db.defaultSafeIntegers();
    assert.equal(statement.get().v, 1);
  });
};
