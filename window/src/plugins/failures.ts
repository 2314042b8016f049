import { describeFailure, diagnosticsNow, updateDiagnostics } from "./diagnostics";
import { sendReport } from "./report";
import type { FailurePhase, PluginFailure } from "./types";

/** Milliseconds in which the same failure again is not news: a timer that throws would keep the window busy rendering it. */
const kSameFailureMs = 1000;

/**
 * Records a failure of plugin code in the diagnostics and tells the service. `slot` names what it happened in. It disables
 * nothing.
 */
export function reportPluginFailure(pluginId: string, phase: FailurePhase, failure: unknown, slot?: string, hash?: string): void {
  const said = describeFailure(failure);
  const lastFailure: PluginFailure = { phase, at: Date.now(), ...said, ...(slot === undefined ? {} : { slot }) };
  if (isSameAgain(diagnosticsNow(pluginId)?.lastFailure, lastFailure)) {
    return;
  }
  updateDiagnostics(pluginId, { lastFailure });
  const { generation = 0, hash: active = null } = diagnosticsNow(pluginId) ?? {};
  sendReport(pluginId, {
    hash: hash ?? active ?? "",
    generation,
    phase,
    message: said.message,
    ...(slot === undefined ? {} : { slot }),
    ...(said.stack === undefined ? {} : { stack: said.stack }),
  });
}

function isSameAgain(before: PluginFailure | undefined, now: PluginFailure): boolean {
  return (
    before !== undefined &&
    now.at - before.at < kSameFailureMs &&
    before.phase === now.phase &&
    before.slot === now.slot &&
    before.message === now.message
  );
}

/** Something the window put up with, for example an unknown icon name. Said once per bundle. */
export function addPluginWarning(pluginId: string, message: string): void {
  addOnce(pluginId, "warnings", message);
}

/** A member that is accepted and does nothing in this version. Said once per bundle. */
export function addPluginUnsupported(pluginId: string, name: string): void {
  addOnce(pluginId, "unsupported", name);
}

function addOnce(pluginId: string, list: "warnings" | "unsupported", text: string): void {
  const diagnostics = diagnosticsNow(pluginId);
  if (diagnostics === undefined || diagnostics[list].includes(text)) {
    return;
  }
  updateDiagnostics(pluginId, { [list]: [...diagnostics[list], text] });
  reportNotes(
    pluginId,
    diagnostics.hash ?? "",
    diagnostics.generation,
    list === "warnings" ? [text] : [],
    list === "warnings" ? [] : [text],
  );
}

/** Tells the service what was ignored or is unsupported, in one report. */
export function reportNotes(
  pluginId: string,
  hash: string,
  generation: number,
  warnings: readonly string[],
  unsupported: readonly string[],
): void {
  const lines = [
    ...warnings,
    ...(unsupported.length > 0 ? [`not supported by this version, without effect: ${unsupported.join(", ")}`] : []),
  ];
  if (lines.length > 0) {
    sendReport(pluginId, { hash, generation, phase: "setup", level: "warn", message: lines.join("\n") });
  }
}

/** Takes back what a window told the service of this bundle: it is in use here. */
export function reportLoaded(pluginId: string, hash: string, generation: number): void {
  sendReport(pluginId, { hash, generation, phase: "loaded", level: "info", message: "the app entry is in use" });
}
