import { describe, expect, it } from "vitest";

import {
  type LogBuffer,
  type LogEntry,
  addReply,
  filterLog,
  kEmptyLog,
  kLogLines,
  kNoFilter,
  logSources,
  parseServerLine,
  pluginLog,
  logText,
  parseLogLine,
  sourceName,
  toRows,
} from "@/pages/logs/log_model";

function line(seq: number, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ seq, ts: 1000 + seq, level: "info", generation: 1, source: "server", message: `m${seq}`, ...more });
}

function entry(seq: number, more: Partial<LogEntry> = {}): LogEntry {
  return { seq, at: 0, level: "info", generation: 1, source: "server", message: `m${seq}`, stack: null, ...more };
}

const seqs = (buffer: LogBuffer) => buffer.entries.map(({ seq }) => seq);

describe("addReply", () => {
  it("follows the cursor without a line lost or twice", () => {
    let buffer = addReply(kEmptyLog, { lines: [line(1), line(2)], cursor: 2 });
    buffer = addReply(buffer, { lines: [line(2), line(3)], cursor: 3 });
    expect(seqs(buffer)).toEqual([1, 2, 3]);
    expect(buffer.cursor).toBe(3);
  });

  it("is the same buffer when nothing is new, so that nothing renders", () => {
    const buffer = addReply(kEmptyLog, { lines: [line(1)], cursor: 1 });
    expect(addReply(buffer, { lines: [], cursor: 1 })).toBe(buffer);
  });

  it("begins anew when the log did", () => {
    const buffer = addReply(kEmptyLog, { lines: [line(8), line(9)], cursor: 9 });
    expect(seqs(addReply(buffer, { lines: [line(1)], cursor: 1 }))).toEqual([1]);
  });

  it("keeps the newest lines only", () => {
    const lines = Array.from({ length: kLogLines }, (_, index) => line(index + 1));
    const full = addReply(kEmptyLog, { lines, cursor: kLogLines });
    const buffer = addReply(full, { lines: [line(kLogLines + 1)], cursor: kLogLines + 1 });
    expect(buffer.entries).toHaveLength(kLogLines);
    expect(buffer.entries[0]?.seq).toBe(2);
  });

  it("skips damaged lines", () => {
    expect(seqs(addReply(kEmptyLog, { lines: ["{", "null", "[]", line(4)], cursor: 4 }))).toEqual([4]);
  });
});

describe("parseLogLine", () => {
  it("reads every member, and unknown levels as info", () => {
    expect(parseLogLine(line(7, { level: "fatal", stack: "at x", source: "app" }))).toEqual({
      seq: 7,
      at: 1007,
      level: "info",
      generation: 1,
      source: "app",
      message: "m7",
      stack: "at x",
    });
  });
});

describe("filterLog", () => {
  const entries = [
    entry(1, { level: "debug" }),
    entry(2, { level: "warn", source: "app", message: "Slow" }),
    entry(3, { level: "error", stack: "at Deep.call" }),
  ];
  const shown = (filter: Partial<typeof kNoFilter>) => filterLog(entries, { ...kNoFilter, ...filter }).map(({ seq }) => seq);

  it("shows a level and the ones above it", () => {
    expect(shown({ level: "warn" })).toEqual([2, 3]);
  });
  it("shows one source", () => {
    expect(shown({ source: "app" })).toEqual([2]);
  });
  it("searches messages and stacks without regard to case", () => {
    expect(shown({ text: "slow" })).toEqual([2]);
    expect(shown({ text: "deep.CALL" })).toEqual([3]);
  });
  it("does not copy what it does not filter", () => {
    expect(filterLog(entries, kNoFilter)).toBe(entries);
  });
});

describe("toRows", () => {
  it("separates generations of the server, not those of windows", () => {
    const rows = toRows([entry(1), entry(2, { source: "app", generation: 9 }), entry(3), entry(4, { generation: 2 })]);
    expect(rows.map(({ key }) => key)).toEqual(["l1", "l2", "l3", "g4", "l4"]);
  });
});

