import { QueryObserver } from "@tanstack/react-query";

import { pluginsQuery, queryClient } from "@/api/queries";
import { realtime } from "@/api/realtime";
import { routerBasename } from "@/lib/address";
import { navigation } from "@/lib/navigation";
import { notify } from "@/lib/notifications";

import { watchUncaught } from "./attribution";
import { exposeDiagnostics } from "./diagnostics";
import { domGuard } from "./dom_guard";
import { reportPluginFailure } from "./failures";
import { ImportPool } from "./import_pool";
import { PluginHost, type FailedBundle, type PluginHostDeps } from "./plugin_host";
import { watchPortals } from "./portals";
import { Reconciler, watchPageLife } from "./reconcile";
import { styleSheets } from "./styles";
import { setThreadRowStatus } from "./thread_rows";
import { tellOnce } from "./told";

/** The plugin whose page or management page is shown. */
function routePluginId(): string | null {
  const base = routerBasename();
  const path = location.pathname.slice(base === "/" ? 0 : base.length);
  const [, id] = /^\/plugins\/([^/]+)/.exec(path) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}

function notifyFailure(failed: FailedBundle): void {
  const { pluginId, name, message, isStale } = failed;
  tellOnce(failed, () =>
    notify({
      kind: "error",
      title: isStale ? `The new version of ${name} could not be loaded` : `${name} could not be loaded`,
      description: isStale ? `${message}. The previous version stays in use.` : message,
      pluginId,
      action: { label: "Details", run: () => navigation.toPluginDetail(pluginId) },
    }),
  );
}

/** Ends without a failure when the signal aborts: the caller asks the signal. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function probe(address: string): Promise<{ status: number; contentType: string }> {
  try {
    const response = await fetch(address, { cache: "no-cache" });
    void response.body?.cancel();
    return { status: response.status, contentType: response.headers.get("content-type") ?? "" };
  } catch {
    return { status: 0, contentType: "" };
  }
}

/** What bundles find at run time, which knows more of the window than this folder may. */
export type RuntimePort = Pick<PluginHostDeps, "installRuntime" | "loadLazySlots">;

let runtime: RuntimePort | undefined;

function runtimeNow(): RuntimePort {
  if (runtime === undefined) {
    throw new Error("startPlugins was not called");
  }
  return runtime;
}

const pool = new ImportPool(routePluginId);

const reconciler = new Reconciler(() => queryClient.fetchQuery({ ...pluginsQuery, staleTime: 0 }));

const host: PluginHost = new PluginHost({
  pool,
  styleSheets,
  scriptHolds: [(pluginId) => styleSheets.hold(pluginId), (pluginId) => domGuard.guard(pluginId)],
  setThreadRowStatus,
  importModule: (address) => import(/* @vite-ignore */ address) as Promise<{ default?: unknown }>,
  probe,
  sleep,
  installRuntime: () => runtimeNow().installRuntime(),
  loadLazySlots: (names) => runtimeNow().loadLazySlots(names),
  urgentPluginId: routePluginId,
  notifyFailure,
  refresh: () => reconciler.trigger(),
});

/**
 * Starts loading and replacing the app entries of plugins. The records follow the server through `followServer`. Returns what
 * stops it and takes the entries out of use.
 */
export function startPlugins(port: RuntimePort): () => void {
  runtime = port;
  exposeDiagnostics();
  styleSheets.onFailure = (pluginId, address) =>
    reportPluginFailure(pluginId, "load", new Error(`the stylesheet ${address} could not be loaded`));
  const records = new QueryObserver(queryClient, pluginsQuery);
  let applied: { data: unknown; at: number } = { data: undefined, at: 0 };
  const removers = [
    watchUncaught(),
    watchPortals((pluginId) => styleSheets.hold(pluginId)),
    watchPageLife(reconciler.trigger, () => host.disposeAll()),
    realtime.onPluginsChanged((plugins) => reconciler.onPluginsChanged(plugins)),
    realtime.onConnected(() => {
      host.forgetTemporaryFailures();
      reconciler.trigger();
    }),
    records.subscribe(({ data, dataUpdatedAt: at }) => {
      if (data !== undefined && (data !== applied.data || at !== applied.at)) {
        applied = { data, at };
        reconciler.noteApplied(data);
        host.apply(data);
      }
    }),
  ];
  reconciler.trigger();
  return () => {
    reconciler.trigger.cancel();
    removers.forEach((remove) => remove());
    host.disposeAll();
  };
}

/** Tries the bundle of a plugin that failed again. Resolves when it is known how that ended; the diagnostics tell. */
export function retryPlugin(pluginId: string): Promise<void> {
  return host.retry(pluginId);
}
