/**
 * SQL that the SQLite of the test host has and a server's may lack: the oldest that the service runs with is 3.40. Tests must not
 * pass with what fails there.
 */
const kOldest = "3.40";

/** By the version that brought them. */
const kFunctions: Record<string, readonly string[]> = {
  "3.41": ["unhex"],
  "3.42": ["json_error_position"],
  "3.43": ["octet_length", "timediff"],
  "3.44": ["concat", "concat_ws", "string_agg"],
  "3.45": [
    "jsonb",
    "jsonb_array",
    "jsonb_extract",
    "jsonb_group_array",
    "jsonb_group_object",
    "jsonb_insert",
    "jsonb_object",
    "jsonb_patch",
    "jsonb_remove",
    "jsonb_replace",
    "jsonb_set",
  ],
  "3.46": ["json_pretty"],
  "3.47": ["median", "percentile", "percentile_cont", "percentile_disc"],
  "3.48": ["if"],
  "3.50": ["unistr", "unistr_quote"],
  "3.51": ["jsonb_each", "jsonb_tree"],
};
const kSince = new Map(Object.entries(kFunctions).flatMap(([version, names]) => names.map((name) => [name, version] as const)));

/** Texts, quoted names and comments. */
const kQuoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g;
const kCall = /\b([a-z_]\w*)\s*\(/gi;
const kOrdered = /\b(group_concat|json_group_array|json_group_object|sum|total|avg|count|min|max)\s*\((?:[^()]|\([^()]*\))*\border\s+by\b/i;

/** What of this text the server's SQLite may not know; undefined when there is nothing. `own` are functions of the plugin. */
export function newerSql(sql: string, own: ReadonlySet<string>): string | undefined {
  const bare = sql.replace(kQuoted, (quoted) => (/^[-/]/.test(quoted) ? " " : "''"));
  for (const [, name = ""] of bare.matchAll(kCall)) {
    const since = kSince.get(name.toLowerCase());
    if (since !== undefined && !own.has(name.toLowerCase()) && !isTable(bare, name)) {
      return explain(`no such function: ${name}`, since);
    }
  }
  const [, ordered] = kOrdered.exec(bare) ?? [];
  return ordered === undefined ? undefined : explain(`near "ORDER": syntax error: ORDER BY among the arguments of ${ordered}()`, "3.44");
}

/** `CREATE TABLE median (…)`, `INSERT INTO median (…)`: what a plugin has called so. */
function isTable(sql: string, name: string): boolean {
  return new RegExp(`\\b(?:table|exists|into|references|with|view|index\\s+\\w+\\s+on)\\s+${name}\\s*\\(`, "i").test(sql);
}

const explain = (what: string, since: string): string =>
  `${what} (it came with SQLite ${since}; a server may run ${kOldest}: see SELECT sqlite_version() there)`;
