import type { PermissionMode, ReasoningLevel } from "./records.js";

// Agent providers, their models and the skills of agents.

/** What an agent provider can do. */
export interface ProviderCapabilities {
  supportsServiceTier: boolean;
  supportsNativeUserQuestion: boolean;
  /** `tip`: at the end of a session; `checkpoint`: at any message. */
  fork: "none" | "tip" | "checkpoint";
  /** `fork` is not `none`. */
  supportsFork: boolean;
  /** `fork` is `checkpoint`. */
  supportsSessionRewind: boolean;
  supportsManualCompaction: boolean;
  supportsThreadArchive: boolean;
  supportsThreadRename: boolean;
  permissionModes: PermissionMode[];
  reasoningLevels: ReasoningLevel[];
  /** Older name of `supportsThreadArchive`. */
  supportsArchive: boolean;
  /** Older name of `supportsThreadRename`. */
  supportsRename: boolean;
  /** Older name of `supportsNativeUserQuestion`. */
  supportsUserQuestion: boolean;
  /** Older name of `permissionModes`. */
  supportedPermissionModes: PermissionMode[];
}

/** An agent provider. */
export interface Provider {
  id: string;
  displayName: string;
  available: boolean;
  /** For people; null while it is available. */
  unavailableReason: string | null;
  logoUrl: string | null;
  /** The plugin that declares it; null when it is configured. */
  pluginId: string | null;
  composerActions: (
    { kind: "skills"; trigger: "/" } | { kind: "plan" | "goal"; command: { trigger: "/"; name: string; trailingText: string } }
  )[];
  capabilities: ProviderCapabilities;
}

/** A model that an agent provider offers. */
export interface Model {
  id: string;
  /** What `threads.spawn` and `threads.send` take. */
  model: string;
  displayName: string;
  /** May be empty. */
  description: string;
  isDefault: boolean;
  /** The provider behind the agent, where one offers models of several. */
  routeProviderId?: string;
  /** `none` for a model without choice. */
  defaultReasoningEffort: ReasoningLevel;
  /** At least one. */
  supportedReasoningEfforts: { reasoningEffort: ReasoningLevel; description: string }[];
}

/** Instructions that agents load when they need them: a folder with a `SKILL.md`. */
export interface Skill {
  id: string;
  name: string;
  description: string | null;
  filePath: string;
  /** `shared-*`: a folder `.agents/skills`. */
  scope: "svc-builtin" | "svc-user" | "svc-project" | "shared-user" | "shared-project" | "provider-user" | "provider-project" | "plugin";
  /** The agent that it is for, of the scopes `provider-*`; else null. */
  provider: string | null;
  /** The plugin it comes with, for the scope `plugin`; else null. */
  pluginId: string | null;
  registrySkillId: null;
  /** Only these can be changed. */
  manageable: boolean;
}
