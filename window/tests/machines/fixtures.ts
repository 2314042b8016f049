import type { Host } from "@/api/hosts";

/** A machine that is connected. */
export function hostRecord(more: Partial<Host> = {}): Host {
  return {
    id: "host_1",
    name: "laptop",
    type: "persistent",
    status: "connected",
    role: "machine",
    state: "available",
    stateMessage: null,
    machineProviderId: null,
    lifecycle: { phase: "active", message: null, teardown: null },
    maxPermissionMode: "full",
    lastSeenAt: 1,
    lastRejectedProtocolVersion: null,
    createdAt: 1,
    updatedAt: 1,
    ...more,
  };
}

/** The server's own machine. */
export const ownMachine = hostRecord({ id: "host_0", name: "home", role: "server" });
