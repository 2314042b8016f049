// Names under which authors know types of the server entry.
import type { AgentConfiguration, AgentContext, AgentToolContext, AgentToolPart, AgentToolResult } from "./agents.js";
import type { PluginLog, PluginServerInfo } from "./api.js";
import type { PluginEventMap } from "./events.js";
import type { ProviderDeclaration } from "./hosts.js";
import type { PluginHttpAuth } from "./http.js";
import type { PermissionMode, ProviderCapabilities, ReasoningLevel } from "./records.js";
import type { InputOutcome, InputRequest, MentionProvider, MentionQuery, MentionTrigger } from "./ui.js";

/** `svc.log`. */
export type PluginLogger = PluginLog;
/** `svc.server`. */
export type PluginServerApi = PluginServerInfo;
/** Who may call a route: `auth` of its options. */
export type PluginHttpAuthMode = PluginHttpAuth;
/** The character that opens the mentions of a provider. */
export type PluginMentionTrigger = MentionTrigger;
/** What `svc.ui.registerMentionProvider` takes. */
export type PluginMentionProviderRegistration = MentionProvider;
/** What `search` of a mention provider gets. */
export type PluginMentionSearchContext = MentionQuery;
/** What `svc.ui.requestInput` takes. */
export type PluginInteractionRequest = InputRequest;
/** What `svc.ui.requestInput` resolves with. */
export type PluginInteractionResult = InputOutcome;
/**
 * Why a form ended without an answer: `user` closed it, the plugin's own signal aborted or the client could not show it (`request-aborted`), nobody answered in time
 * (`timeout`), or the thread, the load or the server ended.
 */
export type PluginInteractionCancelReason = Extract<InputOutcome, { outcome: "cancelled" }>["reason"];
/** What `svc.providers.register` takes. */
export type PluginProviderDeclaration = ProviderDeclaration;
/** What an agent provider can do. A declaration may leave members out. */
export type PluginProviderCapabilities = ProviderCapabilities;
/** What an agent may do without asking: see `PermissionMode`. */
export type PluginProviderPermissionMode = PermissionMode;
/** How much a model thinks: see `ReasoningLevel`. */
export type PluginProviderReasoningLevel = ReasoningLevel;
/** What the composer offers for a provider beside messages: work by a plan, or towards a goal. */
export type PluginProviderComposerAction = "plan" | "goal";
/** What the callback of `svc.agents.configure` returns. */
export type PluginAgentConfiguration = AgentConfiguration;
/** What the callback of `svc.agents.configure` gets. */
export type PluginAgentConfigurationContext = AgentContext;
/** What `execute` of a tool gets beside its arguments. */
export type PluginAgentToolContext = AgentToolContext;
/** What `execute` of a tool returns. */
export type PluginAgentToolResult = AgentToolResult;
/** A part of what `execute` of a tool returns. */
export type PluginAgentToolContentPart = AgentToolPart;
/** An entry of `tools` of `svc.agents.configure`: a tool's name, or a name with narrower parameters. */
export type PluginAgentToolSelection = AgentConfiguration["tools"][number];
/** An event that `svc.events.on` takes. */
export type PluginThreadEventName = keyof PluginEventMap;
/** What handlers of `svc.events.on` get, by event. */
export type PluginThreadEventPayloads = PluginEventMap;
