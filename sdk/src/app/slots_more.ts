import type { ComponentType } from "react";

import type { JsonValue } from "../json.js";
import type { OpenPanelOptions, PluginIconName, PluginNavPanelProps, PluginPanelLayout } from "./slots.js";

/** A registration that this service accepts and does nothing with; the plugin's diagnostics list it as unsupported. */
export type UnsupportedRegistration = { id?: string; [key: string]: unknown };

export interface FixedTabRegistration {
  /** The id of the panel that holds the tab; older entries leave it out. */
  panelId?: string;
  id: string;
  title: string;
  icon: PluginIconName;
  component: ComponentType<PluginNavPanelProps>;
  layout?: PluginPanelLayout;
  /** Guards the targets that `experimental_useAppPanel().open` hands over. They live in memory only. */
  experimental_target?: { validate(value: unknown): boolean };
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

/** Where a file lies. */
export interface PluginFileSource {
  kind: "workspace" | "host" | "thread-storage";
  threadId: string | null;
  environmentId: string | null;
  projectId: string | null;
  experimental_hostId?: string;
}

export interface PluginFileOpenerProps {
  path: string;
  source: PluginFileSource;
  /** Lines count from 1; `end` is included. */
  experimental_lineRange?: { start: number; end: number };
  /** The built-in view of the file. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

export interface FileOpenerRegistration {
  id: string;
  title: string;
  /** At least one, lower-case letters and digits, without the dot. */
  extensions: readonly string[];
  component: ComponentType<PluginFileOpenerProps>;
}

interface ExclusiveRegistration<Props> {
  id: string;
  title: string;
  description?: string;
  component: ComponentType<Props>;
}

export interface PluginSidebarNavigationItem {
  id: string;
  label: string;
  icon: PluginIconName;
}

export interface PluginSidebarNavigationProps {
  isCompactViewport: boolean;
  items: readonly PluginSidebarNavigationItem[];
  activeItemId: string | null;
  experimental_activate(id: string, options?: { openInSplit?: boolean }): void;
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}
export type SidebarNavigationRegistration = ExclusiveRegistration<PluginSidebarNavigationProps>;

export interface PluginSidebarHeaderProps {
  /** Pixels. */
  width: number;
  /** Pixels. */
  controlSize: number;
  isCompactViewport: boolean;
}
export type SidebarHeaderRegistration = ExclusiveRegistration<PluginSidebarHeaderProps>;

export interface PluginSourceCodeRendererProps {
  content: string;
  path: string | null;
  overflow: "scroll" | "wrap";
  /** Lines count from 1; `end` is included. */
  highlightedLines: { start: number; end: number } | null;
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}
export type SourceCodeRendererRegistration = ExclusiveRegistration<PluginSourceCodeRendererProps>;

export interface PluginDiffRendererProps {
  /** A unified diff of one file. */
  patch: string;
  path: string | null;
  view: "unified" | "split";
  overflow: "scroll" | "wrap";
  showLineNumbers: boolean;
  experimental_fullFileContents: string | null;
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}
export type DiffRendererRegistration = ExclusiveRegistration<PluginDiffRendererProps>;

export interface PluginTimelineRendererProps {
  row: { id: string; kind: string; [key: string]: JsonValue };
  payload: JsonValue;
  presentation: { [key: string]: JsonValue } | null;
  thread: { id: string; projectId: string | null };
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

export interface TimelineRendererRegistration {
  /** `tool`, or `<pluginId>/<name>` with the plugin's own id. */
  kind: string;
  /** The body of the row; its header stays the window's. */
  component: ComponentType<PluginTimelineRendererProps>;
}

export interface ProviderIconRegistration {
  providerId: string;
  icon: ComponentType<{ className?: string }>;
  /** Default `agent`. */
  providerKind?: "agent" | "machine" | "environment";
}

export interface AppOverlayRegistration {
  id: string;
  component: ComponentType;
}

export interface PluginIconRegistration {
  name: string;
  component: ComponentType<{ className?: string }>;
}

export interface SidebarFooterDisclosureProps {
  dismiss(): void;
}

export type SidebarFooterRegistration =
  | {
      kind: "action";
      id: string;
      label: string;
      icon: PluginIconName;
      onActivate(context: { openPluginDetails(): void }): void | Promise<void>;
    }
  | {
      kind: "disclosure";
      id: string;
      label: string;
      icon: PluginIconName;
      component: ComponentType<SidebarFooterDisclosureProps>;
    };

/** A disclosure of the sidebar footer. At most one is open per window. */
export interface PluginSidebarDisclosure {
  open(): void;
  close(): void;
  toggle(): void;
}
