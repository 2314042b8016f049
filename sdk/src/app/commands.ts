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

/** Where a command is: `isAvailable` gets it when the palette opens, `run` when the command starts. */
export interface PluginCommandContext {
  /** The thread on screen; null when the page shows none. */
  threadId: string | null;
  projectId: string | null;
  /** Opens a tab of the right panel. False when declined, as on a page without one; the reason is logged. */
  openPanel(options: OpenPanelOptions): boolean;
  /** As `useSvcNavigate()`: a command may lead to a page of its plugin, to a thread or to another site. */
  navigate: PluginCommandNavigate;
}

/** The members of `useSvcNavigate()` that need no mount: what a command may open. */
export type PluginCommandNavigate = Pick<PluginNavigate, "toThread" | "toProject" | "toPluginPanel" | "toCompose" | "openUrl">;

/** A row of the command palette, under the name of the plugin. */
export interface PluginCommand {
  /** Letters, digits, `-` and `_`; unique among the commands of the plugin. */
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
