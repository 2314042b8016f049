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

/** Props of a tab of the right panel beside a thread. */
export interface PluginThreadPanelProps {
  threadId: string;
  /** What `openPanel` was given; null when nothing. */
  params: JsonValue;
}

/** What `run` of a thread's panel action gets. */
export interface ThreadPanelActionContext {
  threadId: string;
  /** False when declined: `params` that are not JSON, an unknown action, a surface without right panel. */
  openPanel(options?: Partial<OpenPanelOptions>): boolean;
}

/** A row of the right panel's launcher and the tab it opens, as `slots.threadPanelAction` takes it. */
export interface ThreadPanelActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  component: ComponentType<PluginThreadPanelProps>;
  layout?: PluginPanelLayout;
  /** Instead of opening a tab. A rejection becomes an error toast. */
  run?(context: ThreadPanelActionContext): void | Promise<void>;
}

/** Props of a tab of the right panel beside the new-thread page. */
export interface PluginNewThreadPanelProps {
  projectId: string | null;
  /** What `openPanel` was given; null when nothing. */
  params: JsonValue;
}

/** A row of the right panel's launcher on the new-thread page, as `slots.experimental_newThreadPanelAction` takes it. */
export interface NewThreadPanelActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  component: ComponentType<PluginNewThreadPanelProps>;
  layout?: PluginPanelLayout;
  /** Instead of opening a tab. A rejection becomes an error toast. */
  run?(context: { projectId: string | null; openPanel(options?: Partial<OpenPanelOptions>): boolean }): void | Promise<void>;
}

/** What `experimental_useAppPanel()` returns: it opens fixed tabs of the plugin's page. */
export interface PluginAppPanel {
  /** False when the surface has no right panel, the tab is unknown or its `validate` refuses the target. */
  open(options: { surface: { kind: "current" }; tab: { panelId: string; id: string }; target?: unknown }): boolean;
}

/** What `experimental_useFixedTabTarget()` returns: what the tab is to show. */
export interface PluginFixedTabTarget {
  /** Rises by one with each target. */
  sequence: number;
  /** Null while the tab was handed none. */
  target: unknown;
  /** Forgets the target. */
  clear(): void;
}
