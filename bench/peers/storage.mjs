// The peer of the storage benchmark: better-sqlite3 in Node. Key-value pairs are durable, as they are in the server: a commit each
// that is on disk when it returns. The database has the settings of a plugin's. BENCH_MODULES names the folder of the package.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { databaseWork, kvWork } from "../storage_plugin/work.mjs";

const Database = createRequire(join(process.env.BENCH_MODULES, "bench.js"))("better-sqlite3");
const dir = mkdtempSync(join(tmpdir(), "svc-peer-"));

function open(name, synchronous) {
  const db = new Database(join(dir, name));
  db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${synchronous}`);
  db.pragma("foreign_keys = ON");
  return db;
}

function keyValue() {
  const db = open("kv.db", "FULL");
  db.exec("CREATE TABLE pairs (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
  const set = db.prepare("INSERT OR REPLACE INTO pairs VALUES (?, ?)");
  const get = db.prepare("SELECT value FROM pairs WHERE key = ?").pluck();
  return {
    set: async (key, value) => void set.run(key, JSON.stringify(value)),
    get: async (key) => JSON.parse(get.get(key)),
  };
}

const kv = keyValue();
const db = open("data.db", "NORMAL");
const works = { "/kv": (load) => kvWork(kv, load), "/database": (load) => databaseWork(db, load) };

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const result = await works[request.url](JSON.parse(Buffer.concat(chunks)));
  response.end(JSON.stringify({ ok: true, result }));
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => {
  rmSync(dir, { recursive: true, force: true });
  process.exit(0);
});
