import { useFollowHosts, useHosts } from "@/api/hosts";

/** Whether the machine was removed; one that is only away was not. */
export function useIsMachineGone(hostId: string | null): boolean {
  const hosts = useHosts({ enabled: hostId !== null }).data;
  useFollowHosts();
  return hostId !== null && hosts !== undefined && !hosts.some(({ id }) => id === hostId);
}
