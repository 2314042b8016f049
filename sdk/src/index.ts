export { PLUGIN_CLI_OUTPUT_MAX_BYTES } from "./cli.js";
export { cliCommand, defineCli, PluginCliError } from "./cli_builder/index.js";
export { experimental_defineHostEntry } from "./host/definition.js";
export { defineRpcContract } from "./rpc.js";

export type { PluginFactory, PluginLog, PluginRealtime, PluginServerInfo, PluginSignalArgs, PluginStatusApi, SvcPluginApi } from "./api.js";
export type { PluginBackground, PluginScheduleRun, PluginService } from "./background.js";
export type {
  PluginCli,
  PluginCliCommandInfo,
  PluginCliContext,
  PluginCliExecutionResult,
  PluginCliOutputLimitError,
  PluginCliRegistration,
  PluginCliResult,
} from "./cli.js";
export type {
  PluginHttp,
  PluginHttpAuth,
  PluginHttpContext,
  PluginHttpHandler,
  PluginHttpMethod,
  PluginHttpOptions,
  PluginHttpRequest,
  PluginHttpResponse,
  PluginSocket,
  PluginSocketHandlers,
  PluginSocketRequest,
} from "./http.js";
export type {
  AnyCliCommand,
  CliArguments,
  CliBooleanOption,
  CliCommand,
  CliConstraint,
  CliDefinition,
  CliDurationOption,
  CliDurationUnit,
  CliEnumOption,
  CliErrorCode,
  CliIntegerOption,
  CliOption,
  CliOptions,
  CliOptionValue,
  CliOptionValues,
  CliOutcome,
  CliPositional,
  CliPositionals,
  CliPositionalValues,
  CliStringOption,
  PluginCliErrorOptions,
} from "./cli_builder/index.js";
export type {
  PluginDatabase,
  PluginDatabaseBackup,
  PluginDatabaseColumn,
  PluginDatabaseFunctionOptions,
  PluginDatabaseRunResult,
  PluginDatabaseStatement,
  PluginDatabaseTransaction,
} from "./database.js";
export type {
  ExperimentalHostEntry,
  ExperimentalHostEntryDefinition,
  ExperimentalHostHandlers,
  ExperimentalHostPaths,
  ExperimentalHostRpcContext,
  ExperimentalHostRpcHandlers,
  ExperimentalHostSignalContract,
  ExperimentalHostSignalEvent,
  ExperimentalHostSignals,
  ExperimentalHostWatchChange,
  ExperimentalHostWatchChangeType,
  ExperimentalHostWatchEvent,
  ExperimentalHostWatchListener,
  ExperimentalHostWatchOptions,
  ExperimentalHostWatchSubscription,
  ExperimentalHostWorkerLease,
  HostWatchEvent,
  HostWatchOptions,
} from "./host/definition.js";
export type * from "./app/types.js";
export type { JsonInput, JsonLike, JsonValue, MaybePromise } from "./json.js";
export type {
  PluginErrorInfo,
  PluginRecord,
  PluginScheduleInfo,
  PluginServiceInfo,
  PluginStatus,
  PluginUpdateCheck,
  PluginUpdateState,
  PluginUsage,
} from "./record.js";
export type { PluginTypes } from "./plugin_types.js";
export type {
  PluginRpc,
  PluginRpcCaller,
  PluginRpcContext,
  PluginRpcContract,
  PluginRpcErrorBody,
  PluginRpcErrorCode,
  PluginRpcHandler,
  PluginRpcHandlerInput,
  PluginRpcHandlerResult,
  PluginRpcHandlers,
  PluginRpcInput,
  PluginRpcIssuePathSegment,
  PluginRpcMethod,
  PluginRpcOutput,
  PluginRpcRegisterOptions,
  PluginRpcValidationIssue,
} from "./rpc.js";
export type {
  PluginSettingDescriptor,
  PluginSettingDescriptors,
  PluginSettingValue,
  PluginSettings,
  PluginSettingsHandle,
  PluginSettingsValues,
} from "./settings.js";
export type {
  StandardSchemaV1,
  StandardSchemaV1InferInput,
  StandardSchemaV1InferOutput,
  StandardSchemaV1Issue,
  StandardSchemaV1Result,
} from "./standard_schema.js";
export type { PluginKvStorage, PluginStorage } from "./storage.js";
export type {
  AgentConfiguration,
  AgentContext,
  AgentTool,
  AgentToolContext,
  AgentToolPart,
  AgentToolPresentation,
  AgentToolResult,
  AgentToolWithJsonSchema,
  JsonSchemaObject,
  PluginAgents,
  PluginAgentToolExperimentalStatusLabels,
  PluginAgentToolRegistrationBase,
} from "./agents.js";
export type { DispatchContext, DispatchDecision, PluginEventMap, PluginEvents, PluginHooks, PluginThreadEventHandler } from "./events.js";
export type {
  ExperimentalHostCallOptions,
  ExperimentalHostClient,
  HostCallError,
  HostCallErrorCode,
  HostCallOptions,
  HostClient,
  HostSignals,
  PluginHosts,
  PluginProviders,
  PluginSharedPortTunnelIdentity,
  ProviderDeclaration,
} from "./hosts.js";
export type * from "./names.js";
export type * from "./records.js";
export type {
  AiServiceRegistration,
  Availability,
  EnvironmentRegistration,
  MachineRegistration,
  PluginAiServices,
  PluginEnvironments,
  PluginMachines,
  PluginServerAccess,
  ServerAccessRegistration,
} from "./registries.js";
export type { Ok, PathEntry, SdkCallOptions } from "./sdk_calls.js";
export type * from "./sdk_client.js";
export type * from "./sdk_machines.js";
export type * from "./sdk_notices.js";
export type * from "./sdk_plugins.js";
export type * from "./sdk_providers.js";
export type * from "./sdk_system.js";
export type * from "./sdk_theme.js";
export type * from "./sdk_threads.js";
export type * from "./sdk_workspaces.js";
export type {
  InputOutcome,
  InputRequest,
  MentionProvider,
  MentionQuery,
  MentionTrigger,
  PluginMentionItem,
  PluginUi,
  ResolvedMention,
} from "./ui.js";
