import type { ComponentType } from "react";

import type { JsonValue } from "../json.js";
import type { Composer } from "./composer.js";
import type {
  AppOverlayRegistration,
  DiffRendererRegistration,
  FileOpenerRegistration,
  FixedTabRegistration,
  NewThreadPanelActionRegistration,
  ProviderIconRegistration,
  SidebarHeaderRegistration,
  SidebarNavigationRegistration,
  SourceCodeRendererRegistration,
  TimelineRendererRegistration,
  UnsupportedRegistration,
} from "./slots_more.js";

/**
 * Name of an icon: a lucide name (`ListTodo` or `list-todo`), a name registered through `experimental_icons`, or
 * `<pluginId>/<declared icon>`. An unknown name shows the generic plugin icon.
 */
export type PluginIconName = string;

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

export interface PluginNavPanelProps {
  /** What follows the panel's path, without a leading slash; `""` at the root. */
  subPath: string;
}

export interface NavPanelRegistration {
  id: string;
  /** Text of the sidebar row and of the title bar. */
  title: string;
  icon: PluginIconName;
  /** The page is `/plugins/<id>/<path>/*`. Letters, digits, `-` and `_`; unique in the plugin. */
  path: string;
  component: ComponentType<PluginNavPanelProps>;
  /** At the right of the shared title bar. */
  headerContent?: ComponentType<PluginNavPanelProps>;
  /** In the sidebar row: one line, at most 4 × 1.25 rem. Not mounted on compact viewports. */
  experimental_sidebarAccessory?: ComponentType;
  /** Tabs of the right panel that cannot be closed, in order. The first one opens on the first wide visit. */
  fixedTabs?: readonly FixedTabRegistration[];
}

export interface PluginHomepageSectionProps {
  projectId: string | null;
}

export interface HomepageSectionRegistration {
  id: string;
  title: string;
  component: ComponentType<PluginHomepageSectionProps>;
}

export type PluginSettingsSectionProps = {};

export interface SettingsSectionRegistration {
  id: string;
  title?: string;
  /** Needs `title`. */
  description?: string;
  component: ComponentType<PluginSettingsSectionProps>;
  /** Accepted, without effect. */
  experimental_page?: unknown;
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

export interface PluginThreadHeaderActionProps {
  threadId: string;
  projectId: string;
  isCompactViewport: boolean;
}

export interface ThreadHeaderActionRegistration {
  id: string;
  title: string;
  /** The row is 48 px high, controls 28 px. One mount per visible pane. */
  component: ComponentType<PluginThreadHeaderActionProps>;
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

export interface PluginPendingInteractionProps {
  interaction: {
    id: string;
    threadId: string;
    title: string;
    /** What the server entry passed; at most 64 KiB as JSON. */
    payload: JsonValue;
    /** Epoch milliseconds. */
    createdAt: number;
    expiresAt: number | null;
  };
  /** Answers; at most 64 KiB as JSON. Rejects when it could not be delivered. */
  submit(value: JsonValue): Promise<void>;
  cancel(): Promise<void>;
}

export interface PendingInteractionRegistration {
  /** The `rendererId` that the server entry passes to `svc.ui.requestInput`. */
  id: string;
  component: ComponentType<PluginPendingInteractionProps>;
}

export interface PluginMessageDirectiveProps {
  /** Written by the agent: untrusted. */
  attributes: Record<string, string>;
  /** The directive as it stands in the message. */
  source: string;
  message: { id: string; threadId: string; turnId: string | null; projectId: string | null };
  /** Null where no workspace is at hand. */
  openWorkspaceFile: ((path: string) => boolean) | null;
}

export interface MessageDirectiveRegistration {
  /** Lower-case words joined by `-`. Renders `::<id>{key="value"}` of assistant messages. */
  id: string;
  component: ComponentType<PluginMessageDirectiveProps>;
}

export interface PluginMessageActionContext {
  threadId: string;
  message: {
    id: string;
    threadId: string;
    role: "user" | "assistant";
    text: string;
    /** Last event of the thread that the message holds. */
    sourceSeqEnd: number;
  };
  /** Only when the action was chosen for a selection. */
  selectedText?: string;
  openPanel(options: OpenPanelOptions): boolean;
  composer: Composer;
}

export interface MessageActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  /** A rejection becomes an error toast. */
  run(context: PluginMessageActionContext): void | Promise<void>;
}

export interface SidebarFooterActionRegistration {
  /** Shares its ids with `experimental_sidebarFooter`. */
  id: string;
  title: string;
  icon: PluginIconName;
  run(context: { openSettings(): void }): void | Promise<void>;
}

/** Places of the window. Each mount has its own error boundary. */
export interface PluginAppSlots {
  /** A sidebar row and a page of its own. */
  navPanel(registration: NavPanelRegistration): void;
  /** A section of the new-thread page. */
  homepageSection(registration: HomepageSectionRegistration): void;
  /** Below the generated form of the plugin's settings page. */
  settingsSection(registration: SettingsSectionRegistration): void;
  /** A row of the right panel's launcher in a thread, and the tab it opens. */
  threadPanelAction(registration: ThreadPanelActionRegistration): void;
  /** The left end of a thread's header row. */
  experimental_threadHeaderAction(registration: ThreadHeaderActionRegistration): void;
  experimental_threadList(registration: ThreadListRegistration): void;
  /** Shows what `svc.ui.requestInput` asks, in place of the composer. */
  pendingInteraction(registration: PendingInteractionRegistration): void;
  messageDirective(registration: MessageDirectiveRegistration): void;
  /** An icon in the bar of a message, and an entry of its text selection menu. */
  messageAction(registration: MessageActionRegistration): void;
  sidebarFooterAction(registration: SidebarFooterActionRegistration): void;

  /** As `threadPanelAction`, on the new-thread page. */
  experimental_newThreadPanelAction(registration: NewThreadPanelActionRegistration): void;
  fileOpener(registration: FileOpenerRegistration): void;
  /** Exclusive. */
  experimental_sidebarNavigation(registration: SidebarNavigationRegistration): void;
  /** Exclusive. */
  experimental_sidebarHeader(registration: SidebarHeaderRegistration): void;
  /** Exclusive. */
  experimental_sourceCodeRenderer(registration: SourceCodeRendererRegistration): void;
  /** Exclusive. */
  experimental_diffRenderer(registration: DiffRendererRegistration): void;
  experimental_timelineRenderer(registration: TimelineRendererRegistration): void;
  experimental_providerIcon(registration: ProviderIconRegistration): void;
  /** Once per window, outside of every layout region. */
  experimental_appOverlay(registration: AppOverlayRegistration): void;

  /** Accepted, without effect. */
  experimental_browserAction(registration: UnsupportedRegistration): void;
  /** Accepted, without effect. */
  experimental_browserController(registration: UnsupportedRegistration): void;
  /** Accepted, without effect. */
  experimental_browserToolbarAction(registration: UnsupportedRegistration): void;
  /** Accepted, without effect. */
  experimental_executionPickerEntry(registration: UnsupportedRegistration): void;
  /** Accepted, without effect. */
  experimental_environmentProviderInputs(registration: UnsupportedRegistration): void;
  /** Accepted, without effect. */
  experimental_machineProviderInputs(registration: UnsupportedRegistration): void;
}
