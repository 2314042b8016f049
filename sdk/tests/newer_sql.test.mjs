import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const source = fileURLToPath(new URL("../fake_host/newer_sql.ts", import.meta.url));
const { text } = buildSync({ entryPoints: [source], bundle: true, format: "esm", write: false }).outputFiles[0];
const { newerSql } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

describe("SQL that a server may lack", () => {
  it("is named with the version that brought it", () => {
    assert.equal(
      newerSql("SELECT concat(a, b) FROM t", new Set()),
      "no such function: concat (it came with SQLite 3.44; a server may run 3.40: see SELECT sqlite_version() there)",
    );
    for (const sql of ["SELECT a, JSONB (b) FROM t", "SELECT iif(1, if(a, 1, 2), 3)", "SELECT * FROM t JOIN u ON concat(t.a) = u.a"]) {
      assert.match(newerSql(sql, new Set()), /^no such function: /, sql);
    }
    assert.match(
      newerSql("SELECT group_concat(a, ',' ORDER BY lower(b)) FROM t", new Set()),
      /^near "ORDER": syntax error: .* group_concat\(\) \(it came with SQLite 3\.44/,
    );
  });

  it("is not seen in texts, names, comments and functions of the plugin", () => {
    for (const sql of [
      "SELECT 'concat(' || a FROM t",
      'SELECT "concat(a)" FROM t -- concat(a)',
      "/* jsonb(x) */ SELECT [median(a)], `if(`",
      "CREATE TABLE IF NOT EXISTS median (a)",
      "INSERT INTO concat (a) VALUES (1)",
      "CREATE INDEX i ON median (a)",
      "DROP TABLE IF EXISTS t",
      "SELECT group_concat(a) OVER (ORDER BY a) FROM (SELECT a FROM t ORDER BY a)",
      "SELECT count((SELECT a FROM t ORDER BY a))",
      "SELECT json_group_array(a), sum(b) FROM t ORDER BY a",
    ]) {
      assert.equal(newerSql(sql, new Set()), undefined, sql);
    }
    assert.equal(newerSql("SELECT Concat(a)", new Set(["concat"])), undefined);
  });
});
