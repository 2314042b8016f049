// Tabs of the right panel, and what opens them.
import type { JsonValue } from "../../json.js";
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";

/** `"padded"` (default) puts the component into the usual margins, `"flush"` gives it the whole area. */
export type PluginPanelLayout = "padded" | "flush";

/** What opens a tab of the right panel. */
export interface OpenPanelOptions {
  /** Id of a `threadPanelAction` (or new-thread panel action) of this plugin. */
  actionId: string;
  title?: string;
  /** Kept with the tab. Equal `params` focus the tab that is open, others open another one. */
  params?: JsonValue;
}

export interface PluginThreadPanelProps {
  threadId: string;
  /** What `openPanel` was given; null when nothing. */
  params: JsonValue;
}

export interface ThreadPanelActionContext {
  threadId: string;
  /** False when declined: `params` that are not JSON, an unknown action, a surface without right panel. */
  openPanel(options?: Partial<OpenPanelOptions>): boolean;
}

export interface ThreadPanelActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  component: ComponentType<PluginThreadPanelProps>;
  layout?: PluginPanelLayout;
  /** Instead of opening a tab. A rejection becomes an error toast. */
  run?(context: ThreadPanelActionContext): void | Promise<void>;
}

export interface PluginNewThreadPanelProps {
  projectId: string | null;
  params: JsonValue;
}

export interface NewThreadPanelActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  component: ComponentType<PluginNewThreadPanelProps>;
  layout?: PluginPanelLayout;
  run?(context: { projectId: string | null; openPanel(options?: Partial<OpenPanelOptions>): boolean }): void | Promise<void>;
}

export interface PluginAppPanel {
  /** False when the surface has no right panel, the tab is unknown or its `validate` refuses the target. */
  open(options: { surface: { kind: "current" }; tab: { panelId: string; id: string }; target?: unknown }): boolean;
}

export interface PluginFixedTabTarget {
  /** Rises by one with each target. */
  sequence: number;
  target: unknown;
  clear(): void;
}
