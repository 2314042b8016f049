import { gives, refuses } from "../attempt.ts";

const kKey = 512;
const kValue = 262_144;
const set = (key: unknown, value: unknown) => (svc: any) => svc.storage.kv.set(key, value);
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

export const kv = [
  refuses("an empty key", "storage.kv.set: the key must be a non-empty string", set("", 1)),
  refuses("a key that is a number", "storage.kv.get: the key must be a non-empty string", (svc) => svc.storage.kv.get(1)),
  refuses(
    "a key over the limit",
    `storage.kv.set: the key has ${kKey + 1} bytes, the limit kvKey is ${kKey}`,
    set("k".repeat(kKey + 1), 1),
  ),
  refuses("a key that is long in bytes only", `storage.kv.has: the key has ${kKey + 2} bytes, the limit kvKey is ${kKey}`, (svc) =>
    svc.storage.kv.has("é".repeat(kKey / 2 + 1)),
  ),
  refuses("half a character", "storage.kv.delete: the key is not well-formed Unicode text", (svc) => svc.storage.kv.delete("\ud800")),
  refuses("undefined", "storage.kv.set: value is undefined: only strict JSON can be stored", set("k", undefined)),
  refuses(
    "not a number",
    "storage.kv.set: value.list[1] is NaN, which JSON cannot hold: only strict JSON can be stored",
    set("k", { list: [1, NaN] }),
  ),
  refuses(
    "a function",
    "storage.kv.set: value is a function: only strict JSON can be stored",
    set("k", () => 1),
  ),
  refuses("a bigint", "storage.kv.set: value.n is a bigint: only strict JSON can be stored", set("k", { n: 1n })),
  refuses("a cycle", "storage.kv.set: value contains itself: only strict JSON can be stored", set("k", cycle)),
  refuses("a map", "storage.kv.set: value is an instance of Map, not a plain object: only strict JSON can be stored", set("k", new Map())),
  refuses(
    "a value over the limit",
    `storage.kv.set: the value has ${kValue + 1} bytes as JSON, the limit kvValue is ${kValue}`,
    set("k", "x".repeat(kValue - 1)),
  ),
  refuses(
    "a value that is long in bytes only",
    `storage.kv.set: the value has ${kValue + 2} bytes as JSON, the limit kvValue is ${kValue}`,
    set("k", "é".repeat(kValue / 2)),
  ),
  refuses("a prefix that is a number", "storage.kv.list: the prefix must be a string", (svc) => svc.storage.kv.list(1)),
  gives("the largest key and value", kValue - 2, async (svc) => {
    const key = "k".repeat(kKey);
    await svc.storage.kv.set(key, "x".repeat(kValue - 2));
    const { length } = await svc.storage.kv.get(key);
    await svc.storage.kv.delete(key);
    return length;
  }),
  gives("values back, members that are undefined left out", { a: [1, "é", null, { b: true }] }, async (svc) => {
    await svc.storage.kv.set("value", { a: [1, "é", null, { b: true }], gone: undefined });
    return svc.storage.kv.get("value");
  }),
  gives("nothing for an absent key", [true, false], async ({ storage: { kv } }) => [
    (await kv.get("absent")) === undefined,
    await kv.has("absent"),
  ]),
  gives("keys by their bytes", ["order:", "order:B", "order:a", "order:é", "order:￿", "order:😀"], async ({ storage: { kv } }) => {
    for (const key of ["order:a", "order:😀", "order:￿", "order:é", "order:", "order:B"]) {
      await kv.set(key, 1);
    }
    return kv.list("order:");
  }),
  gives(
    "operations in the order of the calls",
    [undefined, 2, false].map((each) => each ?? null),
    async ({ storage: { kv } }) => {
      const before = kv.get("sequence");
      void kv.set("sequence", 1);
      void kv.set("sequence", 2);
      const between = kv.get("sequence");
      void kv.delete("sequence");
      return [(await before) ?? null, await between, await kv.has("sequence")];
    },
  ),
  gives("a compare and set that fits", [true, true, false, true, false], async ({ storage: { kv } }) => [
    await kv.experimental_compareAndSet("cas", undefined, { n: 1 }),
    await kv.experimental_compareAndSet("cas", { n: 1 }, { n: 2 }),
    await kv.experimental_compareAndSet("cas", { n: 1 }, { n: 3 }),
    await kv.experimental_compareAndSet("cas", { n: 2 }, undefined),
    await kv.has("cas"),
  ]),
  gives("a compare and set of members in another order", [true, false, false], async ({ storage: { kv } }) => {
    await kv.set("order", { a: [1, { b: 2, c: 3 }], d: 4 });
    const expected = { d: 4, a: [1, { c: 3, b: 2 }] };
    return [
      await kv.experimental_compareAndSet("order", expected, { a: 1, b: 2 }),
      await kv.experimental_compareAndSet("order", { b: 1, a: 2 }, 1),
      await kv.experimental_compareAndSet("order", [1, 2], 1),
    ];
  }),
  refuses(
    "a compare with what is not JSON",
    "storage.kv.experimental_compareAndSet: expected is a symbol: only strict JSON can be stored",
    (svc) => svc.storage.kv.experimental_compareAndSet("cas", Symbol("x"), 1),
  ),
];

