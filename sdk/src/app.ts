export * from "./app/components.js";
export { definePluginApp } from "./app/definition.js";
export * from "./app/hooks.js";

export type * from "./app/commands.js";
export type { NewThreadRequest } from "./app/component_types.js";
export type * from "./app/composer.js";
export type * from "./app/content_scripts.js";
export type { PluginAppBuilder, PluginAppDefinition } from "./app/definition.js";
export type * from "./app/hook_types.js";
export type * from "./app/rpc_client.js";
export type { PluginSdkAppRuntime } from "./app/runtime.js";
export type * from "./app/sidebar.js";
export type * from "./app/slots.js";
export type * from "./app/slots_more.js";
export type { JsonValue } from "./json.js";
export type { PluginRpcContract } from "./rpc.js";
export type { StandardSchemaV1 } from "./standard_schema.js";

import type { StandardSchemaV1 } from "./standard_schema.js";

export type StandardSchemaV1InferInput<Schema extends StandardSchemaV1> = StandardSchemaV1.InferInput<Schema>;
export type StandardSchemaV1InferOutput<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>;
