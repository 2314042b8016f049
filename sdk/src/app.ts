export * from "./app/components.js";
export { definePluginApp } from "./app/definition.js";
export * from "./app/hooks.js";
export { definePluginHooks } from "./app/plugin_hooks.js";

export type * from "./app/types.js";
export type { JsonValue } from "./json.js";
export type { PluginTypes } from "./plugin_types.js";
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
