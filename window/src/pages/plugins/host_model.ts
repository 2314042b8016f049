import type { PluginRecord } from "@/api/records";

import { type LogEntry, parseLogLine } from "@/pages/logs/log_model";

/** What one machine wrote into the log of a plugin. */
export interface MachineLines {
  hostId: string;
  count: number;
  last: LogEntry;
  /** The last line of its error stream. */
  lastWarning: LogEntry | null;
}

const kSourcePrefix = "host:";

/** Sorts stored log lines by the machine they come from, the one that wrote last first. */
export function machineLines(lines: readonly string[]): MachineLines[] {
  const machines = new Map<string, MachineLines>();
  for (const line of lines) {
    const entry = parseLogLine(line);
    if (entry === null || !entry.source.startsWith(kSourcePrefix)) {
      continue;
    }
    const hostId = entry.source.slice(kSourcePrefix.length);
    const before = machines.get(hostId);
    machines.set(hostId, {
      hostId,
      count: (before?.count ?? 0) + 1,
      last: entry,
      lastWarning: entry.level === "warn" || entry.level === "error" ? entry : (before?.lastWarning ?? null),
    });
  }
  return [...machines.values()].sort((a, b) => b.last.seq - a.last.seq);
}

/** What is wrong with the plugin's host bundle, when its status says so. */
export function hostProblem({ statusDetail }: Pick<PluginRecord, "statusDetail">): string | null {
  return statusDetail !== null && statusDetail.includes("host bundle") ? statusDetail : null;
}
