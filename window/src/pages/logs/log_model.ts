import { ownMember } from "@/lib/own";

/** `L:log-tail`: the most lines that are asked for and kept. */
export const kLogLines = 10_000;
/** `L:log-follow`: how often a visible page asks for new lines, in milliseconds. */
export const kLogFollow = 1000;

export const kLogLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof kLogLevels)[number];

/** One line of a log. */
export interface LogEntry {
  /** Counts up within one log. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  level: LogLevel;
  generation: number;
  /** In the log of a plugin `server`, `app`, or the host it was written on; in the server's `plugin:<id>` or a part of the server. */
  source: string;
  message: string;
  stack: string | null;
}

export interface LogReply<Cursor = number> {
  lines: readonly string[];
  cursor: Cursor;
  /** The lines do not follow those of the cursor that was sent. */
  anew?: boolean;
}

function isLevel(value: unknown): value is LogLevel {
  return (kLogLevels as readonly unknown[]).includes(value);
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Reads a stored line of a plugin's log; null for one that is damaged. */
export function parseLogLine(line: string): LogEntry | null {
  const value = parseObject(line);
  if (value === null || typeof value.seq !== "number") {
    return null;
  }
  return {
    seq: value.seq,
    at: typeof value.ts === "number" ? value.ts : 0,
    level: isLevel(value.level) ? value.level : "info",
    generation: typeof value.generation === "number" ? value.generation : 0,
    source: typeof value.source === "string" ? value.source : "server",
    message: typeof value.message === "string" ? value.message : "",
    stack: typeof value.stack === "string" && value.stack !== "" ? value.stack : null,
  };
}

const kServerLevels: Readonly<Record<string, LogLevel>> = {
  trace: "debug",
  debug: "debug",
  warning: "warn",
  error: "error",
  critical: "error",
};
const kPluginSource = "plugin:";
/** What the server writes before the line of a plugin: its id, mostly with the generation. */
const kPluginPrefix = /^\[([^\]#\s]+)(?:#(\d+))?\] /;

/** Reads a line of the server's log, which has no number of its own; null for one that is damaged. */
export function parseServerLine(line: string, seq: number): LogEntry | null {
  const value = parseObject(line);
  if (value === null || typeof value.ts !== "number" || typeof value.message !== "string") {
    return null;
  }
  const prefix = value.logger === "plugins" ? kPluginPrefix.exec(value.message) : null;
  return {
    seq,
    at: value.ts,
    level: ownMember(kServerLevels, String(value.level)) ?? "info",
    generation: Number(prefix?.[2] ?? 0),
    source: prefix === null ? String(value.logger) : `${kPluginSource}${prefix[1]}`,
    message: prefix === null ? value.message : value.message.slice(prefix[0].length),
    stack: null,
  };
}

/** A log that a page can show. */
export interface LogSource {
  /** Of its route, below `/api/v1`. */
  readonly path: string;
  /** How many lines are read first; older ones on request, up to `L:log-tail`. */
  readonly firstLines: number;
  /** Reads a stored line; `seq` is the number for one that has none of its own. */
  readonly parse: (line: string, seq: number) => LogEntry | null;
  /** Sources that the filter offers even while no line is of them. */
  readonly knownSources: readonly string[];
}

export function pluginLog(id: string): LogSource {
  return { path: `/plugins/${encodeURIComponent(id)}/logs`, firstLines: 1000, parse: parseLogLine, knownSources: ["server", "app"] };
}

/** Its lines have no numbers that would stay the same when older ones are put before them, so all are read at once. */
export const kServerLog: LogSource = { path: "/system/log", firstLines: kLogLines, parse: parseServerLine, knownSources: [] };

/** What a page has of a log. `cursor` is where the next request continues; null before the first answer. */
export interface LogBuffer {
  readonly entries: readonly LogEntry[];
  readonly cursor: number | string | null;
}

export const kEmptyLog: LogBuffer = { entries: [], cursor: null };

/**
 * The buffer with a reply appended: no line twice, the oldest leave beyond `kLogLines`. A cursor that went back means that
 * the log began anew (the plugin was removed and installed again), so nothing of the old one is kept.
 */
export function addReply(buffer: LogBuffer, reply: LogReply<number | string>, parse: LogSource["parse"] = parseLogLine): LogBuffer {
  const wentBack = typeof reply.cursor === "number" && typeof buffer.cursor === "number" && reply.cursor < buffer.cursor;
  if (buffer.cursor !== null && (wentBack || reply.anew === true)) {
    return addReply(kEmptyLog, reply, parse);
  }
  let last = buffer.entries.at(-1)?.seq ?? -1;
  const added: LogEntry[] = [];
  for (const line of reply.lines) {
    const entry = parse(line, last + 1);
    if (entry !== null && entry.seq > last) {
      added.push(entry);
      last = entry.seq;
    }
  }
  if (added.length === 0) {
    return reply.cursor === buffer.cursor ? buffer : { ...buffer, cursor: reply.cursor };
  }
  return { entries: [...buffer.entries, ...added].slice(-kLogLines), cursor: reply.cursor };
}

export interface LogFilter {
  /** The least important level that is shown. */
  level: LogLevel;
  /** `null` shows every source. */
  source: string | null;
  text: string;
}

export const kNoFilter: LogFilter = { level: "debug", source: null, text: "" };

export function filterLog(entries: readonly LogEntry[], filter: LogFilter): readonly LogEntry[] {
  const text = filter.text.trim().toLowerCase();
  const least = kLogLevels.indexOf(filter.level);
  if (least === 0 && filter.source === null && text === "") {
    return entries;
  }
  return entries.filter(
    (entry) =>
      kLogLevels.indexOf(entry.level) >= least &&
      (filter.source === null || entry.source === filter.source) &&
      (text === "" || entry.message.toLowerCase().includes(text) || (entry.stack ?? "").toLowerCase().includes(text)),
  );
}

/** The sources that occur, behind those that are known, so that the filter does not jump around; plugins before parts of the server. */
export function logSources(entries: readonly LogEntry[], known: readonly string[]): string[] {
  const rest = [...new Set(entries.map((entry) => entry.source))].filter((source) => !known.includes(source)).sort();
  const isPlugin = (source: string) => pluginOf(source) !== null;
  return [...known, ...rest.filter(isPlugin), ...rest.filter((source) => !isPlugin(source))];
}

/** The plugin that wrote a line of the server's log; null for every other source. */
export function pluginOf(source: string): string | null {
  return source.startsWith(kPluginSource) ? source.slice(kPluginSource.length) : null;
}

const kSourceNames: Readonly<Record<string, string>> = { server: "Server", app: "App windows" };
const kHostSource = "host:";

export const isHostSource = (source: string): boolean => source.startsWith(kHostSource);

/** What a source is called: a machine by its name while it is known. */
export function sourceName(source: string, hosts: readonly { id: string; name: string }[] = []): string {
  const host = isHostSource(source) ? hosts.find(({ id }) => id === source.slice(kHostSource.length)) : undefined;
  return host?.name ?? pluginOf(source) ?? ownMember(kSourceNames, source) ?? source;
}

/** A row of the view: a line, or the mark where another generation begins. */
export type LogRow = { kind: "line"; key: string; entry: LogEntry } | { kind: "generation"; key: string; generation: number };

/** Only lines of the server carry the server's generation; those of windows count their own. */
export function toRows(entries: readonly LogEntry[]): LogRow[] {
  const rows: LogRow[] = [];
  let generation: number | null = null;
  for (const entry of entries) {
    if (entry.source === "server" && entry.generation !== generation) {
      if (generation !== null) {
        rows.push({ kind: "generation", key: `g${entry.seq}`, generation: entry.generation });
      }
      generation = entry.generation;
    }
    rows.push({ kind: "line", key: `l${entry.seq}`, entry });
  }
  return rows;
}

/** Lines as text, for the clipboard and for a file. */
export function logText(entries: readonly LogEntry[]): string {
  return entries
    .map(({ at, level, source, message, stack }) => {
      const head = `${new Date(at).toISOString()} ${level.toUpperCase().padEnd(5)} [${pluginOf(source) ?? source}] ${message}`;
      return stack === null ? head : `${head}\n${stack.replace(/^/gm, "    ")}`;
    })
    .map((line) => `${line}\n`)
    .join("");
}
