const { runInNewContext } = require("node:vm");

module.exports = ({ assert, test, memory, sample, throws }) => {
  const kNotAValue = "SQLite3 can only bind numbers, strings, bigints, buffers, and null";
  const kTooBig = "The bound string, buffer, or bigint is too big";
  const back = (value) => memory().prepare("SELECT ? AS v").get(value).v;

  test("values come back as they were", () => {
    for (const value of [0, 1, -1.5, 1e300, Infinity, "", "text", "é😀", "a\0b", null]) {
      assert.deepEqual(back(value), value);
    }
    assert.ok(Object.is(back(-0), -0));
    assert.equal(back(undefined), null);
    assert.equal(back(NaN), null);
    assert.equal(back(5n), 5);
    const long = "é".repeat(100_000);
    assert.equal(back(long), long);
  });

  test("numbers are REAL, bigints INTEGER", () => {
    const row = memory()
      .prepare("SELECT typeof(?) a, typeof(?) b, typeof(?) c, typeof(?) d, typeof(?) e")
      .get(1, 1n, "1", null, Buffer.alloc(1));
    assert.deepEqual(row, { a: "real", b: "integer", c: "text", d: "null", e: "blob" });
  });

  test("buffers and views are blobs", () => {
    assert.ok(Buffer.isBuffer(back(Buffer.from("ab"))));
    assert.deepEqual(back(Buffer.from("ab")), Buffer.from("ab"));
    assert.deepEqual(back(new Uint8Array([1, 2])), Buffer.from([1, 2]));
    assert.deepEqual(back(new Uint8Array([1, 2, 3, 4]).subarray(1, 3)), Buffer.from([2, 3]));
    assert.deepEqual(back(new Float64Array(1)), Buffer.alloc(8));
    assert.deepEqual(back(new DataView(new ArrayBuffer(2))), Buffer.alloc(2));
    assert.deepEqual(memory().prepare("SELECT ? v, typeof(?) k").get(Buffer.alloc(0), Buffer.alloc(0)), { v: Buffer.alloc(0), k: "blob" });
    const big = Buffer.alloc(300_000, 7);
    assert.deepEqual(back(big), big);
  });

  test("other values are refused", () => {
    for (const value of [true, Symbol("s"), () => 1, new Date(), [[1]], new ArrayBuffer(1), new Number(1), new Map()]) {
      throws(() => back(value), TypeError, kNotAValue);
    }
  });

  test("bigints of 64 bits fit, larger ones do not", () => {
    const statement = memory().prepare("SELECT ? AS v").safeIntegers();
    for (const value of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      assert.equal(statement.get(value).v, value);
    }
    throws(() => statement.get(2n ** 63n), RangeError, kTooBig);
    throws(
      () =>
        memory()
          .prepare("SELECT @v")
          .get({ v: -(2n ** 63n) - 1n }),
      RangeError,
      kTooBig,
    );
  });

  test("positions come from arguments and arrays", () => {
    const statement = memory().prepare("SELECT ? AS a, ? AS b, ? AS c");
    const expected = { a: 1, b: 2, c: 3 };
    assert.deepEqual(statement.get(1, 2, 3), expected);
    assert.deepEqual(statement.get([1, 2, 3]), expected);
    assert.deepEqual(statement.get([1], 2, [3]), expected);
    assert.deepEqual(statement.get([], 1, [2, 3]), expected);
    throws(() => statement.get(1, 2), RangeError, "Too few parameter values were provided");
    throws(() => statement.get(1, 2, 3, 4), RangeError, "Too many parameter values were provided");
    throws(() => memory().prepare("SELECT 1").get(1), RangeError, "Too many parameter values were provided");
  });

  test("names come from a plain object, with any prefix", () => {
    const statement = memory().prepare("SELECT @a AS x, :b AS y, $c AS z");
    assert.deepEqual(statement.get({ a: 1, b: 2, c: 3 }), { x: 1, y: 2, z: 3 });
    assert.deepEqual(statement.get({ a: 1, b: undefined, c: 3, more: {} }), { x: 1, y: null, z: 3 });
    assert.deepEqual(statement.get(Object.assign(Object.create(null), { a: 1, b: 2, c: 3 })), { x: 1, y: 2, z: 3 });
    assert.deepEqual(memory().prepare("SELECT @a AS x, @a AS y").get({ a: 4 }), { x: 4, y: 4 });
    assert.deepEqual(memory().prepare("SELECT ?1 AS x").get({ 1: 5 }), { x: 5 });
  });

  test("names that are missing are named", () => {
    const statement = memory().prepare("SELECT @a, @b");
    throws(() => statement.get(), TypeError, "Missing named parameters");
    throws(() => statement.get({ a: 1 }), RangeError, 'Missing named parameter "b"');
    throws(() => memory().prepare("SELECT @toString").get({}), RangeError, 'Missing named parameter "toString"');
    throws(() => memory().prepare("SELECT ?3").get(1), TypeError, "Missing named parameters");
  });

  test("one plain object, no instances", () => {
    const statement = memory().prepare("SELECT @a");
    throws(() => statement.get({ a: 1 }, { a: 2 }), TypeError, "You cannot specify named parameters in two different objects");
    for (const value of [
      new (class Some {
        a = 1;
      })(),
      new Map([["a", 1]]),
      Object.create({ a: 1 }),
    ]) {
      throws(() => statement.get(value), TypeError, "Named parameters can only be passed within plain objects");
    }
    throws(() => memory().prepare("SELECT ?").get({}), RangeError, "Too few parameter values were provided");
  });

  test("names and positions mix", () => {
    const statement = memory().prepare("SELECT @a AS a, ? AS b, ? AS c");
    assert.deepEqual(statement.get(1, { a: 9 }, 2), { a: 9, b: 1, c: 2 });
    throws(() => statement.get(1, { a: 9 }), RangeError, "Too few parameter values were provided");
  });

  test("bind is for the life of the statement", () => {
    const statement = memory().prepare("SELECT ? AS v").bind(4);
    assert.deepEqual([statement.get(), statement.all()], [{ v: 4 }, [{ v: 4 }]]);
    throws(() => statement.bind(5), TypeError, "The bind() method can only be invoked once per statement object");
    throws(() => statement.get(5), TypeError, "This statement already has bound parameters");
    throws(() => memory().prepare("SELECT ?").bind(), RangeError, "Too few parameter values were provided");
  });

  test("a failed bind leaves nothing behind", () => {
    const statement = memory().prepare("SELECT ? AS a, ? AS b");
    throws(() => statement.bind(1, {}), RangeError);
    throws(() => statement.get("secret", Symbol("s")), TypeError, kNotAValue);
    assert.deepEqual(statement.get(null, null), { a: null, b: null });
  });

  test("getters that throw pass their error on", () => {
    const statement = sample().prepare("SELECT @a");
    throws(
      () =>
        statement.get({
          get a() {
            throw new RangeError("mine");
          },
        }),
      RangeError,
      "mine",
    );
    assert.deepEqual(statement.pluck().get({ a: 1 }), 1);
  });

  test("getters may use the connection", () => {
    const db = sample();
    const statement = db.prepare("SELECT @a AS x");
    assert.deepEqual(
      statement.get({
        get a() {
          return db.prepare("SELECT 4").pluck().get();
        },
      }),
      { x: 4 },
    );
  });

  test("objects and arrays of another realm count", () => {
    const db = memory();
    assert.deepEqual(runInNewContext("s.get({ a: 1 })", { s: db.prepare("SELECT @a AS x") }), { x: 1 });
    assert.deepEqual(runInNewContext("s.get([1])", { s: db.prepare("SELECT ? AS x") }), { x: 1 });
  });

  test("a lone surrogate does not break the text", () => {
    assert.equal(typeof back("a\ud800b"), "string");
  });
};
