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

/** The model by either of its names, else the one that is used without a choice. */
export function modelOf({ models, selectedOnlyModels }: ProviderModels, wanted: string | null | undefined): Model | undefined {
  const all = [...models, ...selectedOnlyModels];
  return all.find(({ id, model }) => id === wanted || model === wanted) ?? models.find(({ isDefault }) => isDefault) ?? models[0];
}
