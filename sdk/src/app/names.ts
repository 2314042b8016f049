// Names under which authors know types of the app entry.
import type { ComposerMenuItem, PluginComposerApi } from "./composer.js";
import type { PluginThreadRowStatus } from "./content_scripts.js";
import type { PluginAppBuilder } from "./definition.js";
import type { PluginNavigate, PluginSvcContext } from "./navigation.js";
import type { PluginSdkAppRuntime } from "./runtime.js";
import type * as slots from "./slots.js";

/** All that `@get-svc/plugin-sdk/app` exports at run time, as the window supplies it. */
export type PluginSdkApp = PluginSdkAppRuntime;
/** `app.composer` of `setup`: registers what a plugin adds to composers. */
export type PluginAppComposer = PluginAppBuilder["composer"];
/** `app.contentScripts` of `setup`: registers code that runs beside the window's own. */
export type PluginAppContentScripts = PluginAppBuilder["contentScripts"];

/** What `useSvcContext()` returns. */
export type SvcContext = PluginSvcContext;
/** What `useSvcNavigate()` returns. */
export type SvcNavigate = PluginNavigate;

/** An entry of `plusMenu` of a composer customization. */
export type ComposerPlusMenuItem = ComposerMenuItem;
/** What `insertMention` of a composer takes. */
export type PluginComposerMention = Parameters<PluginComposerApi["insertMention"]>[0];
/** What `setTextEffect` of a composer takes: the class of the whole draft. */
export type PluginComposerTextEffect = NonNullable<Parameters<PluginComposerApi["setTextEffect"]>[0]>;
/** What `experimental_setThreadRowStatus` of a content script takes. */
export type PluginComposerThreadRowStatus = PluginThreadRowStatus;

/** Where the file of a `fileOpener` lies. */
export type PluginFileOpenerSource = slots.PluginFileSource;
/** The message that a directive stands in. */
export type PluginMessageDirectiveMessage = slots.PluginMessageDirectiveProps["message"];
/** Opens a file of the thread's workspace by its relative path; false when declined. */
export type PluginMessageDirectiveOpenWorkspaceFile = NonNullable<slots.PluginMessageDirectiveProps["openWorkspaceFile"]>;
/** What `svc.ui.requestInput` asks, as the component of a `pendingInteraction` gets it. */
export type PluginPendingInteractionView = slots.PluginPendingInteractionProps["interaction"];

/** What `openPanel` of a panel action takes: the tab is the action's own unless it names another. */
export type PluginPanelActionOpenOptions = Partial<slots.OpenPanelOptions>;
/** What `openPanel` takes where no action is the own one: `actionId` says which tab it is. */
export type PluginTargetedPanelActionOpenOptions = slots.OpenPanelOptions;
/** What `run` of a `threadPanelAction` gets. */
export type PluginThreadPanelActionContext = slots.ThreadPanelActionContext;
/** What `run` of an `experimental_newThreadPanelAction` gets. */
export type PluginNewThreadPanelActionContext = Parameters<NonNullable<slots.NewThreadPanelActionRegistration["run"]>>[0];
/** What `run` of a `sidebarFooterAction` gets. */
export type PluginSidebarFooterActionContext = Parameters<slots.SidebarFooterActionRegistration["run"]>[0];
/** What the component of a disclosure gets. */
export type PluginSidebarFooterActionProps = slots.SidebarFooterDisclosureProps;

/** What `slots.navPanel` takes. */
export type PluginNavPanelRegistration = slots.NavPanelRegistration;
/** What `slots.homepageSection` takes. */
export type PluginHomepageSectionRegistration = slots.HomepageSectionRegistration;
/** What `slots.settingsSection` takes. */
export type PluginSettingsSectionRegistration = slots.SettingsSectionRegistration;
/** What `slots.threadPanelAction` takes. */
export type PluginThreadPanelActionRegistration = slots.ThreadPanelActionRegistration;
/** What `slots.experimental_threadHeaderAction` takes. */
export type PluginThreadHeaderActionRegistration = slots.ThreadHeaderActionRegistration;
/** What `slots.experimental_threadList` takes. */
export type PluginThreadListRegistration = slots.ThreadListRegistration;
/** What `slots.pendingInteraction` takes. */
export type PluginPendingInteractionRegistration = slots.PendingInteractionRegistration;
/** What `slots.messageDirective` takes. */
export type PluginMessageDirectiveRegistration = slots.MessageDirectiveRegistration;
/** What `slots.messageAction` takes. */
export type PluginMessageActionRegistration = slots.MessageActionRegistration;
/** What `slots.sidebarFooterAction` takes. */
export type PluginSidebarFooterActionRegistration = slots.SidebarFooterActionRegistration;
/** What `slots.experimental_newThreadPanelAction` takes. */
export type PluginNewThreadPanelActionRegistration = slots.NewThreadPanelActionRegistration;
/** What `slots.fileOpener` takes. */
export type PluginFileOpenerRegistration = slots.FileOpenerRegistration;
/** What `slots.experimental_sidebarNavigation` takes. */
export type PluginSidebarNavigationRegistration = slots.SidebarNavigationRegistration;
/** What `slots.experimental_sidebarHeader` takes. */
export type PluginSidebarHeaderRegistration = slots.SidebarHeaderRegistration;
/** What `slots.experimental_sourceCodeRenderer` takes. */
export type PluginSourceCodeRendererRegistration = slots.SourceCodeRendererRegistration;
/** What `slots.experimental_diffRenderer` takes. */
export type PluginDiffRendererRegistration = slots.DiffRendererRegistration;
/** What `slots.experimental_timelineRenderer` takes. */
export type PluginTimelineRendererRegistration = slots.TimelineRendererRegistration;
/** What `slots.experimental_providerIcon` takes. */
export type PluginProviderIconRegistration = slots.ProviderIconRegistration;
/** What `slots.experimental_appOverlay` takes. */
export type PluginAppOverlayRegistration = slots.AppOverlayRegistration;
/** What `slots.experimental_browserAction` takes: accepted, without effect. */
export type PluginBrowserActionRegistration = slots.UnsupportedRegistration;
/** What `slots.experimental_browserController` takes: accepted, without effect. */
export type PluginBrowserControllerRegistration = slots.UnsupportedRegistration;
/** What `slots.experimental_browserToolbarAction` takes: accepted, without effect. */
export type PluginBrowserToolbarActionRegistration = slots.UnsupportedRegistration;
/** What `slots.experimental_executionPickerEntry` takes: accepted, without effect. */
export type PluginExecutionPickerEntryRegistration = slots.UnsupportedRegistration;
/** What `slots.experimental_environmentProviderInputs` takes: accepted, without effect. */
export type PluginEnvironmentProviderInputsRegistration = slots.UnsupportedRegistration;
/** What `slots.experimental_machineProviderInputs` takes: accepted, without effect. */
export type PluginMachineProviderInputsRegistration = slots.UnsupportedRegistration;
