import type { RenderResult } from "@testing-library/react";
import type { ComponentType } from "react";

import type { ComposerMention, PluginComposerScope } from "../app/composer.js";
import type { PluginThreadRowStatus } from "../app/content_scripts.js";
import type { PluginRealtimeConnectionState } from "../app/window_state.js";
import type { PluginSidebarThread, PluginSidebarThreads } from "../app/sidebar.js";
import type { CollectedPluginApp } from "../app_policy/collected.js";
import type { JsonValue } from "../json.js";
import type { PluginSdk } from "../sdk_client.js";

/** Everything `setup` registered, in registration order. */
export interface LoadedPluginApp extends CollectedPluginApp {}

type DeepPartial<T> = T extends (...args: never[]) => unknown
  ? (...args: Parameters<T>) => unknown
  : { [Key in keyof T]?: DeepPartial<T[Key]> };

/** What stands for the server entry in a test of the app entry: a function per method. */
export interface PluginRpcTestHandlers {
  [method: string]: (input: any) => unknown;
}

/** A call of the server entry; an input that was left out is null. */
export interface RpcCall {
  method: string;
  input: JsonValue;
}

/** The service and the window around one rendered slot. */
export interface RenderSlotOptions {
  /** Default `test-plugin`. */
  pluginId?: string;
  /**
   * The server entry: a function per method. A call of another method rejects with `unknown_method`; an error that is thrown with
   * `issues` is what a schema refuses, `invalid_input`.
   */
  rpc?: PluginRpcTestHandlers;
  /** What `useSettings()` returns as `values`. */
  settings?: Record<string, string | boolean | number>;
  /** What `useSvcContext()` returns; an id that is left out is null. */
  context?: { projectId?: string | null; threadId?: string | null };
  /** The composer on screen. Default: an empty one of the thread in `context`, of a new thread without one. */
  composer?: { text?: string; scope?: PluginComposerScope; attachmentCount?: number };
  /**
   * What `experimental_useSidebarThreads()` returns; a list stands for one with the status `ready` and no projects. Default: no threads.
   */
  sidebarThreads?: PluginSidebarThread[] | PluginSidebarThreads;
  /** Functions of `useSdk()`; another one rejects with `svc.sdk.<path> is not stubbed`. */
  sdk?: DeepPartial<PluginSdk>;
}

/** What can be rendered: a registration, or `{ component }` around another component of it, such as `headerContent`. */
export interface Renderable<Props> {
  component: ComponentType<Props>;
}

/** What a test makes happen around a rendered slot. Each call runs inside `act`, so that the slot has rendered when it returns. */
export interface SlotBehavior {
  /** A `svc.realtime.publish` of the server entry. */
  emitRealtime(channel: string, payload: unknown): void;
  setRealtimeConnectionState(state: PluginRealtimeConnectionState): void;
  setComposerText(text: string): void;
  setComposerScope(scope: PluginComposerScope): void;
  /** Replaces all values. */
  setSettings(values: Record<string, string | boolean | number>): void;
}

/** What the slot did since it was rendered. `toasts` and `composer` are snapshots: read them anew after each step. */
export interface SlotInspection {
  /** In call order; an input that was left out is null. */
  readonly rpcCalls: readonly RpcCall[];
  /** Calls of `useSvcNavigate()`: the method's name and its arguments by name. */
  readonly navigateCalls: readonly { method: string; [argument: string]: unknown }[];
  /** Toasts of `sonner` since the slot was rendered. */
  readonly toasts: readonly { type: string; title: unknown; description?: unknown }[];
  readonly composer: {
    readonly text: string;
    readonly mentions: readonly ComposerMention[];
    readonly attachmentCount: number;
    /** How often `focus()` was called. */
    readonly focusCount: number;
    readonly inputLocked: boolean;
    readonly textEffect: { className: string } | null;
    readonly textEffectCalls: readonly ({ className: string } | null)[];
    /** The latest status per thread that content scripts of this test set. */
    readonly threadRowStatus: { readonly [threadId: string]: PluginThreadRowStatus };
  };
}

/** The result of `render` of Testing Library, with the plugin's surroundings. */
export type RenderedSlot<Props> = Omit<RenderResult, "rerender" | "unmount"> & {
  readonly behavior: SlotBehavior;
  readonly inspection: SlotInspection;
  readonly lifecycle: { rerender(props: Props): void; unmount(): void };
  rerender(props: Props): void;
  unmount(): void;
  /** `inspection.rpcCalls` */
  readonly rpcCalls: SlotInspection["rpcCalls"];
  /** `behavior.emitRealtime` */
  emitRealtime(channel: string, payload: unknown): void;
};

/** A call of `experimental_setThreadRowStatus` by a content script; `status` is null when the script withdraws it. */
export interface ThreadRowStatusCall {
  scriptId: string;
  threadId: string;
  status: PluginThreadRowStatus | null;
}

/** The content scripts that `mountPluginContentScripts` has mounted, and what ends them. */
export interface MountedTestContentScripts {
  /** `setThreadRowStatuses`: every status that was set or withdrawn (null), in order. */
  readonly behavior: { readonly setThreadRowStatuses: readonly ThreadRowStatusCall[] };
  /** Aborts the signals, withdraws the statuses and calls the disposers in reverse order. Rejects when one of them threw. */
  readonly lifecycle: { dispose(): Promise<void> };
}
