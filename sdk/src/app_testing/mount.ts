import type { JsonValue } from "../json.js";
import type { PluginComposerScope, ComposerMention } from "../app/composer.js";
import type { PluginSvcContext } from "../app/navigation.js";
import type { PluginRealtimeConnectionState, PluginSettingsState } from "../app/window_state.js";
import type { PluginRpcClient } from "../app/rpc_client.js";
import type { PluginSidebarThreads } from "../app/sidebar.js";
import { findJsonProblem } from "../json_problem.js";
import { createRpcCall, type RpcReply } from "../app_policy/rpc_client.js";
import type { RenderSlotOptions } from "./types.js";

/** What hooks of one rendered slot read. Replaced as a whole, so that a snapshot stays what it was. */
export interface MountState {
  readonly settings: PluginSettingsState;
  readonly connection: PluginRealtimeConnectionState;
  readonly context: PluginSvcContext;
  readonly threads: PluginSidebarThreads;
  readonly composer: {
    readonly scope: PluginComposerScope;
    readonly text: string;
    readonly mentions: readonly ComposerMention[];
    readonly attachmentCount: number;
    readonly inputLocked: boolean;
    readonly textEffect: { className: string } | null;
  };
}

type Handler = (payload: JsonValue) => void;

/** The service and the window, as far as one rendered slot sees them. */
export class Mount {
  readonly pluginId: string;
  readonly rpc: PluginRpcClient;
  readonly sdk: unknown;
  readonly rpcCalls: { method: string; input: JsonValue }[] = [];
  readonly navigateCalls: { method: string; [argument: string]: unknown }[] = [];
  readonly textEffectCalls: ({ className: string } | null)[] = [];
  focusCount = 0;
  readonly submitted = new Set<() => void>();
  #state: MountState;
  readonly #fakes: Record<string, (input: never) => unknown>;
  readonly #listeners = new Set<() => void>();
  readonly #channels = new Map<string, Set<Handler>>();

  constructor(options: RenderSlotOptions) {
    this.pluginId = options.pluginId ?? "test-plugin";
    this.#fakes = options.rpc ?? {};
    this.sdk = options.sdk ?? {};
    const { projectId = null, threadId = null } = options.context ?? {};
    this.#state = {
      settings: { values: { ...options.settings }, isLoading: false },
      connection: "connected",
      context: { projectId, threadId },
      threads: Array.isArray(options.sidebarThreads)
        ? { status: "ready", threads: options.sidebarThreads, projects: [] }
        : ((options.sidebarThreads as PluginSidebarThreads | undefined) ?? { status: "ready", threads: [], projects: [] }),
      composer: {
        scope: options.composer?.scope ?? (threadId === null ? { kind: "new-thread", projectId } : { kind: "thread", threadId, projectId }),
        text: options.composer?.text ?? "",
        mentions: [],
        attachmentCount: options.composer?.attachmentCount ?? 0,
        inputLocked: false,
        textEffect: null,
      },
    };
    this.rpc = { call: createRpcCall((request) => this.#answer(request)) } as PluginRpcClient;
  }

  get state(): MountState {
    return this.#state;
  }

  /** As `useSyncExternalStore` takes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  update(change: Partial<MountState>): void {
    this.#state = { ...this.#state, ...change };
    this.#notify();
  }

  updateComposer(change: Partial<MountState["composer"]>): void {
    this.update({ composer: { ...this.#state.composer, ...change } });
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }

  listen(channel: string, handler: Handler): () => void {
    const handlers = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  emit(channel: string, payload: unknown): void {
    const problem = findJsonProblem(payload, "$payload");
    if (problem !== undefined) {
      throw new TypeError(`emitRealtime("${channel}"): ${problem}`);
    }
    for (const handler of [...(this.#channels.get(channel) ?? [])]) {
      try {
        handler(wire(payload) as JsonValue);
      } catch (failure) {
        console.error(`the handler of the realtime channel "${channel}" threw`, failure);
      }
    }
  }

  async #answer({ method, body }: { method: string; body: string }): Promise<RpcReply> {
    const input = JSON.parse(body) as JsonValue;
    this.rpcCalls.push({ method, input });
    const fake = Object.hasOwn(this.#fakes, method) ? this.#fakes[method] : undefined;
    if (fake === undefined) {
      return failure(404, "unknown_method", `plugin "${this.pluginId}" has no rpc method "${method}" (the test gives no fake for it)`);
    }
    let result: unknown;
    try {
      result = (await fake(input as never)) ?? null;
    } catch (thrown) {
      const { message = String(thrown), code, retryable, issues } = (thrown ?? {}) as Record<string, unknown> & { message?: string };
      if (code === "invalid_output" || code === "non_json_result") {
        // Of a handler that asks the fake of the server entry.
        return reply(500, { ok: false, error: { code, message, ...(Array.isArray(issues) ? { issues } : {}) } });
      }
      if (Array.isArray(issues)) {
        // As a schema of the contract would have refused it.
        return reply(400, { ok: false, error: { code: "invalid_input", message, issues } });
      }
      const details = {
        ...(typeof code === "string" ? { code } : {}),
        ...(typeof retryable === "boolean" ? { retryable } : {}),
        pluginId: this.pluginId,
      };
      return failure(500, "handler_error", message, details);
    }
    const problem = findJsonProblem(result, "result");
    return problem === undefined
      ? reply(200, { ok: true, result })
      : failure(500, "non_json_result", `rpc "${method}" returned a value that is not JSON: ${problem}`);
  }
}

const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const reply = (status: number, body: unknown): RpcReply => ({ status, requestId: "test", body: JSON.stringify(body) });
const failure = (status: number, code: string, message: string, details?: unknown): RpcReply =>
  reply(status, { ok: false, error: { code, message, ...(details === undefined ? {} : { details }) } });
