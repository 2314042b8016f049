// Slots that one plugin fills at a time: its component takes the place of the window's own.
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";

interface ExclusiveRegistration<Props> {
  id: string;
  title: string;
  description?: string;
  component: ComponentType<Props>;
}

/** Props of the component that takes the place of the thread list. The threads come from `experimental_useSidebarThreads()`. */
export interface PluginThreadListProps {
  /** The thread of the page on screen; null on other pages. */
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

/** A row above the thread list, of the window or of a plugin's page. */
export interface PluginSidebarNavigationItem {
  id: string;
  label: string;
  icon: PluginIconName;
}

/** Props of the component that takes the place of the rows above the thread list. */
export interface PluginSidebarNavigationProps {
  isCompactViewport: boolean;
  items: readonly PluginSidebarNavigationItem[];
  /** The row of the page on screen; null when it has none. */
  activeItemId: string | null;
  /** Does what a press on the row does. */
  experimental_activate(id: string, options?: { openInSplit?: boolean }): void;
  /** The built-in rows, or the next candidate, with the same props. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

/** Exclusive: takes the place of the rows above the thread list until the user pins another one. */
export type SidebarNavigationRegistration = ExclusiveRegistration<PluginSidebarNavigationProps>;

/** Props of the component that takes the place of the sidebar's header. It is clipped to the row. */
export interface PluginSidebarHeaderProps {
  /** Pixels that the header has. */
  width: number;
  /** Pixels of the window's own controls in this row. */
  controlSize: number;
  isCompactViewport: boolean;
}

/** Exclusive: takes the place of the sidebar's header until the user pins another one. */
export type SidebarHeaderRegistration = ExclusiveRegistration<PluginSidebarHeaderProps>;

/** Props of the component that shows source code. */
export interface PluginSourceCodeRendererProps {
  content: string;
  /** Decides the language; null when it is not known. */
  path: string | null;
  overflow: "scroll" | "wrap";
  /** Lines count from 1; `end` is included. */
  highlightedLines: { start: number; end: number } | null;
  /** The built-in view, or the next candidate, with the same props. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

/** Exclusive: shows source code in place of the window's own view until the user pins another one. */
export type SourceCodeRendererRegistration = ExclusiveRegistration<PluginSourceCodeRendererProps>;

/** Props of the component that shows a diff. */
export interface PluginDiffRendererProps {
  /** A unified diff of one file. */
  patch: string;
  /** Decides the language; null when it is not known. */
  path: string | null;
  view: "unified" | "split";
  overflow: "scroll" | "wrap";
  showLineNumbers: boolean;
  /** The new file as a whole; null when it is not at hand. */
  experimental_fullFileContents: string | null;
  /** The built-in view, or the next candidate, with the same props. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

/** Exclusive: shows diffs in place of the window's own view until the user pins another one. */
export type DiffRendererRegistration = ExclusiveRegistration<PluginDiffRendererProps>;
