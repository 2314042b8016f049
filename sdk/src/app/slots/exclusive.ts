// Slots that one plugin fills at a time: its component takes the place of the window's own.
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";

interface ExclusiveRegistration<Props> {
  id: string;
  title: string;
  description?: string;
  component: ComponentType<Props>;
}

export interface PluginThreadListProps {
  activeThreadId: string | null;
  activeProjectId: string | null;
  isCompactViewport: boolean;
  /** Reserved: always `""`. */
  searchQuery: string;
  /** Call it after navigation, so that the drawer of a compact viewport closes. */
  onNavigate(): void;
  /** The built-in list, or the next candidate, with the same props. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

/** Exclusive: the first plugin in slot order replaces the list until the user pins another one. */
export interface ThreadListRegistration {
  id: string;
  title: string;
  description?: string;
  component: ComponentType<PluginThreadListProps>;
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
