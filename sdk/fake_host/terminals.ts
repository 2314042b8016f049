/** Terminals that a test plays, for `svc.sdk.terminals`. */
import { httpError } from "../../modules/sdkclient/js/call";
import type { Terminal } from "../src/records";
import type { FakeTerminals } from "../src/testing";
import { Body } from "./body";
import { TerminalOutput } from "./terminal_output";
import { readNewTerminal, readSize, readTitle, type NewTerminal } from "./terminal_requests";

interface Open {
  record: Terminal;
  command: string | null;
  output: TerminalOutput;
  typed: Buffer[];
}

/** L:terminals and L:terminal-input. */
const kTerminals = 64;
const kInput = 64 * 1024;

/** By the members of a query; of the scopes there is only a place on a machine, which no thread and no environment has. */
function isListed({ hostId, scope }: Terminal, query: Record<string, unknown>): boolean {
  const { kind, cwd } = scope as { kind: string; cwd?: string | null };
  const own: Record<string, unknown> = { kind, cwd, hostId, threadId: null, environmentId: null };
  return Object.entries(own).every(([name, value]) => (query[name] ?? "") === "" || query[name] === value);
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
    this.#find(terminalId).output.append(Buffer.from(text));
  }
  exit(terminalId: string, exitCode = 0): void {
    this.#end(this.#find(terminalId), "process-exit", exitCode);
  }

  answer(method: string, argument: Record<string, unknown>): unknown {
    const body = new Body(argument);
    const id = argument["terminalId"] as string;
    switch (method) {
      case "create":
        return this.#create(readNewTerminal(body));
      case "list":
        return { ok: true, sessions: this.records.filter((record) => isListed(record, argument)) };
      case "get":
        return this.#record(id);
      case "output":
        return this.#find(id).output.answer(argument);
      case "input":
        return this.#input(id, body);
      case "resize": {
        const size = readSize(body);
        body.finish("route");
        this.#running(id);
        return this.#changed(id, size);
      }
      case "rename": {
        const title = readTitle(body);
        body.finish("route");
        return this.#changed(id, { title });
      }
      case "close":
        return this.#close(id, body);
      case "restart": {
        const { record } = this.#find(id);
        const made = this.#create({ ...record, command: null });
        this.#end(this.#find(id), "user", null);
        return made;
      }
      default:
        return undefined;
    }
  }

  #close(id: string, body: Body): Terminal {
    const mode = body.optionalString("mode") ?? "if-clean";
    if (!["force", "if-clean"].includes(mode)) {
      body.issue('Expected "force" or "if-clean"', "mode");
    }
    body.finish("route");
    const open = this.#find(id);
    if (mode === "if-clean" && open.command !== null && open.record.status !== "exited") {
      throw httpError(409, "conflict", "a program runs in this terminal; mode force ends it");
    }
    this.#end(open, "user", null);
    return this.#record(id);
  }

  #input(id: string, body: Body): Terminal {
    const bytes = body.base64("dataBase64", body.requiredString("dataBase64"));
    body.finish("route");
    if (bytes.length > kInput) {
      throw httpError(413, "too_large", `the input has ${bytes.length} bytes (limit terminalInput: ${kInput})`);
    }
    const { typed } = this.#running(id);
    if (bytes.length === 0) {
      return this.#record(id);
    }
    typed.push(bytes);
    return this.#changed(id, { lastUserInputAt: Date.now() });
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

  #create({ scope, hostId, title, command, cols, rows, initialCwd }: NewTerminal): Terminal {
    const live = this.records.filter((record) => record.hostId === hostId && record.status !== "exited").length;
    if (live >= kTerminals) {
      const message = `this machine has ${live} terminals (limit terminals: ${kTerminals}); close one first`;
      throw httpError(503, "overloaded", message);
    }
    const now = Date.now();
    const record: Terminal = {
      id: `term_${this.#open.size + 1}`,
      scope,
      threadId: null,
      environmentId: null,
      hostId,
      title,
      status: "running",
      exitCode: null,
      closeReason: null,
      initialCwd,
      cols,
      rows,
      lastUserInputAt: null,
      createdAt: now,
      updatedAt: now,
    };
    this.#open.set(record.id, { record, command, output: new TerminalOutput(), typed: [] });
    return { ...record };
  }
}
