import type { AgentToolPresentation } from "../agents.js";
import type { PluginCliCommandInfo } from "../cli.js";
import type { PluginHttpAuth } from "../http.js";
import type { JsonValue } from "../json.js";
import type { PluginStatus } from "../record.js";
import type { Terminal } from "../records.js";
import type { MentionTrigger } from "../ui.js";

/** A tool as agents are offered it, when no `configure` narrows it. */
export interface RegisteredAgentTool {
  name: string;
  description: string;
  /** The JSON Schema that agents see. */
  inputSchema: { [key: string]: unknown };
  instructions?: string;
  presentation?: AgentToolPresentation;
}

/** What the plugin has registered. Everything but listeners is in the order of registration, methods by name. */
export interface FakeRegistrations {
  rpcMethods: string[];
  httpRoutes: { method: string; path: string; auth: PluginHttpAuth }[];
  webSocketRoutes: { path: string; auth: PluginHttpAuth }[];
  cli: { name: string; summary?: string; commands: PluginCliCommandInfo[]; rendersHelp: boolean } | null;
  agentTools: RegisteredAgentTool[];
  services: string[];
  schedules: { name: string; cron: string }[];
  /** As clients see them: no default of a secret, no schema. */
  settingsDescriptors: { [key: string]: { type: string; label: string; [field: string]: JsonValue } };
  /** Number of handlers by event. */
  threadEventHandlers: { [event: string]: number };
  mentionProviders: { id: string; label: string; triggers: MentionTrigger[] }[];
  hooks: string[];
  /** Declared agent providers, normalised. */
  providers: { id: string; displayName: string; [field: string]: JsonValue }[];
  /** Shared ports by host. */
  sharedPorts: { [hostId: string]: number[] };
}

/** A form that `svc.ui.requestInput` has opened and nobody has answered. */
export interface FakePendingInteraction {
  /** What `submitInteraction` and `cancelInteraction` take. */
  id: string;
  /** Null for a form that belongs to a call outside of a thread. */
  threadId: string | null;
  rendererId: string;
  /** Trimmed. */
  title: string;
  payload: JsonValue;
  /** Not counted down here: cancel it with the reason `timeout`. */
  timeoutMs: number;
  presentation?: { [key: string]: JsonValue };
}

/** A call of a method of `svc.sdk`. */
export interface FakeSdkCall {
  /** `threads.spawn` */
  path: string;
  /** What the method was called with, in order: at most one object. */
  args: any[];
}

/** What the plugin asked of `svc.sdk`, and what it is answered. */
export interface FakeSdk {
  /** Every call whose argument was accepted, also those that rejected for want of a stub. */
  readonly calls: readonly FakeSdkCall[];
  callsTo(path: string): FakeSdkCall[];
  /** Replaces what a method answers. `fn` gets the arguments of the call; a throw rejects it. */
  stub(path: string, fn: (...args: any[]) => unknown): void;
}

/** Terminals that the plugin has opened. Their programs are played by the test. */
export interface FakeTerminals {
  readonly records: readonly Terminal[];
  /** Null: a shell. */
  commandOf(terminalId: string): string | null;
  /** All input so far. */
  typed(terminalId: string): string;
  /** Adds output, as if the program had written it. */
  print(terminalId: string, text: string): void;
  /** Ends the program; the exit code is 0 unless given. */
  exit(terminalId: string, exitCode?: number): void;
}

/** What a test sees. Everything is of the present load, except log, signals and calls, which are kept across loads. */
export interface FakeInspection {
  readonly registrations: FakeRegistrations;
  /** What `svc.log` wrote, and what the service logs of the plugin's failures. */
  readonly logEntries: readonly { level: "debug" | "info" | "warn" | "error"; message: string; stack?: string }[];
  readonly realtimeSignals: readonly { channel: string; payload: JsonValue }[];
  /** Forms that wait for an answer, oldest first. */
  readonly pendingInteractions: readonly FakePendingInteraction[];
  readonly sdk: FakeSdk;
  /** Files of machines as `svc.sdk.files` left them: texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly terminals: FakeTerminals;
  /** As the record of the plugin has them; `disabled` after `dispose()`. */
  readonly status: { readonly status: PluginStatus; readonly statusDetail: string | null };
  /** Fields that this version does not know, and what else was accepted with a warning. */
  readonly problems: readonly { code: string; message: string }[];
  /** Members that are accepted and not used. */
  readonly unsupported: readonly string[];
  /** Hooks that asked for another pass with `experimental_hooks.recheck`. */
  readonly hookRechecks: readonly string[];
}
