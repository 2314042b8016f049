import { useQuery } from "@tanstack/react-query";

import type { Model, PermissionMode, Provider, ReasoningLevel } from "#sdk/records.js";
import type { ProviderModels } from "#sdk/sdk_providers.js";
import type { ProjectExecutionOptions } from "#sdk/sdk_workspaces.js";

import { api } from "@/api/http";
import { hasRecords, queryClient } from "@/api/queries";

/** What the next turn of a thread uses; what is absent stays as it was. */
export interface ExecutionChoice {
  model?: string;
  reasoningLevel?: ReasoningLevel;
  permissionMode?: PermissionMode;
}

/** What a thread starts with where nothing says another: the one of the service, which asks. */
export const kDefaultPermissionMode: PermissionMode = "auto";

const kNoModels: ProviderModels = { providers: [], models: [], selectedOnlyModels: [], permissionCeiling: "full", modelLoadError: null };

/** What an agent offers; nothing while that is not known. */
export function useProviderModels(providerId: string): ProviderModels {
  const { data } = useQuery(
    {
      queryKey: ["models", providerId],
      queryFn: async ({ signal }) =>
        (await hasRecords("providers")) ? api<ProviderModels>("GET", "/providers/models", { query: { providerId }, signal }) : kNoModels,
      enabled: providerId !== "",
      retry: false,
    },
    queryClient,
  );
  return data ?? kNoModels;
}

/** The agents there are, also those that cannot be used now. The key is that of the other lists of them. */
export function useAgents(): readonly Provider[] {
  const { data } = useQuery(
    {
      queryKey: ["providers"],
      queryFn: async ({ signal }) =>
        (await hasRecords("providers")) ? ((await api<{ providers?: Provider[] }>("GET", "/providers", { signal })).providers ?? []) : [],
    },
    queryClient,
  );
  return data ?? [];
}

/** What threads of a project start with; null where nothing was set. */
export function useProjectDefaults(projectId: string | null): Partial<ProjectExecutionOptions> {
  const { data } = useQuery(
    {
      queryKey: ["project-defaults", projectId],
      queryFn: async ({ signal }) =>
        (await hasRecords("projects"))
          ? (
              await api<{ options: ProjectExecutionOptions | null }>(
                "GET",
                `/projects/${encodeURIComponent(projectId!)}/default-execution-options`,
                { signal },
              )
            ).options
          : null,
      enabled: projectId !== null,
      retry: false,
    },
    queryClient,
  );
  return data ?? {};
}

/** The model by either of its names. */
export function findModel({ models, selectedOnlyModels }: ProviderModels, wanted: string | null | undefined): Model | undefined {
  return [...models, ...selectedOnlyModels].find(({ id, model }) => id === wanted || model === wanted);
}

/** The first of the wanted models that is there, else the one that is used without a choice. */
export function modelOf(offered: ProviderModels, ...wanted: (string | null | undefined)[]): Model | undefined {
  const found = wanted.map((name) => findModel(offered, name)).find((model) => model !== undefined);
  return found ?? offered.models.find(({ isDefault }) => isDefault) ?? offered.models[0];
}

/** In order of effort. */
const kLevels: readonly ReasoningLevel[] = ["none", "low", "medium", "high", "xhigh", "ultracode", "max", "ultra"];

/** The level of a model that is closest to the wanted one; its own where none is wanted. */
export function nearestLevel(wanted: ReasoningLevel | null | undefined, model: Model | undefined): ReasoningLevel {
  const known = wanted !== null && wanted !== undefined && kLevels.includes(wanted) ? wanted : (model?.defaultReasoningEffort ?? "none");
  const distance = (level: ReasoningLevel): number => Math.abs(kLevels.indexOf(level) - kLevels.indexOf(known));
  const levels = model?.supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort) ?? [];
  return levels.sort((a, b) => distance(a) - distance(b))[0] ?? known;
}
