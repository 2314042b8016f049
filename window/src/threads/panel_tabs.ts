/** Tabs beside a thread as the service keeps them, and as the window shows them. */
import type { JsonValue } from "#sdk/json.js";
import type { ThreadTab } from "#sdk/sdk_threads.js";

import { kOwnPanel, type PanelTab, panelTabId } from "@/plugins/right_panel";
import { kThreadFileAction } from "@/plugins/thread_file";

/** Kinds of tabs that the window brings itself, beside files. */
export const kChangesAction = "changes";
export const kTerminalAction = "terminal";

interface Beside {
  readonly threadId: string;
  readonly environmentId: string | null;
}

const tab = (pluginId: string, actionId: string, title: string | null, params: JsonValue): PanelTab => ({
  id: panelTabId(pluginId, actionId, params),
  pluginId,
  actionId,
  title,
  params,
});
const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const isText = (value: JsonValue | undefined): value is string => typeof value === "string" && value !== "";
const lineOf = (range: JsonValue | undefined): number | null => {
  const { startLineNumber } = (range ?? {}) as { startLineNumber?: unknown };
  return typeof startLineNumber === "number" ? startLineNumber : null;
};

function paramsOf(text: JsonValue | undefined): JsonValue {
  try {
    return isText(text) ? (JSON.parse(text) as JsonValue) : null;
  } catch {
    return null;
  }
}

/** Undefined for what the window does not show. */
export function shownTab(record: ThreadTab, { threadId, environmentId }: Beside): PanelTab | undefined {
  const { pluginId, actionId, title, paramsJson, path, source, lineRange, terminalId } = record;
  const file = (from: "workspace" | "thread-storage", at: string) =>
    tab(kOwnPanel, kThreadFileAction, nameOf(at), { threadId, source: from, path: at, lineNumber: lineOf(lineRange) });
  switch (record.kind) {
    case "plugin-panel":
      return isText(pluginId) && isText(actionId) && pluginId !== kOwnPanel
        ? tab(pluginId, actionId, isText(title) ? title : null, paramsOf(paramsJson))
        : undefined;
    case "git-diff":
      return environmentId === null ? undefined : tab(kOwnPanel, kChangesAction, "Changes", { environmentId });
    case "workspace-file-preview":
      return isText(path) && ((source ?? {}) as { kind?: unknown }).kind === "working-tree" ? file("workspace", path) : undefined;
    case "thread-storage-file-preview":
      return isText(path) ? file("thread-storage", path) : undefined;
    case "terminal":
      return isText(terminalId) ? tab(kOwnPanel, kTerminalAction, "Terminal", { terminalId }) : undefined;
    default:
      return undefined;
  }
}

/** Undefined for what the service has no kind for. */
export function recordOf({ id, pluginId, actionId, title, params }: PanelTab, { environmentId }: Beside): ThreadTab | undefined {
  if (pluginId !== kOwnPanel) {
    const paramsJson = params === null ? null : JSON.stringify(params);
    return { id, kind: "plugin-panel", pluginId, actionId, title: title ?? "", paramsJson };
  }
  const { source, path, lineNumber, terminalId } = (params ?? {}) as { [member: string]: JsonValue };
  const line = typeof lineNumber === "number" ? lineNumber : null;
  const lineRange = line === null ? null : { startLineNumber: line, endLineNumber: line };
  switch (actionId) {
    case kChangesAction:
      return { id, kind: "git-diff" };
    case kTerminalAction:
      return { id, kind: "terminal", terminalId: terminalId ?? null };
    case kThreadFileAction:
      return source === "thread-storage"
        ? { id, kind: "thread-storage-file-preview", path: path ?? null, lineRange, isPinned: false }
        : {
            id,
            kind: "workspace-file-preview",
            environmentId,
            projectId: null,
            path: path ?? null,
            source: { kind: "working-tree" },
            statusLabel: null,
            lineRange,
          };
    default:
      return undefined;
  }
}
