import { FakeMachineFiles } from "./machine_files";
import { FakeMachineTerminals } from "./terminals";
import type { FakePluginHostOptions, FakeSdkCall } from "../src/testing";

export type Level = "debug" | "info" | "warn" | "error";

export interface LogEntry {
  level: Level;
  message: string;
  stack?: string;
}

/** What is kept across the loads of one fake host. */
export class Shared {
  /** JSON texts by key. */
  readonly kv = new Map<string, string>();
  readonly settings: Map<string, unknown>;
  readonly log: LogEntry[] = [];
  readonly signals: { channel: string; payload: unknown }[] = [];
  readonly sdkCalls: FakeSdkCall[] = [];
  readonly sdkStubs = new Map<string, (...args: unknown[]) => unknown>();
  readonly hookRechecks: string[] = [];
  readonly files: FakeMachineFiles;
  readonly terminals = new FakeMachineTerminals();

  constructor(readonly options: FakePluginHostOptions) {
    this.settings = new Map(Object.entries(options.settings ?? {}));
    this.files = new FakeMachineFiles(options.files ?? {});
    this.#addStubs("", options.sdk ?? {});
  }

  get pluginId(): string {
    return this.options.pluginId;
  }

  write(level: Level, message: string, stack?: string): void {
    this.log.push(stack === undefined || stack === "" ? { level, message } : { level, message, stack });
  }

  #addStubs(prefix: string, stubs: object): void {
    for (const [name, stub] of Object.entries(stubs)) {
      if (typeof stub === "function") {
        this.sdkStubs.set(prefix + name, stub as (...args: unknown[]) => unknown);
      } else if (typeof stub === "object" && stub !== null) {
        this.#addStubs(`${prefix}${name}.`, stub);
      }
    }
  }
}
