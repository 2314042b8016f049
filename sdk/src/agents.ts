import type { JsonValue, MaybePromise } from "./json.js";
import type { PluginProviders } from "./hosts.js";
import type { ProviderCapabilities } from "./records.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

/** A JSON Schema whose root is an object. */
export type JsonSchemaObject = { readonly [key: string]: unknown; readonly "~standard"?: undefined };

/** What `execute` of a tool gets beside its arguments: on whose behalf the call is, and what ends it. */
export interface AgentToolContext {
  /** Null only for MCP clients outside of a thread. */
  readonly threadId: string | null;
  /** That of the thread; null where `threadId` is. */
  readonly projectId: string | null;
  /**
   * Aborts when the agent gives up, when the thread is stopped or deleted, and when this load ends; the reason is then an
   * `AbortError` whose message is `plugin-disposed`.
   */
  readonly signal: AbortSignal;
  /**
   * Says how far the call is; callers that asked for progress are told, at most ten times a second. `progress` grows, `total` is where
   * it ends. Older services do not have it: call it with `?.`.
   */
  readonly experimental_progress?: (report: { progress: number; total?: number; message?: string }) => void;
}

/** A piece of a tool's result: a text, or an image. */
export type AgentToolPart = { type: "text"; text: string } | { type: "image"; /** Base64. */ data: string; mimeType: string };

/** At most 8 MiB as JSON. */
export type AgentToolResult = string | { content: AgentToolPart[]; isError?: boolean };

/** What the timeline says of a call of the tool, up to 80 characters each: `pending` while it runs, `completed` afterwards. */
export interface PluginAgentToolExperimentalStatusLabels {
  pending: string;
  completed: string;
}

/** How the timeline shows the calls of a tool. */
export interface AgentToolPresentation {
  /** What the timeline says, up to 80 characters each. */
  label?: PluginAgentToolExperimentalStatusLabels;
  /** `glyph` is an icon name, as `PluginIconName`. */
  icon?: { glyph: string };
  /** Keeps calls out of the timeline. */
  suppress?: boolean;
  /** CSS colours of the icon, in the light and in the dark mode. */
  tint?: { light: string; dark: string };
}

/** What all tools have. */
export interface PluginAgentToolRegistrationBase {
  /** Letters, digits, `-` and `_`. When two plugins have one name, one of them is not offered (see `problems[]`). */
  name: string;
  description: string;
  /** Standing instructions for agents that have the tool, up to 4096 characters. */
  instructions?: string;
  presentation?: AgentToolPresentation;
  /**
   * Older name of `presentation.label`.
   *
   * @deprecated Use `presentation`.
   */
  experimental_statusLabels?: PluginAgentToolExperimentalStatusLabels;
  /**
   * Older name of `presentation`.
   *
   * @deprecated Use `presentation`.
   */
  experimental_presentation?: AgentToolPresentation;
}

/** A tool whose parameters are described by a validator: `execute` gets the parsed value. */
export interface AgentTool<Schema extends StandardSchemaV1> extends PluginAgentToolRegistrationBase {
  parameters: Schema;
  /** A throw becomes text for the agent, with `isError`. */
  execute(params: StandardSchemaV1.InferOutput<Schema>, context: AgentToolContext): MaybePromise<AgentToolResult>;
}

/** A tool whose parameters are a plain JSON Schema: arguments are checked against it and handed over as sent. */
export interface AgentToolWithJsonSchema extends PluginAgentToolRegistrationBase {
  parameters: JsonSchemaObject;
  execute(params: { [key: string]: JsonValue }, context: AgentToolContext): MaybePromise<AgentToolResult>;
}

/** Deep-frozen. */
export interface AgentContext {
  readonly thread: {
    readonly id: string;
    readonly title: string | null;
    readonly parentThreadId: string | null;
    readonly sourceThreadId: string | null;
  };
  readonly project: {
    readonly id: string;
    readonly kind: "standard" | "personal";
    readonly name: string;
    readonly gitRemoteUrl: string | null;
  };
  readonly environment: {
    readonly id: string;
    readonly name: string | null;
    /** Null while it is being made. */
    readonly path: string | null;
    readonly workspaceProvisionType: "unmanaged" | "managed-worktree" | "personal" | "provider";
    readonly branchName: string | null;
  };
  readonly host: { readonly id: string; readonly name: string };
  /** `model` is empty while the agent has not named one. */
  readonly provider: { readonly id: string; readonly model: string; readonly capabilities: ProviderCapabilities };
  readonly origin: { readonly kind: "fork" | null; readonly pluginId: string | null };
  readonly pluginMetadata: { readonly [key: string]: JsonValue };
}

/** What of this plugin a thread gets. At most 256 tools and 256 skills. */
export interface AgentConfiguration {
  /**
   * Names of own tools. An object narrows the tool's parameters (an object schema, up to 128 KiB): agents see it in
   * place of the tool's own, and arguments have to fit both. One that plainly allows more than the tool does is a failure.
   */
  tools: (string | { name: string; parameters: JsonSchemaObject })[];
  /** Names of own skills. */
  skills: string[];
  instructions?: string;
}

/** `svc.agents`: what agents get of this plugin. Agents that work already keep what they began with. */
export interface PluginAgents {
  /**
   * Offers a tool to every agent, and to MCP clients. Failures reach the agent as text.
   *
   * @throws TypeError on an invalid or recursive definition, and when the name is registered already.
   */
  registerTool<Schema extends StandardSchemaV1>(tool: AgentTool<Schema>): void;
  registerTool(tool: AgentToolWithJsonSchema): void;
  /**
   * Chooses tools and skills for a thread, when it starts and when a turn is submitted. Synchronous, within 2 s; a failure
   * offers nothing of this plugin for that turn. Without it everything is offered. At most one.
   */
  configure(callback: (context: AgentContext) => AgentConfiguration): void;
  /** Adds standing instructions (cut at 4096 characters), or null for none. Synchronous, within 2 s. At most one. */
  contributeInstructions(callback: (context: { threadId: string; projectId: string }) => string | null): void;
  /**
   * Older name of `svc.providers.register`.
   *
   * @deprecated Use `svc.providers.register`.
   */
  experimental_registerProvider: PluginProviders["register"];
}
