import type { Model, PermissionMode, Provider, Skill } from "./records.js";
import type { Call, ModelQuery, NotSupported, Ok, OptionalCall } from "./sdk_calls.js";

/** How much of a subscription is used, as the provider tells it. `error` also stands for a provider that tells nothing. */
export type ProviderUsage =
  | {
      status: "ok";
      accountEmail: string | null;
      planLabel: string | null;
      windows: {
        label: string;
        usedPercent: number;
        /** ISO text. */
        resetsAt: string | null;
        cost?: { usedUsdCents: number; limitUsdCents: number };
      }[];
    }
  | { status: "not_installed" | "unauthenticated" | "expired" }
  | { status: "error"; message: string; accountEmail: string | null; planLabel: string | null };

/** By provider id in camelCase; `claudeCode`, `codex` and `cursor` are always there. */
export interface UsageLimits {
  claudeCode: ProviderUsage;
  codex: ProviderUsage;
  cursor: ProviderUsage;
  [providerKey: string]: ProviderUsage;
}

/** What can be chosen for a turn: providers, and the models of those that were asked about. */
export interface ProviderModels {
  providers: Provider[];
  models: Model[];
  /** Valid when already chosen, not offered anew. */
  selectedOnlyModels: Model[];
  /** `maxPermissionMode` of the machine. */
  permissionCeiling: PermissionMode;
  /** Why models are missing; null when none are. */
  modelLoadError: {
    providerId: string;
    code: "missing_executable" | "auth_required" | "timeout" | "provider_unavailable" | "failed";
    message: string;
  } | null;
}

/** `svc.sdk.providers`: agent providers and their models. */
export interface SdkProviders {
  list: OptionalCall<{ hostId?: string; environmentId?: string }, Provider[]>;
  models: OptionalCall<ModelQuery, Ok & ProviderModels>;
}

interface OfSkills {
  projectId: string;
  environmentId?: string | null;
}

/** `svc.sdk.skills`: the skills that agents of a project have. */
export interface SdkSkills {
  list: Call<OfSkills, Ok & { skills: Skill[] }>;
  listFiles: Call<OfSkills & { skillId: string }, Ok & { files: string[]; truncated: boolean }>;
  getContent: Call<OfSkills & { skillId: string; path: string }, Ok & { content: string; revision: string }>;
  /** 409 when the revision is another. */
  update: Call<OfSkills & { skillId: string; content: string; revision: string }, Ok & { filePath: string; revision: string }>;
  remove: Call<OfSkills & { skillId: string }, Ok & { deletedPath: string }>;
  readonly registry: { list: NotSupported; search: NotSupported; install: NotSupported };
}
