import type { ProviderIconRegistration } from "./icons.js";
import type {
  DiffRendererRegistration,
  SidebarHeaderRegistration,
  SidebarNavigationRegistration,
  SourceCodeRendererRegistration,
  ThreadListRegistration,
} from "./slots/exclusive.js";
import type { FileOpenerRegistration } from "./slots/files.js";
import type { MessageActionRegistration, MessageDirectiveRegistration } from "./slots/message.js";
import type {
  AppOverlayRegistration,
  HomepageSectionRegistration,
  NavPanelRegistration,
  SettingsSectionRegistration,
} from "./slots/page.js";
import type { NewThreadPanelActionRegistration, ThreadPanelActionRegistration } from "./slots/panel.js";
import type { SidebarFooterActionRegistration } from "./slots/sidebar.js";
import type { PendingInteractionRegistration, ThreadHeaderActionRegistration, TimelineRendererRegistration } from "./slots/thread.js";

export type * from "./icons.js";
export type * from "./slots/exclusive.js";
export type * from "./slots/files.js";
export type * from "./slots/message.js";
export type * from "./slots/page.js";
export type * from "./slots/panel.js";
export type * from "./slots/sidebar.js";
export type * from "./slots/thread.js";

/** A registration that this service accepts and does nothing with; the plugin's diagnostics list it as unsupported. */
export type UnsupportedRegistration = { id?: string; [key: string]: unknown };

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
  /** Shows what `svc.ui.requestInput` asks, above the composer of the thread. */
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
