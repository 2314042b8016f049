// A host for tests: the `svc` object over fakes, without a server. What runs is in fake_host/, which bundles the very code
// of the service that checks arguments and dispatches calls; here is what it looks like.
import type { PluginFactory, SvcPluginApi } from "./api.js";
import type { JsonInput, MaybePromise } from "./json.js";
import type { Thread } from "./records.js";
import type { PluginSdk } from "./sdk_client.js";
import type { FakeBehavior } from "./testing/behavior.js";
import type { FakeInspection } from "./testing/inspection.js";

export type * from "./testing/behavior.js";
export type * from "./testing/inspection.js";

type AnyFunction = (...args: never[]) => unknown;

/** Any part of `svc.sdk`. A stub may answer at once or with a promise, and may be a mock function of the test runner. */
export type SdkStubs<Api = PluginSdk> = {
  readonly [Name in keyof Api]?: Api[Name] extends AnyFunction ? (...args: any[]) => unknown : SdkStubs<Api[Name]>;
};

/** A call of the host entry, its input checked by the contract. */
export interface FakeHostRpcCall {
  readonly hostId: string;
  readonly method: string;
  readonly input: unknown;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/** The service around the plugin under test, before its first load. */
export interface FakePluginHostOptions {
  pluginId: string;
  /** What has been saved before the load, secrets included. As on the server, a value that does not fit reads as the default. */
  settings?: { readonly [key: string]: JsonInput };
  /** What methods of `svc.sdk` answer. `files.*` (but `createPreview`) and `terminals.*` work in memory without one, others reject with `svc.sdk.<path> is not stubbed`. */
  sdk?: SdkStubs;
  /** Files of machines by absolute path, or one that begins with `~/`: `svc.sdk.files` reads and changes them in memory, without a stub. */
  files?: Readonly<Record<string, string>>;
  /** Names of the plugin's skills, which `svc.agents.configure` may choose from. Default: none. */
  agentSkillIds?: readonly string[];
  /** Whether the plugin has a host entry, which providers need. Default: whether `experimental_callHostRpc` is there. */
  hasHostEntry?: boolean;
  /**
   * Answers `svc.hosts.experimental_client(…).call`: the output, which the contract checks, or an error whose `code` becomes
   * the one of the `HostCallError`. Without it every call fails with `host_unavailable`. It is not waited for
   * when the call is aborted or the load ends.
   */
  experimental_callHostRpc?(call: FakeHostRpcCall): MaybePromise<unknown>;
}

/** The life of a load. */
export interface FakeLifecycle {
  /**
   * Loads the plugin as the server does: the factory gets an `svc` of its own beside the present one. When it settles, the new
   * load takes over in one step and the old one is disposed; storage, settings and log stay. Also for a first load.
   *
   * @throws Error when the factory fails; the present load then goes on, and the message ends `(the previous instance is
   *   still running)` when there is one.
   */
  reload(factory: PluginFactory): Promise<void>;
  /**
   * Ends the load in the order of the server: sockets close with 1012, tool calls abort and open forms are cancelled
   * (`plugin-disposed`), services stop, `onDispose` hooks run last registered first, calls are waited for, databases close.
   * Afterwards `svc` throws `PluginContextStaleError`, calls reject with `plugin_not_running`, and temporary files are gone.
   */
  dispose(): Promise<void>;
  /** Runs the `onInstall` hooks. One that fails is logged. */
  install(): Promise<void>;
}

/** What a test does to the plugin, sees of it, and decides about its life. Behaviour and inspection are members, too. */
export interface FakePluginHarness extends FakeBehavior, FakeInspection {
  readonly behavior: FakeBehavior;
  readonly inspection: FakeInspection;
  readonly lifecycle: FakeLifecycle;
}

/** One plugin's host: what the plugin is given, and what the test drives it with. */
export interface FakePluginHost {
  /** Of the present load: `await plugin(host.svc)` registers at once, `harness.lifecycle.reload(plugin)` as a whole. */
  readonly svc: SvcPluginApi;
  readonly harness: FakePluginHarness;
}

/**
 * Makes a host for one plugin. Arguments, messages, limits and dispatch are those of the server, because the code is. Storage is
 * in memory; `svc.storage.database()` opens a temporary file with an SQLite that comes with the SDK and needs no compiler. Not
 * simulated: who may call an HTTP route (its `auth` is recorded), timers and the clock (services and schedules are driven by hand),
 * files of secrets, the isolation of the plugin.
 *
 * @example
 * const { svc, harness } = createFakePluginHost({ pluginId: "todo" });
 * await plugin(svc);
 * await harness.callRpc("todos_add", { title: "milk" });
 * assert.deepEqual(harness.realtimeSignals.at(-1), { channel: "todos-changed", payload: { count: 1 } });
 */
export declare function createFakePluginHost(options: FakePluginHostOptions): FakePluginHost;

/** An idle thread; what is given replaces its members. */
export declare function makeThreadResponse(partial?: Partial<Thread>): Thread;
