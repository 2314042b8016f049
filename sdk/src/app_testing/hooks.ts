import { createContext, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from "react";

import type * as facade from "../app/hooks.js";
import type { PluginNavigate } from "../app/navigation.js";
import { findJsonProblem } from "../json_problem.js";
import { composerOf, composerViewOf } from "./composer.js";
import type { Mount, MountState } from "./mount.js";
import { useRpcInfiniteQuery, useRpcQuery } from "./queries.js";

export const MountContext = createContext<Mount | null>(null);

/** The mount a hook works for; every hook starts here. */
export function useMount(hook: string): Mount {
  const mount = useContext(MountContext);
  if (mount === null) {
    throw new Error(`${hook} was called outside of a plugin mount: render the component with renderSlot`);
  }
  return mount;
}

export function useMountState(hook: string): MountState {
  const mount = useMount(hook);
  return useSyncExternalStore(mount.subscribe, () => mount.state);
}

function useRealtime(...[channel, handler]: Parameters<typeof facade.useRealtime>): void {
  const mount = useMount("useRealtime");
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => mount.listen(channel, (payload) => latest.current(payload)), [mount, channel]);
}

function openPanel(options: { params?: unknown }): boolean {
  const problem = options.params === undefined ? undefined : findJsonProblem(options.params, "$params");
  if (problem !== undefined) {
    console.warn(`the panel was not opened: ${problem}`);
  }
  return problem === undefined;
}

function navigateOf(mount: Mount): PluginNavigate & { experimental_openThreadPanel: PluginNavigate["openThreadPanel"] } {
  const record = (method: string, argument: Record<string, unknown>) => void mount.navigateCalls.push({ method, ...argument });
  const openThreadPanel: PluginNavigate["openThreadPanel"] = (options) => {
    record("openThreadPanel", { options });
    return openPanel(options);
  };
  return {
    toThread: (threadId) => record("toThread", { threadId }),
    toProject: (projectId) => record("toProject", { projectId }),
    toPluginPanel: (path, options) => record("toPluginPanel", { path, options }),
    toCompose: (options) => record("toCompose", { options }),
    openThreadPanel,
    openUrl: (url) => {
      record("openUrl", { url });
      return /^https?:/i.test(url);
    },
    experimental_openFilePreview: (options) => {
      record("experimental_openFilePreview", { options });
      return true;
    },
    experimental_openFileExternally: (options) => {
      record("experimental_openFileExternally", { options });
      return true;
    },
    experimental_openTerminal: () => false,
    experimental_openThreadPanel: (options) => {
      console.warn("useSvcNavigate().experimental_openThreadPanel is now openThreadPanel");
      return openThreadPanel(options);
    },
  };
}

/** `useSdk()`: the functions the test gave, by path; every other one rejects. */
function sdkOf(stubs: unknown, path: string[]): unknown {
  return new Proxy(() => undefined, {
    get: (_target, key) => {
      // A client is no promise, whoever awaits it.
      return typeof key === "symbol" || key === "then"
        ? undefined
        : sdkOf((stubs as Record<string, unknown> | undefined)?.[key], [...path, key]);
    },
    apply: (_target, _this, args: unknown[]) =>
      typeof stubs === "function"
        ? (stubs as (...args: unknown[]) => unknown)(...args)
        : Promise.reject(new Error(`svc.sdk.${path.join(".")} is not stubbed`)),
  });
}

function useComposerOf(hook: string): ReturnType<typeof facade.useComposer> {
  const mount = useMount(hook);
  const state = useMountState(hook);
  return useMemo(() => composerOf(mount, state), [mount, state]);
}

function sidebarActionsOf(mount: Mount): ReturnType<typeof facade.experimental_useSidebarThreadActions> {
  const record = (method: string, argument: Record<string, unknown>) => void mount.navigateCalls.push({ method, ...argument });
  const recorded = async (method: string, argument: Record<string, unknown>) => record(method, argument);
  return {
    open: (threadId, options) => record("open", { threadId, options }),
    openNewThread: (options) => record("openNewThread", { options }),
    rename: (threadId, title) => recorded("rename", { threadId, title }),
    setRead: (threadId, read) => recorded("setRead", { threadId, read }),
    setPinned: (threadId, pinned) => recorded("setPinned", { threadId, pinned }),
    archive: (threadId) => recorded("archive", { threadId }),
    unarchive: (threadId) => recorded("unarchive", { threadId }),
    requestDelete: (threadId) => recorded("requestDelete", { threadId }),
  };
}

function useOnce<T>(hook: string, make: (mount: Mount) => T): T {
  const mount = useMount(hook);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `make` is another function with every render, and makes the same
  return useMemo(() => make(mount), [mount]);
}

export const kHooks: typeof facade = {
  useRpc: (() => useMount("useRpc").rpc) as typeof facade.useRpc,
  useRealtime,
  useRealtimeConnectionState: () => useMountState("useRealtimeConnectionState").connection,
  useSettings: () => useMountState("useSettings").settings,
  useSvcContext: () => useMountState("useSvcContext").context,
  useSvcNavigate: () => useOnce("useSvcNavigate", navigateOf),
  useComposer: () => useComposerOf("useComposer"),
  useComposers: () => {
    const composer = useComposerOf("useComposers");
    return useMemo(() => [composer], [composer]);
  },
  useComposerView: () => {
    const state = useMountState("useComposerView");
    return useMemo(() => composerViewOf(state), [state]);
  },
  experimental_useRpcQuery: ((options) =>
    useRpcQuery(useMount("experimental_useRpcQuery"), options)) as typeof facade.experimental_useRpcQuery,
  experimental_useRpcInfiniteQuery: ((options) =>
    useRpcInfiniteQuery(
      useMount("experimental_useRpcInfiniteQuery"),
      options as Parameters<typeof useRpcInfiniteQuery>[1],
    )) as typeof facade.experimental_useRpcInfiniteQuery,
  useSdk: () => useOnce("useSdk", (mount) => sdkOf(mount.sdk, [])) as ReturnType<typeof facade.useSdk>,
  experimental_useAppPanel: () =>
    useOnce("experimental_useAppPanel", (mount) => ({
      open: (options) => {
        mount.navigateCalls.push({ method: "experimental_useAppPanel.open", options });
        return true;
      },
    })),
  experimental_useFixedTabTarget: () => {
    useMount("experimental_useFixedTabTarget");
    return { sequence: 0, target: null, clear: () => undefined };
  },
  useProviders: () => {
    useMount("useProviders");
    return [];
  },
  useCodeTheme: () => {
    useMount("useCodeTheme");
    return { name: "light", mode: "light" };
  },
  experimental_usePluginId: () => useMount("experimental_usePluginId").pluginId,
  experimental_useSidebarThreads: () => useMountState("experimental_useSidebarThreads").threads,
  experimental_useSidebarThreadActions: () => useOnce("experimental_useSidebarThreadActions", sidebarActionsOf),
  experimental_useSidebarThreadPullRequest: () => {
    useMount("experimental_useSidebarThreadPullRequest");
    return { isLoading: false, pullRequest: null };
  },
  experimental_useSidebarThreadSplit: () => {
    useMount("experimental_useSidebarThreadSplit");
    return { splitProps: {}, isAvailable: false, layout: null };
  },
  experimental_useBranches: () => ({ isLoading: false, data: [] }),
  useEnvironmentProviders: () => ({ isLoading: false, data: [] }),
  experimental_useQuestionFormHost: () => null,
};
