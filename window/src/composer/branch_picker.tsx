import { useQuery } from "@tanstack/react-query";

import { api } from "@/api/http";
import { queryClient } from "@/api/queries";
import { Select } from "@/ui/select";

interface Branches {
  branches: string[];
  remoteBranches: string[];
  defaultWorktreeBaseBranch: string | null;
}

/** Of each list; more are a matter of the command line. */
const kShown = 200;

/** The branch that the worktree of a new thread starts from. Nothing while it is not known which there are. */
export function BranchPicker({
  projectId,
  hostId,
  value,
  onChange,
}: {
  projectId: string;
  hostId: string;
  /** Null: the default one. */
  value: string | null;
  onChange: (branch: string | null) => void;
}) {
  const { data } = useQuery(
    {
      queryKey: ["project-branches", projectId, hostId],
      queryFn: ({ signal }) =>
        api<Branches>("GET", `/projects/${encodeURIComponent(projectId)}/branches`, { query: { hostId, limit: kShown }, signal }),
      retry: false,
    },
    queryClient,
  );
  if (data === undefined) {
    return null;
  }
  const standard = data.defaultWorktreeBaseBranch;
  const names = [...new Set([...data.branches, ...data.remoteBranches, ...(value === null ? [] : [value])])];
  return (
    <Select
      aria-label="Branch it starts from"
      className="w-48"
      value={value ?? ""}
      options={[
        { value: "", label: standard === null ? "From the default branch" : `From ${standard} (default)` },
        ...names.filter((name) => name !== standard).map((name) => ({ value: name, label: `From ${name}` })),
      ]}
      onValueChange={(next) => onChange(next === "" ? null : next)}
    />
  );
}
