import { hasActiveApp, type PluginRecord } from "@/api/records";
import type { PluginDiagnostics } from "./types";

/** Why there is nothing to show of a plugin: of its page, or where it is to draw something. */
export type PlaceholderState =
  | { kind: "loading" }
  | { kind: "unreachable" }
  | { kind: "removed" }
  | { kind: "disabled" }
  | { kind: "held" }
  | { kind: "stopped"; status: PluginRecord["status"]; detail: string | null }
  | { kind: "failed" }
  | { kind: "needs-update" }
  | { kind: "no-app" }
  | { kind: "unknown-panel" };

export interface PlaceholderInput {
  record: PluginRecord | undefined;
  /** Whether the list of records is there, and whether it could not be fetched. */
  areRecordsKnown: boolean;
  isError: boolean;
  diagnostics: PluginDiagnostics | undefined;
  isActive: boolean;
}

export function placeholderState({ record, areRecordsKnown, isError, diagnostics, isActive }: PlaceholderInput): PlaceholderState {
  if (isActive) {
    return { kind: "unknown-panel" };
  }
  if (!areRecordsKnown) {
    return { kind: isError ? "unreachable" : "loading" };
  }
  if (record === undefined) {
    return { kind: "removed" };
  }
  if (!record.enabled) {
    return { kind: "disabled" };
  }
  if (record.status === "disabled") {
    // Enabled and yet not running: safe mode is on.
    return { kind: "held" };
  }
  if (record.status === "starting") {
    return { kind: "loading" };
  }
  if (!hasActiveApp(record)) {
    return { kind: "stopped", status: record.status, detail: record.statusDetail };
  }
  if (diagnostics?.state === "failed") {
    return { kind: "failed" };
  }
  if (diagnostics?.state === "needs-update" || record.app.bundle?.compatible === false) {
    return { kind: "needs-update" };
  }
  return { kind: record.app.bundle === null ? "no-app" : "loading" };
}
