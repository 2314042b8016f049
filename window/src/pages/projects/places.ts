import type { Host } from "@/api/hosts";

/** What people call a machine; its id when it is not known any more. */
export function machineName(hosts: readonly Host[] | undefined, hostId: string): string {
  const host = hosts?.find(({ id }) => id === hostId);
  return host?.name ?? (hosts === undefined ? "…" : `a machine that was removed (${hostId})`);
}

/** What a folder would be called as a project: its last part. */
export function nameOf(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? "";
}
