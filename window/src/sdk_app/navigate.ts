import type { PluginCommandNavigate } from "#sdk/app/commands.js";
import type { FileTarget, PluginNavigate } from "#sdk/app/navigation.js";
import type { OpenPanelOptions } from "#sdk/app/slots/panel.js";
import { findJsonProblem } from "#sdk/json_problem.js";

import type { PluginMount } from "@/plugins/mount_context";
import { type ActivePlugin, addPluginUnsupported } from "@/plugins/registry";
import { navigation, routeContextNow } from "@/lib/navigation";
import { currentPanelSurface } from "@/plugins/right_panel";
import { kSplitInstance, split } from "@/plugins/split";
import { openThreadFile } from "@/plugins/thread_file";
import type { MountNow } from "./mount";

/** Says in the console why something was not opened: a decline is no error of the caller's code. */
export function decline({ plugin }: { plugin: ActivePlugin }, what: string, why: string): false {
  console.warn(`[plugin ${plugin.pluginId}] ${what} was declined: ${why}`);
  return false;
}

/** The address as the browser understands it; null when it is not one of the web. */
export function webUrl(address: unknown): string | null {
  if (typeof address !== "string") {
    return null;
  }
  try {
    const { protocol, href } = new URL(address);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}

function openThreadPanel(mount: PluginMount, options: OpenPanelOptions): boolean {
  const what = "openThreadPanel";
  if (typeof options !== "object" || options === null || typeof options.actionId !== "string") {
    return decline(mount, what, "it needs { actionId }");
  }
  const { actionId, title, params = null } = options;
  const problem = findJsonProblem(params, "$params");
  if (problem !== undefined) {
    return decline(mount, what, problem);
  }
  const panel = mount.surface?.panel ?? currentPanelSurface();
  if (panel === null) {
    return decline(mount, what, "this page has no right panel");
  }
  return panel.open({ pluginId: mount.plugin.pluginId, actionId, params, ...(title === undefined ? {} : { title }) });
}

/** Files of machines have a page, those of threads a tab beside their thread; where there is none, they are declined. */
function openFilePreview(mount: PluginMount, options: { target: FileTarget; location?: { line: number } }): boolean {
  const what = "experimental_openFilePreview";
  const { target, location } = options ?? {};
  const path = target?.path;
  const kind = target?.source?.kind ?? "host";
  if (typeof path !== "string" || path.endsWith("/") || (kind === "host" && !path.startsWith("/"))) {
    return decline(mount, what, `it needs the ${kind === "host" ? "absolute " : ""}path of a file, not ${String(path)}`);
  }
  if (kind !== "host") {
    return openFileOfThread(mount, what, { ...target!, path, source: { ...target!.source!, kind } }, location?.line);
  }
  const at = path.lastIndexOf("/");
  navigation.toFiles({
    hostId: target?.source?.experimental_hostId,
    folder: path.slice(0, at) || "/",
    file: path.slice(at + 1),
    line: location?.line,
  });
  return true;
}

function openFileOfThread(mount: PluginMount, what: string, { path, source }: Required<FileTarget>, line: number | undefined): boolean {
  const panel = mount.surface?.panel ?? currentPanelSurface();
  const shown = mount.surface?.threadId ?? routeContextNow().threadId;
  if (panel?.kind !== "threadPanelActions" || shown === null || (source.threadId !== null && source.threadId !== shown)) {
    return decline(mount, what, `no panel beside the thread of ${path} is on screen`);
  }
  const kind = source.kind === "thread-storage" ? "thread-storage" : "workspace";
  return openThreadFile(panel, shown, { source: kind, path, lineNumber: line ?? null });
}

function openFileExternally(mount: PluginMount, { target }: { target: FileTarget }): boolean {
  return decline(mount, "experimental_openFileExternally", `a browser opens no programs (${String(target?.path)})`);
}

/** A page in the split moves in the split; the address is that of the page beside it. */
function toPluginPanel({ plugin, slot, instanceId }: PluginMount, path: string, options: { subPath?: string; replace?: boolean }): void {
  if (instanceId === kSplitInstance && slot.startsWith("navPanel")) {
    split.show(plugin.pluginId, path, options.subPath);
  } else {
    navigation.toPluginPanel(plugin.pluginId, path, options);
  }
}

function openUrl(by: { plugin: ActivePlugin }, address: unknown): boolean {
  const href = webUrl(address);
  if (href === null) {
    return decline(by, "openUrl", `${String(address)} is no http: or https: address`);
  }
  window.open(href, "_blank", "noopener,noreferrer");
  return true;
}

/** `context.navigate` of a command, which runs in no mount. */
export function commandNavigateOf(plugin: ActivePlugin): PluginCommandNavigate {
  return Object.freeze({
    toThread: (threadId) => navigation.toThread(String(threadId)),
    toProject: (projectId) => navigation.toProject(String(projectId)),
    toPluginPanel: (path, options) => navigation.toPluginPanel(plugin.pluginId, String(path), options ?? {}),
    toCompose: (options) => navigation.toCompose(options ?? {}),
    openUrl: (address) => openUrl({ plugin }, address),
  } satisfies PluginCommandNavigate);
}

let warnedOfOldName = false;

/** `useSvcNavigate()` of one mount. */
export function navigateOf(now: MountNow): PluginNavigate & { experimental_openThreadPanel: PluginNavigate["openThreadPanel"] } {
  return Object.freeze({
    toThread: (threadId: string) => navigation.toThread(String(threadId)),
    toProject: (projectId: string) => navigation.toProject(String(projectId)),
    toPluginPanel: (path, options) => toPluginPanel(now(), String(path), options ?? {}),
    toCompose: (options) => navigation.toCompose(options ?? {}),
    openThreadPanel: (options) => openThreadPanel(now(), options),
    openUrl: (address) => openUrl(now(), address),
    experimental_openFilePreview: (options) => openFilePreview(now(), options),
    experimental_openFileExternally: (options) => openFileExternally(now(), options),
    experimental_openTerminal: () => {
      addPluginUnsupported(now().plugin.pluginId, "useSvcNavigate().experimental_openTerminal");
      return false;
    },
    experimental_openThreadPanel: (options) => {
      if (!warnedOfOldName) {
        warnedOfOldName = true;
        console.warn("useSvcNavigate().experimental_openThreadPanel is now openThreadPanel");
      }
      return openThreadPanel(now(), options);
    },
  } satisfies PluginNavigate & { experimental_openThreadPanel: PluginNavigate["openThreadPanel"] });
}
