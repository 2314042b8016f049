import type { PluginRecord, PluginStatus } from "#sdk/record.js";

export type Tone = "neutral" | "warning" | "error" | "info";

export interface StatusBadge {
  label: string;
  tone: Tone;
  isBusy?: boolean;
}

const kBadges: Readonly<Record<PluginStatus, StatusBadge | null>> = {
  running: null,
  disabled: null,
  starting: { label: "Starting", tone: "neutral", isBusy: true },
  error: { label: "Error", tone: "error" },
  incompatible: { label: "Incompatible", tone: "error" },
  missing: { label: "Missing", tone: "error" },
  "needs-configuration": { label: "Setup required", tone: "warning" },
  degraded: { label: "Degraded", tone: "warning" },
};

/** The badge of a status; null for the ones that need none. */
export function statusBadge(status: PluginStatus): StatusBadge | null {
  return kBadges[status];
}

const kStatusNames: Readonly<Record<PluginStatus, string>> = {
  running: "Running",
  disabled: "Disabled",
  starting: "Starting",
  error: "Error",
  incompatible: "Incompatible",
  missing: "Missing",
  "needs-configuration": "Setup required",
  degraded: "Degraded",
};

export function statusName(status: PluginStatus): string {
  return kStatusNames[status];
}

/** The version a plugin can be updated to; undefined when there is none, or while the last check is older than the update. */
export function availableUpdate({ version, updateState }: Pick<PluginRecord, "version" | "updateState">): string | undefined {
  const { outcome, availableVersion } = updateState;
  return outcome === "update-available" && availableVersion !== version ? availableVersion : undefined;
}

/** Plugins that are part of the service can only be disabled; one that is no part of it any more can go. */
export function isRemovable(record: Pick<PluginRecord, "provenance" | "isOrphanedBuiltin">): boolean {
  return record.provenance !== "builtin" || record.isOrphanedBuiltin;
}

/** A plugin used in place, from a directory its author edits. */
export function isPathSource(record: Pick<PluginRecord, "source">): boolean {
  return record.source.startsWith("path:");
}

/** A plugin that can be reloaded into a working state by its user, or null where nothing is to be done. */
export function statusHint(record: Pick<PluginRecord, "status" | "source" | "statusDetail">): string | null {
  switch (record.status) {
    case "error":
      return isPathSource(record)
        ? "Edit the plugin's files and reload it."
        : "Install the plugin again, or update it to a version that works.";
    case "incompatible":
      return isPathSource(record)
        ? "Change the range under engines in its package.json, or run a version of the service it accepts."
        : "Update the plugin to a version that accepts this service, or run a version of the service it accepts.";
    case "missing":
      return "Restore its directory and reload the plugin, or install it again.";
    case "needs-configuration":
      return "Open its settings and fill in what is missing; the plugin starts by itself after that.";
    case "degraded":
      return "Reload the plugin. What did not stop is named above.";
    default:
      return null;
  }
}

/** Statuses in which settings and contributed user interface work. */
export function isServing(status: PluginStatus): boolean {
  return status === "running" || status === "needs-configuration" || status === "degraded";
}

/** The part of a window's diagnostics that a row's signal depends on. */
export interface UiHealth {
  state: "active" | "stale" | "failed" | "needs-update";
}

export interface RowSignal extends StatusBadge {
  kind: "failed-update" | "status" | "ui" | "update";
  /** A sentence for a tooltip and for screen readers. */
  detail: string | null;
}

const kUiSignals: Readonly<Partial<Record<UiHealth["state"], string>>> = {
  stale: "Its new user interface failed; this window shows the previous version.",
  failed: "Its user interface failed to load in this window.",
  "needs-update": "Its user interface was built for another version of the service.",
};

/** The one thing a row says about a plugin: the first of failed update, status, user interface, available update. */
export function rowSignal(record: PluginRecord, ui: UiHealth | undefined): RowSignal | null {
  const { lastFailure } = record.updateState;
  // What a user rolled back is no failure, and no news either when it is offered again.
  if (lastFailure !== undefined && !lastFailure.byHand) {
    return {
      kind: "failed-update",
      label: "Update failed",
      tone: "error",
      detail: `The update to ${lastFailure.version} was rolled back: ${lastFailure.detail}`,
    };
  }
  const badge = statusBadge(record.status);
  if (badge !== null) {
    return { ...badge, kind: "status", detail: record.statusDetail };
  }
  const failure = ui === undefined || record.status === "disabled" ? undefined : kUiSignals[ui.state];
  if (failure !== undefined) {
    return { kind: "ui", label: ui?.state === "stale" ? "Previous UI" : "UI failed", tone: "warning", detail: failure };
  }
  const available = availableUpdate(record);
  if (available !== undefined && record.updateState.rolledBack === undefined) {
    return { kind: "update", label: `Update ${available}`, tone: "info", detail: `Version ${available} is available.` };
  }
  return null;
}
