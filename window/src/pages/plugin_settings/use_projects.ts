import { useQuery } from "@tanstack/react-query";

import { api } from "@/api/http";

export interface ProjectChoice {
  id: string;
  name: string;
}

/** The projects to choose from; null while the service does not say. */
export function useProjects(): readonly ProjectChoice[] | null {
  const query = useQuery({
    queryKey: ["projects", "choices"],
    queryFn: async ({ signal }) => (await api<{ projects: ProjectChoice[] }>("GET", "/projects", { signal })).projects,
    retry: false,
  });
  return Array.isArray(query.data) ? query.data : null;
}
