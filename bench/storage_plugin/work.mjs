// What both sides of the storage benchmark run: the loops that measure, on `kv` and on a database with the API of better-sqlite3.

const value = { title: "write the report", done: false, tags: ["work", "writing"], text: "x".repeat(60) };
const kKeys = 1000;

/** Calls for some milliseconds, `inFlight` at a time; how many there were and how long they took. */
async function repeat(milliseconds, inFlight, call) {
  let operations = 0;
  const begin = performance.now();
  const end = begin + milliseconds;
  const caller = async () => {
    while (performance.now() < end) {
      await call(operations++);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return { operations, perSecond: (operations * 1000) / (performance.now() - begin) };
}

const check = (/** @type {boolean} */ right) => {
  if (!right) {
    throw new Error("a wrong value was read");
  }
};

/**
 * @param {{ set(key: string, value: unknown): Promise<void>; get(key: string): Promise<any> }} kv
 * @param {{ what: "set" | "get"; milliseconds: number; inFlight: number }} load
 */
export async function kvWork(kv, { what, milliseconds, inFlight }) {
  if (what === "set") {
    return repeat(milliseconds, inFlight, (index) => kv.set(`key-${index % kKeys}`, { ...value, index }));
  }
  await Promise.all(Array.from({ length: kKeys }, (_, index) => kv.set(`key-${index}`, value)));
  return repeat(milliseconds, inFlight, async (index) => check((await kv.get(`key-${index % kKeys}`)).title === value.title));
}

/** Rows a second: inserted in one transaction, read by their keys, and read one after the other. */
export function databaseWork(/** @type {any} */ db, /** @type {{ rows: number }} */ { rows }) {
  db.exec("DROP TABLE IF EXISTS rows; CREATE TABLE rows (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL, size REAL)");
  const insert = db.prepare("INSERT INTO rows (title, done, size) VALUES (?, ?, ?)");
  const one = db.prepare("SELECT id, title, done, size FROM rows WHERE id = ?");
  const all = db.prepare("SELECT id, title, done, size FROM rows");
  const rate = (/** @type {() => void} */ work) => {
    const begin = performance.now();
    work();
    return (rows * 1000) / (performance.now() - begin);
  };
  const insertAll = db.transaction(() => {
    for (let index = 1; index <= rows; ++index) {
      insert.run("write the report", index % 2, index / 3);
    }
  });
  return {
    operations: rows,
    insert: rate(insertAll),
    get: rate(() => {
      for (let index = 1; index <= rows; ++index) {
        check(one.get(index).id === index);
      }
    }),
    iterate: rate(() => {
      let count = 0;
      for (const row of all.iterate()) {
        check(row.id === ++count);
      }
      check(count === rows);
    }),
  };
}
