import type { PluginFileSource } from "./slots/files.js";
import type { OpenPanelOptions } from "./slots/panel.js";

export interface PluginSvcContext {
  projectId: string | null;
  threadId: string | null;
}

export interface FileTarget {
  path: string;
  source?: PluginFileSource;
}

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
  experimental_openFilePreview(options: { target: FileTarget; location?: { line: number } }): boolean;
  experimental_openFileExternally(options: { target: FileTarget; location?: { line: number } }): boolean;
  /** Without effect: returns `false`. */
  experimental_openTerminal(...options: unknown[]): boolean;
}
