import { reportPluginFailure } from "./failures";

const kBundleUrl = /\/api\/v1\/plugins\/([^/\s?#]+)\/assets\/app\.js/;

/** The plugin whose bundle is the nearest in a stack; null when none is. */
export function pluginOfStack(stack: string | undefined): string | null {
  const [, id] = kBundleUrl.exec(stack ?? "") ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}

/**
 * Records uncaught errors and rejections of plugin code outside of React, without disabling anything. Returns what ends that.
 */
export function watchUncaught(target: Window = window, report = reportPluginFailure): () => void {
  function record(failure: unknown, where = ""): void {
    const stack = (failure as { stack?: unknown } | null | undefined)?.stack;
    const pluginId = pluginOfStack(typeof stack === "string" ? stack : "") ?? pluginOfStack(where);
    if (pluginId !== null && (failure as { name?: unknown } | null)?.name !== "AbortError") {
      report(pluginId, "render", failure);
    }
  }
  const onError = (event: ErrorEvent) => record(event.error ?? event.message, event.filename);
  const onRejection = (event: PromiseRejectionEvent) => record(event.reason);
  target.addEventListener("error", onError);
  target.addEventListener("unhandledrejection", onRejection);
  return () => {
    target.removeEventListener("error", onError);
    target.removeEventListener("unhandledrejection", onRejection);
  };
}
