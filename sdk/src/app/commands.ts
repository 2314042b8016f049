import type { PluginNavigate } from "./navigation.js";
import type { OpenPanelOptions } from "./slots/panel.js";

/** A key with modifiers. `mod` is Command on a Mac and Control elsewhere. */
export interface PluginShortcut {
  /** As `KeyboardEvent.key`, for example `k` or `Enter`. Keyboards that write no Latin letters are matched by the place of the key. */
  key: string;
  mod?: boolean;
  meta?: boolean;
  control?: boolean;
  alt?: boolean;
  shift?: boolean;
}

export interface PluginCommandContext {
  threadId: string | null;
  projectId: string | null;
  openPanel(options: OpenPanelOptions): boolean;
  /** As `useSvcNavigate()`: a command may lead to a page of its plugin, to a thread or to another site. */
  navigate: PluginCommandNavigate;
}

export type PluginCommandNavigate = Pick<PluginNavigate, "toThread" | "toProject" | "toPluginPanel" | "toCompose" | "openUrl">;

export interface PluginCommand {
  id: string;
  /** The text of the palette row. */
  title: string;
  /** Synchronous and cheap; false or a throw hides the row. */
  isAvailable?(context: PluginCommandContext): boolean;
  /** Starts after the palette closed and focus returned. A rejection becomes an error toast. */
  run(context: PluginCommandContext): void | Promise<void>;
  /** Stays unbound when the window or another plugin has it. */
  defaultShortcut?: PluginShortcut;
}
