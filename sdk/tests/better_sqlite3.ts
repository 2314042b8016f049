// Compiled, never run: a plugin's database goes where the types of the better-sqlite3 package are asked for.
import type BetterSqlite3 from "better-sqlite3";
import type { PluginDatabase } from "@get-svc/plugin-sdk";

export function accepts(own: PluginDatabase): unknown[] {
  const database: BetterSqlite3.Database = own;
  const statement: BetterSqlite3.Statement<[number], { title: string }> = own.prepare<[number], { title: string }>("");
  const transaction: BetterSqlite3.Transaction<(id: number) => string> = own.transaction((id: number) => String(id));
  return [database, statement, transaction];
}
