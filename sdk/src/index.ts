export { PLUGIN_CLI_OUTPUT_MAX_BYTES } from "./cli.js";
export { defineRpcContract } from "./rpc.js";

export type {
  PluginFactory,
  PluginLog,
  PluginRealtime,
  PluginServerInfo,
  PluginStatusApi,
  SvcPluginApi,
} from "./api.js";
export type {
  PluginCli,
  PluginCliCommandInfo,
  PluginCliContext,
  PluginCliRegistration,
  PluginCliResult,
} from "./cli.js";
export type { JsonInput, JsonValue, MaybePromise } from "./json.js";
export type {
  PluginErrorInfo,
  PluginRecord,
  PluginScheduleInfo,
  PluginServiceInfo,
  PluginStatus,
  PluginUpdateState,
} from "./record.js";
export type {
  PluginRpc,
  PluginRpcCaller,
  PluginRpcContext,
  PluginRpcContract,
  PluginRpcErrorBody,
  PluginRpcHandler,
  PluginRpcHandlerInput,
  PluginRpcHandlerResult,
  PluginRpcHandlers,
  PluginRpcInput,
  PluginRpcMethod,
  PluginRpcOutput,
  PluginRpcRegisterOptions,
} from "./rpc.js";
export type {
  PluginSettingDescriptor,
  PluginSettingDescriptors,
  PluginSettings,
  PluginSettingsHandle,
  PluginSettingsValues,
} from "./settings.js";
export type { StandardSchemaV1 } from "./standard_schema.js";
export type { PluginKvStorage, PluginStorage } from "./storage.js";
