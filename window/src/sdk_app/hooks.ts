import { useEffect, useRef } from "react";

import type * as facade from "#sdk/app/hooks.js";

import { realtime, useConnectionState } from "@/api/realtime";
import { addPluginUnsupported } from "@/plugins/registry";
import { useCodeTheme } from "@/lib/theme";
import { appPanelOf, useFixedTabTarget } from "./app_panel";
import { useComposer, useComposers, useComposerView } from "./composer_hooks";
import { useMount, useOfMount, usePlace } from "./mount";
import { navigateOf } from "./navigate";
import { rpcClientOf } from "./rpc";
import { useRpcInfiniteQuery, useRpcQuery } from "./rpc_queries";
import { sdkClientOf } from "./sdk_client";
import { useSettings } from "./settings";
import { kThreadActions } from "./thread_actions";
import { useThreadPullRequest, useThreadSplit } from "./thread_split";
import { useProviderList, useThreadLists } from "./threads_data";

function useRealtime(...[channel, handler]: Parameters<typeof facade.useRealtime>): void {
  const { pluginId } = useMount("useRealtime").plugin;
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(
    () =>
      realtime.onSignal(pluginId, channel, (payload) => {
        try {
          latest.current(payload);
        } catch (failure) {
          console.error(`[plugin ${pluginId}] the handler of the realtime channel "${channel}" threw`, failure);
        }
      }),
    [pluginId, channel],
  );
}

const kNoList = Object.freeze({ isLoading: false, data: [] as never[] });

/** A hook whose result does not depend on anything; like the others it works in a mount only. */
function constantHook<T>(hook: string, value: T): () => T {
  return () => {
    useMount(hook);
    return value;
  };
}

/** Known by name only: what it returns is empty, and the diagnostics list it. */
function unsupportedHook<T>(hook: string, value: T): () => T {
  return () => {
    const { pluginId } = useMount(hook).plugin;
    useEffect(() => addPluginUnsupported(pluginId, hook), [pluginId]);
    return value;
  };
}

/** The hooks of `@get-svc/plugin-sdk/app`, as the window implements them. */
export const kHooks: typeof facade = {
  useRpc: (() => rpcClientOf(useMount("useRpc").plugin.pluginId)) as typeof facade.useRpc,
  useRealtime,
  useRealtimeConnectionState: () => {
    useMount("useRealtimeConnectionState");
    return useConnectionState();
  },
  useSettings,
  useSvcContext: () => usePlace(useMount("useSvcContext")),
  useSvcNavigate: () => useOfMount("useSvcNavigate", navigateOf),
  useComposer,
  useComposers,
  useComposerView,
  experimental_useRpcQuery: useRpcQuery as typeof facade.experimental_useRpcQuery,
  experimental_useRpcInfiniteQuery: useRpcInfiniteQuery as typeof facade.experimental_useRpcInfiniteQuery,
  useSdk: () => sdkClientOf(useMount("useSdk").plugin.pluginId),
  experimental_useAppPanel: () => useOfMount("experimental_useAppPanel", appPanelOf),
  experimental_useFixedTabTarget: useFixedTabTarget,
  useProviders: () => {
    useMount("useProviders");
    return useProviderList();
  },
  useCodeTheme: () => {
    useMount("useCodeTheme");
    return useCodeTheme();
  },
  experimental_usePluginId: () => useMount("experimental_usePluginId").plugin.pluginId,
  experimental_useSidebarThreads: () => {
    useMount("experimental_useSidebarThreads");
    return useThreadLists();
  },
  experimental_useSidebarThreadActions: constantHook("experimental_useSidebarThreadActions", kThreadActions),
  experimental_useSidebarThreadPullRequest: useThreadPullRequest,
  experimental_useSidebarThreadSplit: useThreadSplit,
  experimental_useBranches: unsupportedHook("experimental_useBranches", kNoList),
  useEnvironmentProviders: unsupportedHook("useEnvironmentProviders", kNoList),
  experimental_useQuestionFormHost: unsupportedHook("experimental_useQuestionFormHost", null),
};
