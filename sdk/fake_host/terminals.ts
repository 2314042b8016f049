/** Terminals that a test plays, for `svc.sdk.terminals`. */
import { httpError } from "../../modules/sdkclient/js/call";
import type { Terminal, TerminalScope } from "../src/records";
import type { FakeTerminals } from "../src/testing";

interface Open {
  record: Terminal;
  command: string | null;
  chunks: Buffer[];
  typed: Buffer[];
}
interface Start {
  scope: TerminalScope;
  cols: number;
  rows: number;
  title?: string;
  start?: { mode: "shell" } | { mode: "command"; command: string };
}

export class FakeMachineTerminals implements FakeTerminals {
  readonly #open = new Map<string, Open>();

  get records(): readonly Terminal[] {
    return [...this.#open.values()].map(({ record }) => ({ ...record }));
  }
  commandOf(terminalId: string): string | null {
    return this.#find(terminalId).command;
  }
  typed(terminalId: string): string {
    return Buffer.concat(this.#find(terminalId).typed).toString("utf8");
  }
  print(terminalId: string, text: string): void {
    this.#find(terminalId).chunks.push(Buffer.from(text));
  }
  exit(terminalId: string, exitCode = 0): void {
    this.#end(this.#find(terminalId), "process-exit", exitCode);
  }

  answer(method: string, argument: any): unknown {
    switch (method) {
      case "create":
        return this.#create(argument as Start);
      case "list":
        return { ok: true, sessions: this.records };
      case "get":
        return this.#record(argument.terminalId);
      case "output":
        return this.#output(argument);
      case "input":
        this.#running(argument.terminalId).typed.push(Buffer.from(argument.dataBase64, "base64"));
        return this.#changed(argument.terminalId, { lastUserInputAt: Date.now() });
      case "resize":
        this.#running(argument.terminalId);
        return this.#changed(argument.terminalId, { cols: argument.cols, rows: argument.rows });
      case "rename":
        return this.#changed(argument.terminalId, { title: argument.title });
      case "close":
        this.#end(this.#find(argument.terminalId), "user", null);
        return this.#record(argument.terminalId);
      case "restart": {
        const { record } = this.#find(argument.terminalId);
        const made = this.#create({ scope: record.scope, cols: record.cols, rows: record.rows, title: record.title });
        this.#end(this.#find(argument.terminalId), "user", null);
        return made;
      }
      default:
        return undefined;
    }
  }

  #find(terminalId: string): Open {
    const found = this.#open.get(terminalId);
    if (found === undefined) {
      throw httpError(404, "not_found", `there is no terminal "${terminalId}"`);
    }
    return found;
  }
  #running(terminalId: string): Open {
    const found = this.#find(terminalId);
    if (found.record.status === "exited") {
      throw httpError(409, "conflict", "the terminal has ended");
    }
    return found;
  }
  #record(terminalId: string): Terminal {
    return { ...this.#find(terminalId).record };
  }
  #changed(terminalId: string, changes: Partial<Terminal>): Terminal {
    Object.assign(this.#find(terminalId).record, changes, { updatedAt: Date.now() });
    return this.#record(terminalId);
  }
  #end({ record }: Open, closeReason: Terminal["closeReason"], exitCode: number | null): void {
    if (record.status !== "exited") {
      Object.assign(record, { status: "exited", closeReason, exitCode, updatedAt: Date.now() });
    }
  }

  #create({ scope, cols, rows, title, start }: Start): Terminal {
    if (scope.kind !== "host_path") {
      throw httpError(501, "not_supported", `terminals of a scope "${scope.kind}" are not available yet`);
    }
    const command = start?.mode === "command" ? start.command : null;
    const now = Date.now();
    const record: Terminal = {
      id: `term_${this.#open.size + 1}`,
      scope,
      threadId: null,
      environmentId: null,
      hostId: scope.hostId,
      title: title ?? command ?? "Terminal",
      status: "running",
      exitCode: null,
      closeReason: null,
      initialCwd: scope.cwd ?? "/home/user",
      cols,
      rows,
      lastUserInputAt: null,
      createdAt: now,
      updatedAt: now,
    };
    this.#open.set(record.id, { record, command, chunks: [], typed: [] });
    return { ...record };
  }

  #output({
    terminalId,
    sinceSeq = 0,
    limitChunks,
  }: {
    terminalId: string;
    sinceSeq?: number | string;
    limitChunks?: number | string;
  }): object {
    const { chunks } = this.#find(terminalId);
    const begin = Number(sinceSeq);
    const end = limitChunks === undefined ? chunks.length : Math.min(chunks.length, begin + Number(limitChunks));
    return {
      ok: true,
      chunks: chunks.slice(begin, end).map((bytes, index) => ({ seq: begin + index, dataBase64: bytes.toString("base64") })),
      nextSeq: Math.max(begin, end),
      truncated: false,
    };
  }
}
