import { act, render } from "@testing-library/react";
import { createElement } from "react";

import type { PluginThreadRowStatus } from "../app/content_scripts.js";
import { definePluginApp } from "../app/definition.js";
import { definePluginHooks } from "../app/plugin_hooks.js";
import type { PluginSdkAppRuntime } from "../app/runtime.js";
import type { IconProps } from "../icon.js";
import { interpretPluginApp } from "../app_policy/collector.js";
import { mountContentScripts } from "../app_policy/content_scripts.js";
import { kComponents } from "./components.js";
import { kHooks, MountContext } from "./hooks.js";
import { Mount } from "./mount.js";
import type {
  LoadedPluginApp,
  MountedTestContentScripts,
  Renderable,
  RenderedSlot,
  RenderSlotOptions,
  SlotBehavior,
  SlotInspection,
  ThreadRowStatusCall,
} from "./types.js";

interface Toast {
  type?: string;
  title?: unknown;
  description?: unknown;
}

let toastHistory: () => Toast[] = () => [];
/** Of content scripts: rows of the sidebar, which no mount owns. */
const threadRowStatuses = new Map<string, PluginThreadRowStatus>();

/** Puts a small runtime in place of the window's, for `@get-svc/plugin-sdk/app` and `/icon`. `loadPluginApp` does it too. */
export function installTestPluginRuntime(): void {
  const Icon = ({ name, size, ...props }: IconProps) =>
    createElement("svg", {
      ...(props["aria-label"] === undefined ? { "aria-hidden": true } : { role: "img" }),
      "data-icon": name,
      width: size,
      height: size,
      ...props,
    });
  const scope = globalThis as { __svcPluginRuntime?: object };
  scope.__svcPluginRuntime = {
    ...scope.__svcPluginRuntime,
    pluginSdkApp: { ...kHooks, ...kComponents, definePluginApp, definePluginHooks } satisfies PluginSdkAppRuntime,
    sharedUiIcon: { Icon, default: Icon },
  };
}

/**
 * Imports an app entry and runs its `setup`, as the window does: `await loadPluginApp(() => import("../app"))`.
 *
 * @throws what the window would report: no app entry, a registration that is refused, or whatever `setup` throws.
 */
export async function loadPluginApp(
  load: () => Promise<{ default: unknown }>,
  options: { pluginId?: string } = {},
): Promise<LoadedPluginApp> {
  installTestPluginRuntime();
  try {
    const { toast } = await import("sonner");
    toastHistory = () => toast.getHistory() as Toast[];
  } catch {
    // The plugin shows no toasts.
  }
  const { default: definition } = await load();
  return interpretPluginApp(definition, options);
}

/**
 * Renders the component of a registration with the props the window would give it. Hooks of the SDK see `options`.
 * Clean up as usual with Testing Library.
 */
export function renderSlot<Props extends object>(
  registration: Renderable<Props>,
  props: Props,
  options: RenderSlotOptions = {},
): RenderedSlot<Props> {
  installTestPluginRuntime();
  const mount = new Mount(options);
  const firstToast = toastHistory().length;
  const tree = (own: Props) => createElement(MountContext.Provider, { value: mount }, createElement(registration.component, own));
  const { rerender, unmount, ...result } = render(tree(props));
  const behavior: SlotBehavior = {
    emitRealtime: (channel, payload) => act(() => mount.emit(channel, payload)),
    setRealtimeConnectionState: (connection) => act(() => mount.update({ connection })),
    setComposerText: (text) => act(() => mount.updateComposer({ text })),
    setComposerScope: (scope) => act(() => mount.updateComposer({ scope })),
    setSettings: (values) => act(() => mount.update({ settings: { values: { ...values }, isLoading: false } })),
  };
  const lifecycle = {
    rerender: (next: Props) => rerender(tree(next)),
    unmount: () => {
      unmount();
      // What the mount set elsewhere ends with it.
      mount.updateComposer({ inputLocked: false, textEffect: null });
    },
  };
  return {
    ...result,
    ...lifecycle,
    behavior,
    inspection: inspectionOf(mount, firstToast),
    lifecycle,
    rpcCalls: mount.rpcCalls,
    emitRealtime: behavior.emitRealtime,
  };
}

function inspectionOf(mount: Mount, firstToast: number): SlotInspection {
  return {
    rpcCalls: mount.rpcCalls,
    navigateCalls: mount.navigateCalls,
    get toasts() {
      return toastHistory()
        .slice(firstToast)
        .map(({ type = "default", title, description }) => ({
          type,
          title,
          ...(description === undefined ? {} : { description }),
        }));
    },
    get composer() {
      const { text, mentions, attachmentCount, inputLocked, textEffect } = mount.state.composer;
      return {
        text,
        mentions,
        attachmentCount,
        focusCount: mount.focusCount,
        inputLocked,
        textEffect,
        textEffectCalls: mount.textEffectCalls,
        threadRowStatus: Object.fromEntries(threadRowStatuses),
      };
    },
  };
}

/**
 * Mounts the content scripts of an app, in registration order, and waits for them.
 *
 * Rejects, after ending all of them, when one fails to mount or takes longer than 10 s.
 */
export async function mountPluginContentScripts(
  app: Pick<LoadedPluginApp, "contentScripts">,
  { pluginId, generation = 1 }: { pluginId: string; generation?: number },
): Promise<MountedTestContentScripts> {
  const statuses: ThreadRowStatusCall[] = [];
  const failures: unknown[] = [];
  const scripts = mountContentScripts(app.contentScripts, {
    pluginId,
    generation,
    setThreadRowStatus: (scriptId, threadId, status) => {
      statuses.push({ scriptId, threadId, status });
      status === null ? threadRowStatuses.delete(threadId) : threadRowStatuses.set(threadId, status);
    },
    onFailure: (_scriptId, _phase, failure) => void failures.push(failure),
  });
  const rethrow = () => {
    if (failures.length > 0) {
      throw failures[0];
    }
  };
  const dispose = async () => {
    await scripts.dispose();
    rethrow();
  };
  await scripts.mounted;
  if (failures.length > 0) {
    await scripts.dispose();
    rethrow();
  }
  return { behavior: { setThreadRowStatuses: statuses }, lifecycle: { dispose } };
}