describe("sourceName", () => {
  it("is a machine's name while the machine is known", () => {
    const hosts = [{ id: "host_1", name: "laptop" }];
    expect(["server", "app", "host:host_1", "host:host_2", "other"].map((source) => sourceName(source, hosts))).toEqual([
      "Server",
      "App windows",
      "laptop",
      "host:host_2",
      "other",
    ]);
    expect(sourceName("host:host_1")).toBe("host:host_1");
  });
});

describe("logSources", () => {
  it("puts server and app first", () => {
    const known = pluginLog("todo").knownSources;
    expect(logSources([entry(1, { source: "zeus" }), entry(2, { source: "ares" }), entry(3, { source: "app" })], known)).toEqual([
      "server",
      "app",
      "ares",
      "zeus",
    ]);
  });
});

describe("the server's log", () => {
  const line = (message: string, more: Record<string, unknown> = {}) =>
    JSON.stringify({ ts: 5, level: "info", logger: "plugins", message, ...more });

  it("tells the lines of plugins from those of the server", () => {
    expect(parseServerLine(line("[todo#3] saved\n  at x"), 7)).toEqual({
      seq: 7,
      at: 5,
      level: "info",
      generation: 3,
      source: "plugin:todo",
      message: "saved\n  at x",
      stack: null,
    });
    expect(parseServerLine(line("[todo] 3 log lines left out here"), 1)).toMatchObject({ source: "plugin:todo", generation: 0 });
    expect(parseServerLine(line("[todo#3] saved", { logger: "http" }), 1)).toMatchObject({ source: "http", message: "[todo#3] saved" });
    expect(parseServerLine(line("safe mode is on"), 1)).toMatchObject({ source: "plugins" });
  });

  it("knows the levels of the server", () => {
    const levels = ["trace", "debug", "info", "warning", "error", "critical", "loud"];
    expect(levels.map((level) => parseServerLine(line("x", { level }), 1)?.level)).toEqual([
      "debug",
      "debug",
      "info",
      "warn",
      "error",
      "error",
      "info",
    ]);
  });

  it("leaves out what is damaged", () => {
    expect([`{"ts":1`, "null", "[]", `{"ts":1}`, `{"message":"x"}`].map((text) => parseServerLine(text, 1))).toEqual(Array(5).fill(null));
  });

  it("numbers lines on, and begins anew when it is told to", () => {
    const reply = (cursor: string, messages: string[], anew = false) => ({ lines: messages.map((text) => line(text)), cursor, anew });
    const first = addReply(kEmptyLog, reply("1.1.9", ["a", "b"]), parseServerLine);
    const second = addReply(first, reply("1.1.3", ["c"]), parseServerLine);
    expect(second.entries.map(({ seq, message }) => [seq, message])).toEqual([
      [0, "a"],
      [1, "b"],
      [2, "c"],
    ]);
    expect(second.cursor).toBe("1.1.3");
    const third = addReply(second, reply("2.2.9", ["z"], true), parseServerLine);
    expect(third.entries.map(({ message }) => message)).toEqual(["z"]);
  });

  it("lists plugins before parts of the server", () => {
    const of = (source: string) => entry(1, { source });
    expect(logSources([of("http"), of("plugin:todo"), of("kernel"), of("plugin:notes")], [])).toEqual([
      "plugin:notes",
      "plugin:todo",
      "http",
      "kernel",
    ]);
    expect(sourceName("plugin:todo")).toBe("todo");
    expect(logText([of("plugin:todo")])).toContain("[todo] m1");
  });
});

describe("logText", () => {
  it("indents stacks below their line", () => {
    expect(logText([entry(1, { level: "error", stack: "a\nb" }), entry(2)])).toBe(
      "1970-01-01T00:00:00.000Z ERROR [server] m1\n    a\n    b\n1970-01-01T00:00:00.000Z INFO  [server] m2\n",
    );
  });
});
