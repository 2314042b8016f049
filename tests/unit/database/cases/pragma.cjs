module.exports = ({ assert, test, memory, sample, throws }) => {
  test("rows, or the first value", () => {
    const db = sample();
    assert.deepEqual(db.pragma("user_version"), [{ user_version: 0 }]);
    assert.equal(db.pragma("user_version", { simple: true }), 0);
    assert.deepEqual(
      db.pragma("table_info(t)").map((row) => row.name),
      ["a", "b", "c", "d"],
    );
    assert.deepEqual(db.pragma("user_version = 3"), []);
    assert.equal(db.pragma("user_version = 4", { simple: true }), undefined);
    assert.equal(db.pragma("user_version", { simple: true }), 4);
    assert.deepEqual(db.pragma("no_such_thing"), []);
    assert.equal(db.pragma("no_such_thing", { simple: true }), undefined);
    assert.deepEqual(db.pragma("user_version", null), [{ user_version: 4 }]);
    assert.equal(db.defaultSafeIntegers().pragma("user_version", { simple: true }), 4n);
  });

  test("connections begin with the settings of the package", () => {
    const db = memory();
    assert.equal(db.pragma("foreign_keys", { simple: true }), 1);
    assert.equal(db.pragma("busy_timeout", { simple: true }), 5000);
    assert.equal(db.pragma("cache_size", { simple: true }), -16000);
    throws(() => db.prepare('SELECT "nope"'), "SqliteError", /no such column/);
    db.pragma("writable_schema = on");
    throws(() => db.prepare("DELETE FROM sqlite_master"), "SqliteError", "table sqlite_master may not be modified");
  });

  test("arguments are checked", () => {
    const db = memory();
    throws(() => db.pragma(), TypeError, "Expected first argument to be a string");
    throws(() => db.pragma("x", 3), TypeError, "Expected second argument to be an options object");
    throws(() => db.pragma("x", { simple: 1 }), TypeError, 'Expected the "simple" option to be a boolean');
    throws(() => db.pragma("x; y"), RangeError, "The supplied SQL string contains more than one statement");
    db.close();
    throws(() => db.pragma("user_version"), TypeError, "The database connection is not open");
  });
};
