module.exports = ({ assert, test, sample, throws }) => {
  const kBusy = "This database connection is busy executing a query";
  const kStatementBusy = "This statement is busy executing a query";
  const open = (db, sql = "SELECT a FROM t ORDER BY a") => {
    const statement = db.prepare(sql);
    const iterator = statement.iterate();
    assert.deepEqual(iterator.next(), { value: { a: 1 }, done: false });
    return { statement, iterator };
  };

  test("rows come one by one", () => {
    const db = sample();
    const iterator = db.prepare("SELECT a FROM t ORDER BY a").iterate();
    assert.deepEqual(
      [iterator.next(), iterator.next(), iterator.next(), iterator.next()],
      [
        { value: { a: 1 }, done: false },
        { value: { a: 2 }, done: false },
        { value: undefined, done: true },
        { value: undefined, done: true },
      ],
    );
    assert.deepEqual([...db.prepare("SELECT a FROM t WHERE a > ?").iterate(1)], [{ a: 2 }]);
    assert.deepEqual([...db.prepare("SELECT a FROM t ORDER BY a").pluck().iterate()], [1, 2]);
  });

  test("it is an iterator of its statement", () => {
    const { statement, iterator } = open(sample());
    assert.equal(iterator[Symbol.iterator](), iterator);
    assert.equal(iterator.statement, statement);
    assert.equal(iterator.constructor.name, "StatementIterator");
    assert.deepEqual(iterator.return(5), { value: undefined, done: true });
    assert.deepEqual(iterator.next(), { value: undefined, done: true });
  });

  test("the statement is busy until the end", () => {
    const db = sample();
    const { statement, iterator } = open(db);
    assert.equal(statement.busy, true);
    for (const method of ["run", "get", "all", "iterate", "bind", "pluck", "raw", "expand", "safeIntegers"]) {
      throws(() => statement[method](), TypeError, kStatementBusy);
    }
    assert.equal(statement.columns().length, 1);
    iterator.return();
    assert.equal(statement.busy, false);
    assert.equal(statement.all().length, 2);
    for (const _row of statement.iterate()) {
      break;
    }
    assert.equal(statement.busy, false);
  });

  test("other statements may read meanwhile", () => {
    const db = sample();
    open(db);
    assert.equal(db.prepare("SELECT a FROM t").all().length, 2);
    assert.equal([...db.prepare("SELECT a FROM t").iterate()].length, 2);
    assert.equal(db.prepare("INSERT INTO t (b) VALUES (1)").readonly, false);
    assert.equal(db.defaultSafeIntegers().open, true);
  });

  test("changes wait for the end", () => {
    const db = sample();
    const { iterator } = open(db);
    const insert = db.prepare("INSERT INTO t (b) VALUES ('n')");
    const refused = {
      run: () => insert.run(),
      "run of a read": () => db.prepare("SELECT 1").run(),
      begin: () => db.prepare("BEGIN").run(),
      exec: () => db.exec("SELECT 1"),
      pragma: () => db.pragma("user_version"),
      transaction: () => db.transaction(() => 1)(),
      function: () => db.function("f", () => 1),
      aggregate: () => db.aggregate("f", { step() {} }),
      serialize: () => db.serialize(),
      close: () => db.close(),
    };
    for (const [what, attempt] of Object.entries(refused)) {
      assert.throws(attempt, { name: "TypeError", message: kBusy }, what);
    }
    iterator.return();
    assert.equal(insert.run().changes, 1);
  });

  test("unsafe mode lets changes through", () => {
    const db = sample();
    const { iterator } = open(db);
    assert.equal(db.unsafeMode(), db);
    assert.equal(db.prepare("INSERT INTO t (b) VALUES ('n')").run().changes, 1);
    db.exec("DELETE FROM t WHERE b = 'n'");
    db.unsafeMode(false);
    throws(() => db.exec("SELECT 1"), TypeError, kBusy);
    iterator.return();
    throws(() => db.unsafeMode(1), TypeError, "Expected first argument to be a boolean");
  });

  test("an error ends the iteration", () => {
    const db = sample();
    const statement = db.prepare("SELECT json(b) AS a FROM t");
    const iterator = statement.iterate();
    throws(() => iterator.next(), "SqliteError", "malformed JSON");
    assert.equal(statement.busy, false);
    assert.deepEqual(iterator.next(), { value: undefined, done: true });
    db.exec("DELETE FROM t");
  });

  test("a throwing function ends the iteration", () => {
    const db = sample();
    db.function("fail", (a) => {
      if (a === 2) {
        throw new Error("two");
      }
      return a;
    });
    const iterator = db.prepare("SELECT fail(a) AS a FROM t ORDER BY t.a").iterate();
    assert.deepEqual(iterator.next().value, { a: 1 });
    throws(() => iterator.next(), Error, "two");
    assert.deepEqual(iterator.next(), { value: undefined, done: true });
    db.close();
  });

  test("a change that returns rows can be iterated", () => {
    const db = sample();
    const iterator = db.prepare("INSERT INTO t (b) VALUES ('n') RETURNING a").iterate();
    assert.deepEqual(iterator.next().value, { a: 3 });
    assert.equal(iterator.next().done, true);
    assert.equal(db.prepare("SELECT count(*) FROM t").pluck().get(), 3);
  });
};
