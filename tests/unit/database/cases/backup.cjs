const { existsSync } = require("node:fs");

module.exports = ({ Database, assert, test, keep, sample, file, rejects, throws }) => {
  const filled = () => {
    const db = sample();
    db.exec(
      "CREATE TABLE big (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO big SELECT randomblob(4000) FROM n",
    );
    return db;
  };
  const count = (path, table = "t") => keep(new Database(path)).prepare(`SELECT count(*) FROM ${table}`).pluck().get();

  test("copies everything", async () => {
    const path = file();
    const result = await filled().backup(path);
    assert.equal(result.remainingPages, 0);
    assert.ok(result.totalPages > 300);
    assert.deepEqual([count(path), count(path, "big")], [2, 300]);
  });

  test("progress says how far it is and how much comes next", async () => {
    const seen = [];
    const path = file();
    const result = await filled().backup(path, {
      progress: (state) => {
        seen.push({ ...state });
        return 50;
      },
    });
    assert.equal(seen[0].remainingPages, seen[0].totalPages);
    assert.equal(seen[1].remainingPages, seen[0].totalPages - 50);
    assert.equal(result.totalPages, seen[0].totalPages);
    assert.equal(count(path, "big"), 300);
    let asked = 0;
    await filled().backup(file(), { progress: () => [0, 0, 0, 100][asked++] });
    assert.ok(asked > 3);
  });

  test("the event loop turns meanwhile", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const tick = setImmediate(function again() {
      turns++;
      if (turns < 1000) {
        setImmediate(again);
      }
    });
    await filled().backup(file(), { progress: () => 10 });
    clearInterval(timer);
    clearImmediate(tick);
    assert.ok(turns > 5);
    turns = 1000;
  });

  test("changes during the copy are in it", async () => {
    const db = filled();
    const path = file();
    const copy = db.backup(path, { progress: () => 20 });
    db.exec("INSERT INTO t (b) VALUES ('late')");
    await copy;
    assert.equal(count(path), 3);
  });

  test("an older file is replaced", async () => {
    const path = file();
    keep(new Database(path)).exec("CREATE TABLE old (a)").close();
    await sample().backup(path);
    assert.equal(count(path), 2);
    throws(() => count(path, "old"), "SqliteError", "no such table: old");
  });

  test("a failure leaves no file", async () => {
    const path = file();
    await rejects(
      sample().backup(path, {
        progress() {
          throw new RangeError("mine");
        },
      }),
      RangeError,
      "mine",
    );
    assert.equal(existsSync(path), false);
    await rejects(sample().backup(path, { progress: () => "x" }), TypeError, "Expected progress callback to return a number or undefined");
    await rejects(sample().backup(path, { attached: "nowhere" }), "SqliteError", "unknown database nowhere");
    const other = file();
    keep(new Database(other)).exec("CREATE TABLE old (a)").close();
    await rejects(
      sample().backup(other, {
        progress() {
          throw new RangeError("mine");
        },
      }),
      RangeError,
      "mine",
    );
    assert.equal(existsSync(other), true);
  });

  test("closing the connection ends it", async () => {
    const db = filled();
    const path = file();
    const copy = db.backup(path, { progress: () => 1 });
    db.close();
    await rejects(copy, TypeError, "The database connection is not open");
    await rejects(db.backup(path), TypeError, "The database connection is not open");
  });

  test("an attached database can be copied", async () => {
    const db = sample();
    db.exec("ATTACH ':memory:' AS other; CREATE TABLE other.o (a); INSERT INTO other.o VALUES (1)");
    const path = file();
    await db.backup(path, { attached: "other" });
    assert.equal(count(path, "o"), 1);
  });

  test("arguments are checked", async () => {
    const db = sample();
    await rejects(db.backup(), TypeError, "Expected first argument to be a string");
    await rejects(db.backup(3), TypeError, "Expected first argument to be a string");
    await rejects(db.backup(""), TypeError, "Backup filename cannot be an empty string");
    await rejects(db.backup(":memory:"), TypeError, 'Invalid backup filename ":memory:"');
    await rejects(db.backup(file(), 3), TypeError, "Expected second argument to be an options object");
    await rejects(db.backup(file(), { progress: 3 }), TypeError, 'Expected the "progress" option to be a function');
    await rejects(db.backup(`${file()}/none/x.db`), TypeError, "Cannot save backup because the directory does not exist");
  });

  test("serialize gives bytes that open again", () => {
    const db = sample();
    const bytes = db.serialize();
    assert.ok(Buffer.isBuffer(bytes));
    const copy = keep(new Database(bytes));
    assert.deepEqual(copy.prepare("SELECT a, b FROM t").raw().all(), [
      [1, "x"],
      [2, "y"],
    ]);
    copy.exec("INSERT INTO t (b) VALUES ('more')");
    assert.deepEqual([copy.name, copy.memory, copy.readonly], [":memory:", true, false]);
    const fixed = keep(new Database(bytes, { readonly: true }));
    assert.equal(fixed.readonly, true);
    throws(() => fixed.exec("INSERT INTO t (b) VALUES ('n')"), "SqliteError", "attempt to write a readonly database", "SQLITE_READONLY");
    throws(
      () =>
        keep(new Database(Buffer.from("x".repeat(100))))
          .prepare("SELECT * FROM sqlite_master")
          .all(),
      "SqliteError",
      "file is not a database",
      "SQLITE_NOTADB",
    );
    assert.deepEqual(
      keep(new Database(Buffer.alloc(0)))
        .prepare("SELECT * FROM sqlite_master")
        .all(),
      [],
    );
    db.exec("ATTACH ':memory:' AS other; CREATE TABLE other.o (a)");
    assert.equal(
      keep(new Database(db.serialize({ attached: "other" })))
        .prepare("SELECT count(*) FROM o")
        .pluck()
        .get(),
      0,
    );
    throws(() => db.serialize({ attached: 3 }), TypeError, 'Expected the "attached" option to be a string');
    throws(() => db.serialize({ attached: "" }), TypeError, 'The "attached" option cannot be an empty string');
    throws(() => db.serialize({ attached: "nowhere" }), Error);
    throws(() => db.serialize(3), TypeError, "Expected first argument to be an options object");
  });
};
