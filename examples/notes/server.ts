import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const note = z.object({ id: z.number(), title: z.string(), body: z.string(), createdAt: z.number() });
type Note = z.infer<typeof note>;

export const rpcContract = defineRpcContract({
  add: { input: z.object({ title: z.string().trim().min(1), body: z.string().default("") }), output: note },
  search: { input: z.object({ query: z.string().trim().min(1) }), output: z.array(note) },
  import_all: { input: z.object({ titles: z.array(z.string()) }), output: z.object({ imported: z.number() }) },
});

// Append only: an earlier statement never changes once it has run somewhere.
const MIGRATIONS = [
  `CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL)`,
  `CREATE VIRTUAL TABLE notes_text USING fts5(title, body, content='notes', content_rowid='id')`,
  `CREATE TRIGGER notes_added AFTER INSERT ON notes BEGIN
     INSERT INTO notes_text(rowid, title, body) VALUES (new.id, new.title, new.body);
   END`,
];

export default function notes(svc: SvcPluginApi): void {
  const db = svc.storage.database();
  svc.storage.migrate(db, MIGRATIONS);

  const insert = db.prepare("INSERT INTO notes (title, body, created_at) VALUES (@title, @body, @createdAt)");
  const matching = db.prepare(`
    SELECT notes.id, notes.title, notes.body, notes.created_at AS createdAt FROM notes_text
    JOIN notes ON notes.id = notes_text.rowid WHERE notes_text MATCH ? ORDER BY rank LIMIT 50`);

  const add = (title: string, body: string): Note => {
    const createdAt = Date.now();
    const { lastInsertRowid } = insert.run({ title, body, createdAt });
    return { id: Number(lastInsertRowid), title, body, createdAt };
  };
  // Every word is quoted, so that what people type is never an expression of the search language.
  const search = (query: string): Note[] =>
    matching.all(
      query
        .split(/\s+/)
        .map((word) => `"${word.replaceAll('"', '""')}"`)
        .join(" "),
    ) as Note[];
  // All or nothing.
  const importAll = db.transaction((titles: string[]) => {
    for (const title of titles) {
      if (title.trim() === "") {
        throw new Error("a note needs a title");
      }
      add(title, "");
    }
    return titles.length;
  });

  svc.rpc.register(rpcContract, {
    add: ({ title, body }) => add(title, body),
    search: ({ query }) => search(query),
    import_all: ({ titles }) => ({ imported: importAll(titles) }),
  });

  svc.agents.registerTool({
    name: "notes_search",
    description: "Search the user's notes by words.",
    parameters: z.object({ query: z.string().min(1) }),
    execute: ({ query }) => JSON.stringify(search(query)),
  });
}
