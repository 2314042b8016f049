import type { Terminal } from "@/api/terminals";

/** A shell that runs on `host_1`. */
export function terminalRecord(more: Partial<Terminal> = {}): Terminal {
  return {
    id: "term_1",
    scope: { kind: "host_path", hostId: "host_1", cwd: "/home/ada" },
    threadId: null,
    environmentId: null,
    hostId: "host_1",
    title: "build",
    status: "running",
    exitCode: null,
    closeReason: null,
    initialCwd: "/home/ada",
    cols: 80,
    rows: 24,
    lastUserInputAt: null,
    createdAt: 1,
    updatedAt: 1,
    ...more,
  };
}
