import { useQuery } from "@tanstack/react-query";

import { api } from "@/api/http";
import { hasRecords } from "@/api/queries";

export interface ProjectChoice {
  id: string;
  name: string;
}

/** The projects to choose from; null while the service does not say, or has none. */
export function useProjects(): readonly ProjectChoice[] | null {
  const query = useQuery({
    queryKey: ["projects", "choices"],
    queryFn: async ({ signal }) =>
      (await hasRecords("projects")) ? (await api<{ projects: ProjectChoice[] }>("GET", "/projects", { signal })).projects : null,
    retry: false,
  });
  return Array.isArray(query.data) ? query.data : null;
}
