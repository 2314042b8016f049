import type { ThreadOpenRequest } from "@/api/realtime";
import { kOwnPanel, type PanelSurface } from "./right_panel";

/** The kind of tabs that show a file of a thread. */
export const kThreadFileAction = "thread-file";

/** A file of where a thread works, or of its own folder; the path is below that, or absolute. */
export type ThreadFile = NonNullable<ThreadOpenRequest["file"]>;

/** Shows a file in a tab beside its thread. False when the page has no such panel. */
export function openThreadFile(surface: PanelSurface, threadId: string, { source, path, lineNumber }: ThreadFile): boolean {
  const title = path.slice(path.lastIndexOf("/") + 1);
  return (
    title !== "" &&
    surface.open({ pluginId: kOwnPanel, actionId: kThreadFileAction, title, params: { threadId, source, path, lineNumber } })
  );
}
