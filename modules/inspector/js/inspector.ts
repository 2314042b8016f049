/**
 * What looks into a plugin from outside: its inspector for DevTools, CPU profiles, heap snapshots. Through Node's own
 * `inspector` module, which sees exactly this environment.
 */
import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime";

type Inspector = typeof import("node:inspector");
type Session = import("node:inspector").Session;
interface CallFrame {
  url: string;
  lineNumber: number;
  columnNumber: number;
}
interface ProfileNode {
  callFrame: CallFrame;
  positionTicks?: unknown;
}
interface Profile {
  nodes: ProfileNode[];
}
interface SourceMap {
  findEntry(line: number, column: number): { originalSource?: string; originalLine?: number; originalColumn?: number };
}
type FindSourceMap = (path: string) => SourceMap | undefined;

// Plugin code may replace globals.
const { parse, stringify } = JSON;
const { setTimeout, clearTimeout, setInterval, clearInterval, Promise } = globalThis;
const FILE = "file://";
/** An inspector without a client is closed after so many looks, one a minute. */
const LOOKS = 10;
const LOOK_MS = 60_000;
const ESTABLISHED = "01";

/** Whether a table in the form of /proc/net/tcp has an open connection to this port. */
export function hasClient(table: string, port: number): boolean {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").some((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return state === ESTABLISHED && local?.endsWith(end) === true;
  });
}

export default function inspector(runtime: HostRuntime): void {
  // Asked for when needed: loading it costs every environment.
  const node = (): Inspector => require("node:inspector") as Inspector;
  /** Whoever gets it disconnects it. */
  const connected = (): Session =>
    runtime.withInspector(() => {
      const session = new (node().Session)();
      session.connect();
      return session;
    });
  let recording: string | undefined;

  /** One recording at a time: a second one would measure the first. */
  const record = async <T>(what: string, run: () => T | Promise<T>): Promise<T> => {
    if (recording !== undefined) {
      throw runtime.error("conflict", `${recording} of this plugin is being recorded; try again when it has ended`);
    }
    recording = what;
    try {
      return await run();
    } finally {
      recording = undefined;
    }
  };

  const shut = (): boolean => {
    const { close, url } = node();
    clearInterval(looking);
    if (url() === undefined) {
      return false;
    }
    close();
    runtime.pauseWatchdog(false);
    return true;
  };

  /** One that was forgotten is a way in for whoever has seen its address, and keeps the watchdog away. */
  const shutWhenUnused = (port: number): void => {
    const { readFileSync } = require("node:fs") as typeof import("node:fs");
    // Where nobody can tell (no /proc, no descriptor left) it stays open: an error here would be one of the plugin.
    const isInUse = (of: number): boolean => {
      try {
        return hasClient(readFileSync("/proc/self/net/tcp", "latin1"), of);
      } catch {
        return true;
      }
    };
    let unused = 0;
    looking = setInterval(() => {
      unused = isInUse(port) ? 0 : unused + 1;
      if (unused >= LOOKS) {
        shut();
      }
    }, LOOK_MS);
    looking.unref();
  };
  let looking: NodeJS.Timeout | undefined;

  runtime.handle("inspector.open", () => {
    const { open, url } = node();
    if (url() === undefined) {
      runtime.withInspector(() => open(0, "127.0.0.1"));
      // A breakpoint holds the event loop for as long as its user thinks.
      runtime.pauseWatchdog(true);
      shutWhenUnused(Number(new URL(url() as string).port));
    }
    return stringify({ url: url() });
  });

  runtime.handle("inspector.close", () => stringify({ wasOpen: shut() }));

  runtime.handle("inspector.profile", (meta, _body, call) =>
    record("a profile", async () => {
      const { seconds } = parse(meta) as { seconds: number };
      const profile = await profileFor(connected(), seconds * 1000, call);
      const { findSourceMap } = require("node:module") as { findSourceMap: FindSourceMap };
      mapFrames(profile, findSourceMap);
      return stringify(profile);
    }),
  );

  runtime.handle("inspector.heap", (id) =>
    record("a heap snapshot", async () => {
      const opened = node().url() !== undefined;
      runtime.pauseWatchdog(true);
      try {
        await takeSnapshot(connected(), (chunk) => void runtime.callSync("inspector.chunk", `${id}\n${chunk}`));
      } finally {
        runtime.pauseWatchdog(opened);
      }
      return undefined;
    }),
  );
}

async function profileFor(session: Session, milliseconds: number, call: HostCall): Promise<Profile> {
  try {
    const post = (method: string): Promise<{ profile: Profile }> =>
      new Promise((resolve, reject) => {
        session.post(method, (failure: Error | null, result?: object) =>
          failure ? reject(failure) : resolve(result as { profile: Profile }),
        );
      });
    await post("Profiler.enable");
    await post("Profiler.start");
    // What was optimised before does not know which functions are in it, and would have all time itself: this makes V8 begin anew.
    await post("Profiler.startPreciseCoverage");
    await post("Profiler.stopPreciseCoverage");
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      // Whoever gives up, or a disposal, ends the recording.
      if (call.signal.aborted) {
        end();
      }
      call.signal.addEventListener("abort", end);
    });
    return (await post("Profiler.stop")).profile;
  } finally {
    session.disconnect();
  }
}

/** Positions become those of the files the author wrote. */
export function mapFrames(profile: Profile, findSourceMap: FindSourceMap): void {
  for (const entry of profile.nodes) {
    const { callFrame } = entry;
    const path = callFrame.url.startsWith(FILE) ? callFrame.url.slice(FILE.length) : callFrame.url;
    const original = path === "" ? undefined : findSourceMap(path)?.findEntry(callFrame.lineNumber, callFrame.columnNumber);
    if (original?.originalSource !== undefined) {
      callFrame.url = original.originalSource;
      callFrame.lineNumber = original.originalLine ?? 0;
      callFrame.columnNumber = original.originalColumn ?? 0;
      // They count lines of the text that runs.
      delete entry.positionTicks;
    }
  }
}

/** The plugin stands still until the last chunk is out. */
async function takeSnapshot(session: Session, write: (chunk: string) => void): Promise<void> {
  let failure: unknown;
  try {
    session.on("HeapProfiler.addHeapSnapshotChunk", ({ params }: { params: { chunk: string } }) => {
      try {
        if (failure === undefined) {
          write(params.chunk);
        }
      } catch (error) {
        failure = error;
      }
    });
    await new Promise<void>((resolve) =>
      session.post("HeapProfiler.takeHeapSnapshot", (error: Error | null) => {
        failure ??= error ?? undefined;
        resolve();
      }),
    );
  } finally {
    session.disconnect();
  }
  if (failure !== undefined) {
    throw failure as Error;
  }
}
