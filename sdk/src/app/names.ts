// Names under which authors know types of the app entry.
import type { ComposerMenuItem, PluginComposerApi } from "./composer.js";
import type { PluginThreadRowStatus } from "./content_scripts.js";
import type { PluginAppBuilder } from "./definition.js";
import type { PluginNavigate, PluginSvcContext } from "./navigation.js";
import type { PluginSdkAppRuntime } from "./runtime.js";
import type * as slots from "./slots.js";

export type PluginSdkApp = PluginSdkAppRuntime;
export type PluginAppComposer = PluginAppBuilder["composer"];
export type PluginAppContentScripts = PluginAppBuilder["contentScripts"];

export type SvcContext = PluginSvcContext;
export type SvcNavigate = PluginNavigate;

export type ComposerPlusMenuItem = ComposerMenuItem;
export type PluginComposerMention = Parameters<PluginComposerApi["insertMention"]>[0];
export type PluginComposerTextEffect = NonNullable<Parameters<PluginComposerApi["setTextEffect"]>[0]>;
export type PluginComposerThreadRowStatus = PluginThreadRowStatus;

export type PluginFileOpenerSource = slots.PluginFileSource;
export type PluginMessageDirectiveMessage = slots.PluginMessageDirectiveProps["message"];
export type PluginMessageDirectiveOpenWorkspaceFile = NonNullable<slots.PluginMessageDirectiveProps["openWorkspaceFile"]>;
export type PluginPendingInteractionView = slots.PluginPendingInteractionProps["interaction"];

/** What `openPanel` of a panel action takes: the tab is the action's own unless it names another. */
export type PluginPanelActionOpenOptions = Partial<slots.OpenPanelOptions>;
export type PluginTargetedPanelActionOpenOptions = slots.OpenPanelOptions;
export type PluginThreadPanelActionContext = slots.ThreadPanelActionContext;
export type PluginNewThreadPanelActionContext = Parameters<NonNullable<slots.NewThreadPanelActionRegistration["run"]>>[0];
export type PluginSidebarFooterActionContext = Parameters<slots.SidebarFooterActionRegistration["run"]>[0];
/** What the component of a disclosure gets. */
export type PluginSidebarFooterActionProps = slots.SidebarFooterDisclosureProps;

export type PluginNavPanelRegistration = slots.NavPanelRegistration;
export type PluginHomepageSectionRegistration = slots.HomepageSectionRegistration;
export type PluginSettingsSectionRegistration = slots.SettingsSectionRegistration;
export type PluginThreadPanelActionRegistration = slots.ThreadPanelActionRegistration;
export type PluginThreadHeaderActionRegistration = slots.ThreadHeaderActionRegistration;
export type PluginThreadListRegistration = slots.ThreadListRegistration;
export type PluginPendingInteractionRegistration = slots.PendingInteractionRegistration;
export type PluginMessageDirectiveRegistration = slots.MessageDirectiveRegistration;
export type PluginMessageActionRegistration = slots.MessageActionRegistration;
export type PluginSidebarFooterActionRegistration = slots.SidebarFooterActionRegistration;
export type PluginNewThreadPanelActionRegistration = slots.NewThreadPanelActionRegistration;
export type PluginFileOpenerRegistration = slots.FileOpenerRegistration;
export type PluginSidebarNavigationRegistration = slots.SidebarNavigationRegistration;
export type PluginSidebarHeaderRegistration = slots.SidebarHeaderRegistration;
export type PluginSourceCodeRendererRegistration = slots.SourceCodeRendererRegistration;
export type PluginDiffRendererRegistration = slots.DiffRendererRegistration;
export type PluginTimelineRendererRegistration = slots.TimelineRendererRegistration;
export type PluginProviderIconRegistration = slots.ProviderIconRegistration;
export type PluginAppOverlayRegistration = slots.AppOverlayRegistration;
export type PluginBrowserActionRegistration = slots.UnsupportedRegistration;
export type PluginBrowserControllerRegistration = slots.UnsupportedRegistration;
export type PluginBrowserToolbarActionRegistration = slots.UnsupportedRegistration;
export type PluginExecutionPickerEntryRegistration = slots.UnsupportedRegistration;
export type PluginEnvironmentProviderInputsRegistration = slots.UnsupportedRegistration;
export type PluginMachineProviderInputsRegistration = slots.UnsupportedRegistration;