const first = ["CREATE TABLE a (x INTEGER PRIMARY KEY)", "CREATE TABLE b (x INTEGER REFERENCES a)"];
const migrate = (statements: unknown) => (svc: any) => svc.storage.migrate(svc.storage.database(), statements);
const rows = (svc: any, sql: string) => svc.storage.database().prepare(sql).all();

export const database = [
  refuses("what is no database", "storage.migrate: the first argument must be a database of svc.storage.database(), is an object", (svc) =>
    svc.storage.migrate({}, []),
  ),
  refuses(
    "statements that are text",
    "storage.migrate: the statements must be an array of SQL texts, is a string",
    migrate("CREATE TABLE a (x)"),
  ),
  refuses("a statement that is a number", "storage.migrate: statement 1 must be SQL text, is a number", migrate([first[0], 5])),
  refuses("a blank statement", "storage.migrate: statement 0 must be SQL text, is blank", migrate([" "])),
  gives("what is new", [{ id: 0 }, { id: 1 }], (svc) => (migrate(first)(svc), rows(svc, "SELECT id FROM _svc_migrations"))),
  gives("nothing new", 2, (svc) => (migrate(first)(svc), rows(svc, "SELECT * FROM _svc_migrations").length)),
  refuses(
    "a changed statement",
    "Error: storage.migrate: statement 0 differs from the one that has been applied; restore it, keep the order, and append what is new",
    migrate(["CREATE TABLE a (y INTEGER)", first[1]]),
  ),
  refuses(
    "a removed statement",
    "Error: storage.migrate: statement 1 has been applied and is missing now; applied statements must stay",
    migrate([first[0]]),
  ),
  refuses(
    "a failing statement",
    'SqliteError: storage.migrate: statement 3 failed: near "nonsense": syntax error',
    migrate([...first, "CREATE TABLE c (x)", "nonsense"]),
  ),
  gives("none of a failed migration", [], (svc) => rows(svc, "SELECT name FROM sqlite_master WHERE name = 'c'")),
  refuses(
    "a statement that ends the transaction",
    "Error: storage.migrate: statement 2 ended the transaction; leave COMMIT and ROLLBACK out",
    migrate([...first, "CREATE TABLE d (x); COMMIT"]),
  ),
  refuses("an open transaction", "storage.migrate: a transaction is open on this database; migrate before you begin one", (svc) => {
    const db = svc.storage.database();
    return db.transaction(() => svc.storage.migrate(db, [...first, "CREATE TABLE e (x)"]))();
  }),
  gives("one handle for the load, a fresh one after close", [true, false, true], ({ storage }) => {
    const db = storage.database();
    const same = db === storage.database();
    db.close();
    return [same, db.open, storage.database().open];
  }),
  gives("foreign keys, a WAL, and the wait for a lock", [1, "wal", 5000], (svc) =>
    ["foreign_keys", "journal_mode", "busy_timeout"].map((name) => svc.storage.database().pragma(name, { simple: true })),
  ),
  refuses("a broken constraint", "SqliteError: FOREIGN KEY constraint failed", (svc) =>
    svc.storage.database().exec("INSERT INTO b VALUES (5)"),
  ),
  refuses("extensions", "loadExtension(): loading extensions is refused, because their code would run in the server", (svc) =>
    svc.storage.database().loadExtension("x"),
  ),
  refuses("a closed database", "The database connection is not open", (svc) => svc.storage.database().close().prepare("SELECT 1")),
];
