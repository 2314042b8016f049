// Every type of the app entry: what `/app` has, the root of the package has as well.
export type * from "./commands.js";
export type {
  DiffProps,
  FileLinkProps,
  MarkdownProps,
  NewThreadComposerProps,
  PluginDialogProps,
  PluginIconProps,
  SourceCodeProps,
  ThreadChatMessageAction,
  ThreadChatMessageReference,
  ThreadChatProps,
} from "./components.js";
export type * from "./composer.js";
export type * from "./content_scripts.js";
export type { PluginAppBuilder, PluginAppDefinition, PluginAppSetup } from "./definition.js";
export type * from "./names.js";
export type * from "./navigation.js";
export type { NewThreadRequest } from "./new_thread_request.js";
export type { PluginQueryOptions, PluginQuerySignal, PluginSignalPayload, TypedPluginHooks } from "./plugin_hooks.js";
export type * from "./rpc_client.js";
export type * from "./rpc_queries.js";
export type { PluginSdkAppRuntime } from "./runtime.js";
export type * from "./sidebar.js";
export type * from "./slots.js";
export type * from "./window_state.js";
