/** `L:log-tail`: the most lines that are asked for and kept. */
export const kLogLines = 10_000;
/** `L:log-follow`: how often a visible page asks for new lines, in milliseconds. */
export const kLogFollow = 1000;

export const kLogLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof kLogLevels)[number];

/** One stored line of a plugin's log. */
export interface LogEntry {
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  level: LogLevel;
  generation: number;
  /** `server`, `app`, or the host it was written on. */
  source: string;
  message: string;
  stack: string | null;
}

export interface LogReply {
  lines: readonly string[];
  cursor: number;
}

function isLevel(value: unknown): value is LogLevel {
  return (kLogLevels as readonly unknown[]).includes(value);
}

/** Reads a stored line; null for one that is damaged. */
export function parseLogLine(line: string): LogEntry | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || typeof value.seq !== "number") {
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

/** What a page has of a log. `cursor` is where the next request continues; null before the first answer. */
export interface LogBuffer {
  readonly entries: readonly LogEntry[];
  readonly cursor: number | null;
}

export const kEmptyLog: LogBuffer = { entries: [], cursor: null };

/**
 * The buffer with a reply appended: no line twice, the oldest leave beyond `kLogLines`. A cursor that went back means that
 * the log began anew (the plugin was removed and installed again), so nothing of the old one is kept.
 */
export function addReply(buffer: LogBuffer, reply: LogReply): LogBuffer {
  if (buffer.cursor !== null && reply.cursor < buffer.cursor) {
    return addReply(kEmptyLog, reply);
  }
  const last = buffer.entries.at(-1)?.seq ?? -1;
  const added: LogEntry[] = [];
  for (const line of reply.lines) {
    const entry = parseLogLine(line);
    if (entry !== null && entry.seq > (added.at(-1)?.seq ?? last)) {
      added.push(entry);
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

/** The sources that occur, `server` and `app` first, so that the filter does not jump around. */
export function logSources(entries: readonly LogEntry[]): string[] {
  const rest = new Set(entries.map((entry) => entry.source));
  rest.delete("server");
  rest.delete("app");
  return ["server", "app", ...[...rest].sort()];
}

const kSourceNames: Readonly<Record<string, string>> = { server: "Server", app: "App windows" };
const kHostSource = "host:";

export const isHostSource = (source: string): boolean => source.startsWith(kHostSource);

/** What a source is called: a machine by its name while it is known. */
export function sourceName(source: string, hosts: readonly { id: string; name: string }[] = []): string {
  const host = isHostSource(source) ? hosts.find(({ id }) => id === source.slice(kHostSource.length)) : undefined;
  return host?.name ?? kSourceNames[source] ?? source;
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
      const head = `${new Date(at).toISOString()} ${level.toUpperCase().padEnd(5)} [${source}] ${message}`;
      return stack === null ? head : `${head}\n${stack.replace(/^/gm, "    ")}`;
    })
    .map((line) => `${line}\n`)
    .join("");
}
