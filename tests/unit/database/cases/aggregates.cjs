module.exports = ({ assert, test, memory, sample, throws }) => {
  const value = (db, sql) => db.prepare(sql).pluck().get();

  test("step folds the rows", () => {
    const db = sample();
    assert.equal(db.aggregate("addAll", { start: 0, step: (total, next) => total + next }), db);
    assert.equal(value(db, "SELECT addAll(a) FROM t"), 3);
    assert.deepEqual(db.prepare("SELECT a, addAll(a) AS s FROM t GROUP BY a").raw().all(), [
      [1, 1],
      [2, 2],
    ]);
  });

  test("start may be a function, and a step without an answer keeps the value", () => {
    const db = sample();
    db.aggregate("list", {
      start: () => [],
      step: (list, next) => {
        list.push(next);
      },
      result: (list) => list.join(),
    });
    assert.equal(value(db, "SELECT list(a) FROM t"), "1,2");
    assert.equal(value(db, "SELECT list(a) FROM t WHERE 0"), "");
    db.aggregate("plain", { start: () => 7, step: (total, next) => total + next });
    assert.equal(value(db, "SELECT plain(a) FROM t WHERE 0"), 7);
  });

  test("without start the first value is null", () => {
    const db = sample();
    const seen = [];
    db.aggregate("last", {
      step: (total, next) => {
        seen.push(total);
        return next;
      },
    });
    assert.equal(value(db, "SELECT last(a) FROM (SELECT a FROM t ORDER BY a)"), 2);
    assert.deepEqual(seen, [null, 1]);
  });

  test("several arguments, or any number", () => {
    const db = sample();
    db.aggregate("weighted", { start: 0, step: (total, a, b) => total + a * b });
    assert.equal(value(db, "SELECT weighted(a, 2) FROM t"), 6);
    throws(() => value(db, "SELECT weighted(a) FROM t"), "SqliteError", "wrong number of arguments to function weighted()");
    db.aggregate("count2", { varargs: true, start: 0, step: (total, ...rest) => total + rest.length });
    assert.equal(value(db, "SELECT count2(1, 2, 3) FROM t"), 6);
    db.aggregate("none", { start: 0, step: () => 3 });
    assert.equal(value(db, "SELECT none() FROM t"), 3);
  });

  test("inverse makes a window function", () => {
    const db = sample();
    db.exec("INSERT INTO t (b) VALUES ('k'), ('l')");
    db.aggregate("moving", { start: 0, step: (t, n) => t + n, inverse: (t, n) => t - n, result: (t) => t * 10 });
    const sql = "SELECT moving(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t";
    assert.deepEqual(db.prepare(sql).pluck().all(), [10, 30, 50, 70]);
    db.aggregate("still", { start: 0, step: (t, n) => t + n });
    throws(() => db.prepare("SELECT still(a) OVER (ORDER BY a) FROM t"), "SqliteError", "still() may not be used as a window function");
  });

  test("errors of each part arrive", () => {
    const db = sample();
    const fail = () => {
      throw new RangeError("mine");
    };
    const parts = { step: { step: fail }, start: { start: fail, step: (t) => t }, result: { start: 0, step: (t) => 0, result: fail } };
    for (const [name, options] of Object.entries(parts)) {
      db.aggregate(name, { varargs: true, ...options });
      throws(() => db.prepare(`SELECT ${name}(a) FROM t`).all(), RangeError, "mine");
    }
    db.aggregate("bad", { start: 0, step: () => ({}), varargs: true });
    throws(() => value(db, "SELECT bad(a) FROM t"), TypeError, "User-defined function bad() returned an invalid value");
    assert.equal(value(db, "SELECT count(*) FROM t"), 2);
  });

  test("an aggregation that nobody finishes is dropped", () => {
    const db = sample();
    let results = 0;
    db.aggregate("counted", {
      start: 0,
      step: (t, n) => t + n,
      result: (t) => {
        results++;
        return t;
      },
    });
    for (const _row of db.prepare("SELECT counted(a) FROM t GROUP BY a").iterate()) {
      break;
    }
    db.prepare("SELECT counted(a) FROM t GROUP BY a").get();
    assert.ok(results >= 2);
  });

  test("they cannot use the connection", () => {
    const db = sample();
    db.aggregate("reenter", {
      start: 0,
      step: (t, n) => {
        db.prepare("SELECT 1");
      },
    });
    throws(() => value(db, "SELECT reenter(a) FROM t"), TypeError, "This database connection is busy executing a query");
  });

  test("arguments are checked", () => {
    const db = memory();
    const step = (a, b) => a;
    throws(() => db.aggregate("x"), TypeError, "Expected second argument to be an options object");
    throws(() => db.aggregate("x", {}), TypeError, 'Missing required option "step"');
    throws(() => db.aggregate("", { step }), TypeError, "User-defined function name cannot be an empty string");
    throws(() => db.aggregate(3, { step }), TypeError, "Expected first argument to be a string");
    for (const option of ["step", "inverse", "result"]) {
      throws(() => db.aggregate("x", { step, [option]: 3 }), TypeError, `Expected the "${option}" option to be a function`);
    }
    throws(() => db.aggregate("x", { step, varargs: 3 }), TypeError, 'Expected the "varargs" option to be a boolean');
  });
};
