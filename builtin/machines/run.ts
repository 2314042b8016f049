/** Runs one command in a terminal of a machine, to its end or to the end of patience. */
import type { Host, PluginSdk, Terminal } from "@get-svc/plugin-sdk";

import { on } from "./machines.ts";
import { plainText } from "./plain_text.ts";

export interface Wish {
  machine: Host;
  /** Null: the home of the daemon's user. */
  cwd: string | null;
  command: string;
  timeoutMs: number;
}

export interface Caller {
  signal: AbortSignal;
  onProgress?: (seconds: number, lastLine: string) => void;
}

/** `lost`: the machine is away, and what runs there may go on. `closed`: somebody else has ended it, or the daemon has ended. */
export type Ending = { kind: "exited"; exitCode: number } | { kind: "timeout" | "lost" | "closed" };

export interface Outcome {
  terminalId: string;
  ending: Ending;
  ms: number;
  text: string;
  /** More came than the service keeps: `text` begins somewhere in the middle. */
  isBeginningGone: boolean;
}

/** As long as a command of the service may take (lim.cliRun). */
export const kMostSeconds = 3_600;
const kColumns = 120;
const kRows = 40;
/** Notices tell of an end at once; this is how often progress is told, and how late an end whose notice was lost is seen. */
const kLookMs = 2_000;
/** A command that is closed has 2 s for its last words. */
const kCloseMs = 5_000;
const kTitleCharacters = 200;
const kProgressBytes = 2_048;
/**
 * Nobody types: pagers print, and programs that read find the end. Understood by every shell whose user is likely to have it as
 * login shell; fish has no `exec` without a program.
 */
const kPreamble = 'export PAGER=cat GIT_PAGER=cat MANPAGER=cat SYSTEMD_PAGER=cat TERM=dumb; test -n "$FISH_VERSION" || exec </dev/null; ';

export async function runCommand(sdk: PluginSdk, wish: Wish, { signal, onProgress }: Caller): Promise<Outcome> {
  signal.throwIfAborted();
  const { machine, cwd, command, timeoutMs } = wish;
  const bell = new Bell();
  const leave = sdk.subscribe({ event: "host:changed", hostId: machine.id, callback: () => bell.ring() });
  const onAbort = (): void => bell.ring();
  signal.addEventListener("abort", onAbort);
  try {
    const startedAt = Date.now();
    // Without the signal: a terminal that nobody has the id of could not be closed.
    const { id: terminalId } = await on(machine, () =>
      sdk.terminals.create({
        scope: { kind: "host_path", hostId: machine.id, cwd },
        cols: kColumns,
        rows: kRows,
        title: titleOf(command),
        start: { mode: "command", command: kPreamble + command },
      }),
    );
    const watch = new Watch(sdk, terminalId, bell);
    const tell = async (): Promise<void> => onProgress?.((Date.now() - startedAt) / 1_000, await watch.lastLine());
    const ending = (await watch.untilEnd(startedAt + timeoutMs, signal, tell)) ?? (await watch.close());
    signal.throwIfAborted();
    return { terminalId, ending, ms: Date.now() - startedAt, ...(await watch.output()) };
  } finally {
    signal.removeEventListener("abort", onAbort);
    leave();
  }
}

class Watch {
  constructor(
    private readonly sdk: PluginSdk,
    private readonly terminalId: string,
    private readonly bell: Bell,
  ) {}

  /** Undefined when it has not ended by then, or when nobody waits any more. */
  async untilEnd(deadline: number, signal?: AbortSignal, tell?: () => Promise<void>): Promise<Ending | undefined> {
    for (let looks = 0; signal?.aborted !== true && Date.now() < deadline; looks += 1) {
      const ending = endingOf(await this.sdk.terminals.get({ terminalId: this.terminalId }));
      if (ending !== undefined) {
        return ending;
      }
      if (looks > 0) {
        await tell?.();
      }
      await this.bell.wait(Math.min(kLookMs, Math.max(0, deadline - Date.now())));
    }
    return undefined;
  }

  async close(): Promise<Ending> {
    await this.sdk.terminals.close({ terminalId: this.terminalId, mode: "force" });
    await this.untilEnd(Date.now() + kCloseMs);
    return { kind: "timeout" };
  }

  async output(): Promise<{ text: string; isBeginningGone: boolean }> {
    const { chunks, truncated } = await this.sdk.terminals.output({ terminalId: this.terminalId });
    const text = Buffer.concat(chunks.map(({ dataBase64 }) => Buffer.from(dataBase64, "base64"))).toString();
    // The first line of what is left of a longer output is the end of one.
    return { text: plainText(truncated ? text.slice(text.indexOf("\n") + 1) : text), isBeginningGone: truncated };
  }

  async lastLine(): Promise<string> {
    const { chunks } = await this.sdk.terminals.output({ terminalId: this.terminalId, tailBytes: kProgressBytes });
    const text = Buffer.concat(chunks.map(({ dataBase64 }) => Buffer.from(dataBase64, "base64"))).toString();
    return plainText(text).trimEnd().split("\n").at(-1)?.trim() ?? "";
  }
}

function endingOf({ status, closeReason, exitCode }: Terminal): Ending | undefined {
  if (status === "disconnected") {
    return { kind: "lost" };
  }
  if (status !== "exited") {
    return undefined;
  }
  return closeReason === "process-exit" && exitCode !== null ? { kind: "exited", exitCode } : { kind: "closed" };
}

function titleOf(command: string): string {
  const [line = ""] = command.trim().split("\n");
  return [...line.replace(/[\s\p{Cc}]+/gu, " ")].slice(0, kTitleCharacters).join("") || "command";
}

/** Lets one waiter go on before its time. A ring that nobody waits for is kept. */
class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#hasRung = false;
  }
}
