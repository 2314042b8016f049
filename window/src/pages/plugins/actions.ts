import { useState } from "react";

import type { PluginRecord, PluginScheduleInfo, PluginUpdateCheck } from "#sdk/record.js";

import { api } from "@/api/http";
import { ApiError } from "@/lib/api_error";
import { invalidatePlugins } from "@/api/queries";
import type { SafeMode } from "@/api/records";
import { notify } from "@/lib/notifications";

import type { InstallRequest } from "./install_model";

const at = (id: string, rest = "") => `/plugins/${encodeURIComponent(id)}${rest}`;

async function changing<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    // The service announces changes too; what is on screen does not wait for that.
    invalidatePlugins();
  }
}

export async function setEnabled(id: string, enabled: boolean): Promise<PluginRecord> {
  const { plugin } = await changing(api<{ plugin: PluginRecord }>("POST", at(id, enabled ? "/enable" : "/disable")));
  return plugin;
}

/** Loads one plugin again, or all of them, and says so. Rejects when one did not load. */
export async function reloadPlugin(id: string | undefined, name: string): Promise<void> {
  await changing(api("POST", "/plugins/reload", { query: { id } }));
  notify({ kind: "success", title: `Reloaded ${name}`, ...(id === undefined ? {} : { pluginId: id }) });
}

/** What was removed keeps some of its data; `kept` names it. */
export async function removePlugin(id: string, purge: boolean): Promise<{ removed: string; kept: string[] }> {
  return changing(api("DELETE", at(id), { query: { purge } }));
}

/** Creates the token when there is none. `rotate` replaces it: the old one stops working at once. */
export async function readToken(id: string, rotate: boolean): Promise<string> {
  const { token } = await api<{ token: string }>("POST", at(id, "/token"), { body: { rotate } });
  return token;
}

export async function runSchedule(id: string, name: string): Promise<PluginScheduleInfo> {
  const path = at(id, `/schedules/${encodeURIComponent(name)}/run`);
  return (await changing(api<{ schedule: PluginScheduleInfo }>("POST", path))).schedule;
}

/** Asks the sources of all plugins, or of one, for newer versions. */
export async function checkUpdates(id?: string): Promise<PluginUpdateCheck[]> {
  const body = id === undefined ? {} : { id };
  return (await changing(api<{ results: PluginUpdateCheck[] }>("POST", "/plugins/updates/check", { body, timeoutMs: 0 }))).results;
}

export interface UpdateResult {
  applied: boolean;
  from: string;
  to?: string;
  outcome: "current" | "updated" | "rolled-back";
  detail?: string;
}

/** The newer version that the window shows: when there is another one by now, it is not installed unseen. */
export function shownUpdate({ updateState }: Partial<Pick<PluginRecord, "updateState">>): { confirmedSource: string } | undefined {
  const source = updateState?.availableSource;
  return source === undefined ? undefined : { confirmedSource: source };
}

/**
 * Waits until the new version proved itself or was rolled back, which takes up to a minute. `to`: another source than that of now, or the
 * version that was shown.
 */
export async function updatePlugin(id: string, to?: InstallRequest | { confirmedSource: string }): Promise<UpdateResult> {
  try {
    return await changing(api<UpdateResult>("POST", at(id, "/update"), { body: to ?? {}, timeoutMs: 0 }));
  } catch (error) {
    if (error instanceof ApiError && error.code === "update_refused") {
      // What there is by now is shown for the next try.
      void checkUpdates(id).catch(() => undefined);
    }
    throw error;
  }
}

/** For whoever does not look at the plugin's page any more. */
export function tellUpdate({ id, name }: { id: string; name: string }, result: UpdateResult): void {
  const [kind, title] =
    result.outcome === "updated"
      ? (["success", `${name} was updated to ${result.to ?? "the newest version"}`] as const)
      : result.outcome === "rolled-back"
        ? (["error", `The update of ${name} was rolled back`] as const)
        : (["info", `${name} is up to date`] as const);
  notify({ kind, title, pluginId: id, ...(result.detail === undefined ? {} : { description: result.detail }) });
}

/** Where a rollback of a plugin leads. Times are epoch milliseconds. */
export interface RollbackTarget {
  version: string;
  resolved: string;
  /** The data is that of this moment. */
  takenAt: number;
  keptUntil: number;
}

/** Returns to what the user has seen; the service refuses when that is another version by now. */
export async function rollBackPlugin(id: string, { version }: RollbackTarget): Promise<{ from: string; to: string; plugin: PluginRecord }> {
  return changing(api("POST", at(id, "/rollback"), { body: { version }, timeoutMs: 0 }));
}

/** Waits until every plugin was held, or until the enabled ones loaded. */
export async function setSafeMode(enabled: boolean): Promise<SafeMode> {
  return changing(api<SafeMode>("PUT", "/plugins/safe-mode", { body: { enabled }, timeoutMs: 0 }));
}

/** The message of a failure for people. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError) {
    return error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

export interface Action {
  /** The name of what runs now; null when nothing does. */
  readonly busy: string | null;
  /** Runs one thing at a time; a failure becomes a notification titled `what`. Resolves to whether it worked. */
  run(name: string, what: string, work: () => Promise<unknown>): Promise<boolean>;
}

/** Runs actions on one plugin from its buttons. */
export function useAction(pluginId?: string): Action {
  const [busy, setBusy] = useState<string | null>(null);
  return {
    busy,
    async run(name, what, work) {
      if (busy !== null) {
        return false;
      }
      setBusy(name);
      try {
        await work();
        return true;
      } catch (error) {
        notify({ kind: "error", title: what, description: failureText(error), ...(pluginId === undefined ? {} : { pluginId }) });
        return false;
      } finally {
        setBusy(null);
      }
    },
  };
}
