module.exports = ({ assert, test, memory, sample, throws }) => {
  const kBusy = "This database connection is busy executing a query";
  const value = (db, sql) => db.prepare(sql).pluck().get();

  test("SQL calls them", () => {
    const db = memory();
    assert.equal(
      db.function("add2", (a, b) => a + b),
      db,
    );
    assert.equal(value(db, "SELECT add2(12, 4)"), 16);
    assert.equal(value(db, "SELECT add2('foo', 'bar')"), "foobar");
    throws(() => db.prepare("SELECT add2(1)"), "SqliteError", "wrong number of arguments to function add2()", "SQLITE_ERROR");
  });

  test("several numbers of arguments, the last one counts", () => {
    const db = memory();
    db.function("f", (a) => "old")
      .function("f", (a, b) => "two")
      .function("f", (a) => "one");
    assert.deepEqual([value(db, "SELECT f(1)"), value(db, "SELECT f(1, 1)")], ["one", "two"]);
    db.function("n", { varargs: true }, (...args) => args.length);
    assert.deepEqual([value(db, "SELECT n()"), value(db, "SELECT n(1, 2, 3)")], [0, 3]);
  });

  test("a function of SQLite can be replaced", () => {
    const db = memory();
    db.function("upper", (text) => `U${text}`);
    assert.equal(value(db, "SELECT upper('x')"), "Ux");
  });

  test("arguments and results keep their kinds", () => {
    const db = memory();
    let seen;
    db.function("see", { varargs: true }, (...args) => {
      seen = args;
    });
    value(db, "SELECT see(1, 1.5, 'é', x'01', NULL, 9007199254740993)");
    assert.deepEqual(seen, [1, 1.5, "é", Buffer.from([1]), null, 9007199254740992]);
    const results = {
      none: [undefined, "null"],
      text: ["é😀", "text"],
      real: [1.5, "real"],
      number: [3, "real"],
      big: [5n, "integer"],
      blob: [Buffer.from("a"), "blob"],
    };
    for (const [name, [result, kind]] of Object.entries(results)) {
      db.function(name, () => result);
      assert.equal(value(db, `SELECT typeof(${name}())`), kind);
    }
  });

  test("results that are no values are refused", () => {
    const db = memory();
    for (const result of [true, {}, [1], Symbol("x"), Promise.resolve(1)]) {
      db.function("bad", () => result);
      throws(() => value(db, "SELECT bad()"), TypeError, "User-defined function bad() returned an invalid value");
    }
    db.function("big", () => 2n ** 64n);
    throws(() => value(db, "SELECT big()"), RangeError, "User-defined function big() returned a bigint that was too big");
  });

  test("what they throw arrives as it is", () => {
    const db = sample();
    const error = new RangeError("mine");
    db.function("fail", () => {
      throw error;
    });
    const attempts = {
      get: () => value(db, "SELECT fail()"),
      all: () => db.prepare("SELECT fail() FROM t").all(),
      run: () => db.prepare("INSERT INTO t (b) VALUES (fail())").run(),
      exec: () => db.exec("SELECT fail()"),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      assert.throws(attempt, (thrown) => thrown === error, what);
    }
    db.function("five", () => {
      throw 5;
    });
    assert.throws(
      () => value(db, "SELECT five()"),
      (thrown) => thrown === 5,
    );
    assert.equal(value(db, "SELECT count(*) FROM t"), 2);
    throws(() => db.exec("nonsense"), "SqliteError");
  });

  test("they cannot use the connection", () => {
    const db = sample();
    const insert = db.prepare("INSERT INTO t (b) VALUES (9)");
    const select = db.prepare("SELECT 1");
    const attempts = [
      () => db.prepare("SELECT 1"),
      () => select.get(),
      () => insert.run(),
      () => db.exec("SELECT 1"),
      () => db.close(),
      () => db.function("g", () => 1),
    ];
    for (const attempt of attempts) {
      db.function("reenter", () => attempt());
      throws(() => value(db, "SELECT reenter()"), TypeError, kBusy);
    }
    assert.equal(db.open, true);
  });

  test("options", () => {
    const db = sample();
    db.function("det", { deterministic: true }, (a) => a);
    db.exec("CREATE INDEX i ON t (det(b))");
    db.function("free", (a) => a);
    throws(() => db.exec("CREATE INDEX j ON t (free(b))"), "SqliteError", /non-deterministic functions prohibited/);
    db.function("direct", { directOnly: true }, (a) => a);
    db.exec("CREATE VIEW v AS SELECT direct(1) AS x");
    throws(() => db.prepare("SELECT * FROM v").get(), "SqliteError", "unsafe use of direct()");
    db.function("kind", { safeIntegers: true }, (a) => typeof a);
    assert.equal(value(db, "SELECT kind(1)"), "bigint");
    db.defaultSafeIntegers();
    db.function("kind2", (a) => typeof a);
    db.function("kind3", { safeIntegers: false }, (a) => typeof a);
    assert.deepEqual([value(db, "SELECT kind2(1)"), value(db, "SELECT kind3(1)")], ["bigint", "number"]);
  });

  test("arguments are checked", () => {
    const db = memory();
    const fn = () => 1;
    const withLength = (length) => Object.defineProperty(() => 1, "length", { value: length });
    throws(() => db.function(), TypeError, "Expected first argument to be a string");
    throws(() => db.function(3, fn), TypeError, "Expected first argument to be a string");
    throws(() => db.function("f"), TypeError, "Expected last argument to be a function");
    throws(() => db.function("f", {}), TypeError, "Expected last argument to be a function");
    throws(() => db.function("", fn), TypeError, "User-defined function name cannot be an empty string");
    for (const option of ["deterministic", "varargs", "directOnly", "safeIntegers"]) {
      throws(() => db.function("f", { [option]: 1 }, fn), TypeError, `Expected the "${option}" option to be a boolean`);
    }
    throws(() => db.function("f", withLength(-1)), TypeError, "Expected function.length to be a positive integer");
    throws(() => db.function("f", withLength(1.5)), TypeError, "Expected function.length to be a positive integer");
    throws(() => db.function("f", withLength(101)), RangeError, "User-defined functions cannot have more than 100 arguments");
    assert.equal(db.function("f", null, fn), db);
  });
};
