// Compiled, never run: the names under which authors import types of an app entry.
import type * as app from "@get-svc/plugin-sdk/app";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

export type Names = [
  app.ComposerCustomization,
  app.ComposerPlusMenuItem,
  app.ComposerRichTextSpec,
  app.ComposerStructuredDraft,
  app.ComposerView,
  app.JsonValue,
  app.MarkdownProps,
  app.NewThreadComposerProps,
  app.NewThreadRequest,
  app.PluginAppBuilder,
  app.PluginAppComposer,
  app.PluginAppContentScripts,
  app.PluginAppDefinition,
  app.PluginAppOverlayRegistration,
  app.PluginAppSetup,
  app.PluginAppSlots,
  app.PluginBrowserActionRegistration,
  app.PluginBrowserControllerRegistration,
  app.PluginBrowserToolbarActionRegistration,
  app.PluginComposerApi,
  app.PluginComposerMention,
  app.PluginComposerScope,
  app.PluginComposerTextEffect,
  app.PluginComposerThreadRowStatus,
  app.PluginContentScriptContext,
  app.PluginContentScriptDisposer,
  app.PluginContentScriptRegistration,
  app.PluginDiffRendererRegistration,
  app.PluginEnvironmentProviderInputsRegistration,
  app.PluginExecutionPickerEntryRegistration,
  app.PluginFileOpenerProps,
  app.PluginFileOpenerRegistration,
  app.PluginFileOpenerSource,
  app.PluginHomepageSectionProps,
  app.PluginHomepageSectionRegistration,
  app.PluginMachineProviderInputsRegistration,
  app.PluginMessageActionContext,
  app.PluginMessageActionRegistration,
  app.PluginMessageDirectiveMessage,
  app.PluginMessageDirectiveOpenWorkspaceFile,
  app.PluginMessageDirectiveProps,
  app.PluginMessageDirectiveRegistration,
  app.PluginNavPanelProps,
  app.PluginNavPanelRegistration,
  app.PluginNewThreadPanelActionContext,
  app.PluginNewThreadPanelActionRegistration,
  app.PluginNewThreadPanelProps,
  app.PluginPanelActionOpenOptions,
  app.PluginPendingInteractionProps,
  app.PluginPendingInteractionRegistration,
  app.PluginPendingInteractionView,
  app.PluginProviderIconRegistration,
  app.PluginRealtimeConnectionState,
  app.PluginRpcCallArgs<app.PluginRpcMethodContract>,
  app.PluginRpcClient,
  app.PluginRpcContract,
  app.PluginRpcError,
  app.PluginRpcErrorCode,
  app.PluginRpcHandlers<{}>,
  app.PluginRpcIssuePathSegment,
  app.PluginRpcMethodContract,
  app.PluginRpcResult<app.PluginRpcMethodContract>,
  app.PluginRpcValidationIssue,
  app.PluginSdkApp,
  app.PluginSettingsSectionProps,
  app.PluginSettingsSectionRegistration,
  app.PluginSettingsState,
  app.PluginSidebarFooterActionContext,
  app.PluginSidebarFooterActionProps,
  app.PluginSidebarFooterActionRegistration,
  app.PluginSidebarHeaderRegistration,
  app.PluginSidebarNavigationRegistration,
  app.PluginSidebarProject,
  app.PluginSidebarPullRequest,
  app.PluginSidebarSplitPane,
  app.PluginSidebarThread,
  app.PluginSidebarThreadActions,
  app.PluginSidebarThreadActivity,
  app.PluginSidebarThreadIndicator,
  app.PluginSidebarThreadPullRequestState,
  app.PluginSidebarThreadSplit,
  app.PluginSidebarThreadsState,
  app.PluginSidebarWorkspaceKind,
  app.PluginSourceCodeRendererRegistration,
  app.PluginTargetedPanelActionOpenOptions,
  app.PluginThreadHeaderActionProps,
  app.PluginThreadHeaderActionRegistration,
  app.PluginThreadListProps,
  app.PluginThreadListRegistration,
  app.PluginThreadPanelActionContext,
  app.PluginThreadPanelActionRegistration,
  app.PluginThreadPanelProps,
  app.PluginTimelineRendererRegistration,
  app.StandardSchemaV1,
  app.StandardSchemaV1InferInput<never>,
  app.StandardSchemaV1InferOutput<never>,
  app.StandardSchemaV1Issue,
  app.StandardSchemaV1Result<string>,
  app.SvcContext,
  app.SvcNavigate,
  app.ThreadChatMessageAction,
  app.ThreadChatMessageReference,
  app.ThreadChatProps,
];

expectType<Equal<app.PluginAppSetup, app.PluginAppDefinition["setup"]>>();
expectType<Equal<app.PluginAppComposer["customize"], app.PluginAppBuilder["composer"]["customize"]>>();
expectType<Equal<app.PluginSdkApp["definePluginApp"], typeof app.definePluginApp>>();
expectType<Equal<app.SvcContext, ReturnType<typeof app.useSvcContext>>>();
expectType<Equal<app.SvcNavigate, ReturnType<typeof app.useSvcNavigate>>>();
expectType<Equal<app.ComposerPlusMenuItem, NonNullable<app.ComposerCustomization["plusMenu"]>[number]>>();
expectType<Equal<app.PluginComposerMention, { provider: string; id: string; label: string }>>();
expectType<Equal<app.PluginComposerTextEffect, { className: string }>>();
expectType<Equal<app.PluginSidebarFooterActionContext, { openSettings(): void }>>();
expectType<Equal<app.PluginTargetedPanelActionOpenOptions["actionId"], string>>();
expectType<Equal<app.PluginPanelActionOpenOptions["actionId"], string | undefined>>();
expectType<Equal<app.PluginNewThreadPanelActionContext["projectId"], string | null>>();
expectType<Equal<app.PluginThreadPanelActionContext["threadId"], string>>();
expectType<Equal<app.PluginMessageDirectiveMessage["turnId"], string | null>>();
expectType<Equal<ReturnType<app.PluginMessageDirectiveOpenWorkspaceFile>, boolean>>();
expectType<Equal<app.PluginPendingInteractionView["expiresAt"], number | null>>();
expectType<Equal<app.PluginRpcValidationIssue["path"], app.PluginRpcIssuePathSegment[] | undefined>>();
