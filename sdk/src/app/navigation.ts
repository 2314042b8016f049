import type { PluginFileSource } from "./slots/files.js";
import type { OpenPanelOptions } from "./slots/panel.js";

/** Where a component is mounted, as `useSvcContext()` tells it; null: the place has none. */
export interface PluginSvcContext {
  projectId: string | null;
  threadId: string | null;
}

/** A file that the window is asked to show. */
export interface FileTarget {
  /** Absolute for a file of a machine, else relative to what `source` names. */
  path: string;
  /** Default: a file of the server's machine. */
  source?: PluginFileSource;
}

/** Ways out of a component, as `useSvcNavigate()` returns them. Those that answer false have opened nothing. */
export interface PluginNavigate {
  toThread(threadId: string): void;
  toProject(projectId: string): void;
  /** `path` is that of a `navPanel` of this plugin. */
  toPluginPanel(path: string, options?: { subPath?: string; replace?: boolean }): void;
  /** Opens the new-thread page. */
  toCompose(options?: { initialPrompt?: string; focusPrompt?: boolean }): void;
  /** False when declined; the reason is logged. */
  openThreadPanel(options: OpenPanelOptions): boolean;
  /** `http:` and `https:` only; false otherwise. */
  openUrl(url: string): boolean;
  /** `line` counts from 1. False when declined, such as a file of a thread that is not on screen; the reason is logged. */
  experimental_openFilePreview(options: { target: FileTarget; location?: { line: number } }): boolean;
  /** A browser opens no programs: always false in one. */
  experimental_openFileExternally(options: { target: FileTarget; location?: { line: number } }): boolean;
  /** Without effect: returns `false`. */
  experimental_openTerminal(...options: unknown[]): boolean;
}
