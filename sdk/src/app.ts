export * from "./app/components.js";
export { definePluginApp } from "./app/definition.js";
export * from "./app/hooks.js";

export type * from "./app/commands.js";
export type * from "./app/composer.js";
export type * from "./app/content_scripts.js";
export type { PluginAppBuilder, PluginAppDefinition, PluginAppSetup } from "./app/definition.js";
export type * from "./app/names.js";
export type * from "./app/navigation.js";
export type { NewThreadRequest } from "./app/new_thread_request.js";
export type * from "./app/rpc_client.js";
export type * from "./app/rpc_queries.js";
export type { PluginSdkAppRuntime } from "./app/runtime.js";
export type * from "./app/sidebar.js";
export type * from "./app/slots.js";
export type * from "./app/window_state.js";
export type { JsonValue } from "./json.js";
export type {
  PluginRpcContract,
  PluginRpcErrorCode,
  PluginRpcHandlers,
  PluginRpcIssuePathSegment,
  PluginRpcValidationIssue,
} from "./rpc.js";
export type {
  StandardSchemaV1,
  StandardSchemaV1InferInput,
  StandardSchemaV1InferOutput,
  StandardSchemaV1Issue,
  StandardSchemaV1Result,
} from "./standard_schema.js";
