import { useQuery } from "@tanstack/react-query";

import type { Model } from "#sdk/records.js";
import type { ProviderModels } from "#sdk/sdk_providers.js";

import { api } from "@/api/http";
import { hasRecords } from "@/api/queries";

/** The models that an agent offers; none while they are not known. */
export function useModels(providerId: string): Model[] {
  const { data } = useQuery({
    queryKey: ["models", providerId],
    queryFn: async ({ signal }) =>
      (await hasRecords("providers"))
        ? (await api<ProviderModels>("GET", "/providers/models", { query: { providerId }, signal })).models
        : [],
    enabled: providerId !== "",
  });
  return data ?? [];
}
