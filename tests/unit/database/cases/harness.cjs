// Runs the cases of one file against a Database class: ours inside an environment, or that of the better-sqlite3 package.
const assert = require("node:assert/strict");
const { join } = require("node:path");

let files = 0;

/** Resolves with how many cases ran and what failed. `folder` is for files of the cases. */
async function run(path, Database, folder) {
  const cases = [];
  const test = (name, body) => cases.push({ name, body });
  const open = [];
  const kit = {
    Database,
    assert,
    test,
    /** Remembers a database that is closed after the case. */
    keep(db) {
      open.push(db);
      return db;
    },
    memory: (options) => kit.keep(new Database(":memory:", options)),
    /** Two rows: (1, 'x', 1.5, x'0102') and (2, 'y', 2.5, NULL). */
    sample(options) {
      const db = kit.memory(options);
      db.exec(
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c REAL, d BLOB);" +
          "INSERT INTO t VALUES (1, 'x', 1.5, x'0102'), (2, 'y', 2.5, NULL)",
      );
      return db;
    },
    file: (name = "file.db") => join(folder, `${++files}-${name}`),
    /** The call throws an error of this class with exactly this message (or one that matches). */
    throws(body, type, message, code) {
      const name = typeof type === "string" ? type : type.name;
      assert.throws(body, (error) => {
        assert.equal(error.name, name, error.stack);
        if (message instanceof RegExp) {
          assert.match(error.message, message);
        } else if (message !== undefined) {
          assert.equal(error.message, message);
        }
        if (code !== undefined) {
          assert.equal(error.code, code);
        }
        return true;
      });
    },
    async rejects(promise, type, message) {
      await assert.rejects(promise, (error) => {
        assert.equal(error.name, typeof type === "string" ? type : type.name, error.stack);
        if (message !== undefined) {
          assert.equal(error.message, message);
        }
        return true;
      });
    },
  };
  require(path)(kit);
  const failures = [];
  for (const { name, body } of cases) {
    try {
      await body();
    } catch (error) {
      failures.push(`${name}: ${error.stack}`);
    }
    for (const db of open.splice(0)) {
      try {
        db.close();
      } catch {
        // An iterator is open: the case is about that.
      }
    }
  }
  return { count: cases.length, failures };
}

module.exports = { run };
