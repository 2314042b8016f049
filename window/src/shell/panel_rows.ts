import { useEffect, useMemo, useRef } from "react";

import { usePlugins } from "@/api/queries";
import { hasActiveApp, type PluginRecord } from "@/api/records";
import { type ActivePlugin, type PluginDiagnostics, useActivePlugins, useAllDiagnostics } from "@/plugins/registry";

import { readPreference, usePreference, writePreference } from "@/lib/preferences";

import { fold } from "./palette/matching";

/** What is remembered of a row, so that it keeps its place before the plugin's bundle has registered. */
export interface KnownRow {
  readonly [member: string]: string;
  readonly pluginId: string;
  readonly panelId: string;
  readonly title: string;
  readonly icon: string;
  readonly path: string;
}

/** A row of the sidebar that leads to a plugin's page. */
export interface PanelRow extends KnownRow {
  readonly key: string;
}

export interface PanelRows {
  readonly shown: readonly PanelRow[];
  /** Under `More`. */
  readonly hidden: readonly PanelRow[];
}

const kKnown = "sidebar.known";
const kNoRows: KnownRow[] = [];
const kNoKeys: string[] = [];

const keyOf = ({ pluginId, panelId }: { pluginId: string; panelId: string }) => `${pluginId}/${panelId}`;

function liveRows(plugins: readonly ActivePlugin[]): KnownRow[] {
  return plugins.flatMap(({ pluginId, app }) =>
    app.navPanels.map(({ id, title, icon, path }) => ({ pluginId, panelId: id, title, icon, path })),
  );
}

/** Whether a remembered row may still be right although its plugin is not active: it is loading, or its new bundle failed. */
function isExpected(
  row: KnownRow,
  records: readonly PluginRecord[] | undefined,
  diagnostics: ReadonlyMap<string, PluginDiagnostics>,
): boolean {
  if (records === undefined) {
    return true;
  }
  const record = records.find(({ id }) => id === row.pluginId);
  if (record === undefined || !record.enabled) {
    return false;
  }
  return record.status === "starting" || (hasActiveApp(record) && (record.app.bundle !== null || diagnostics.has(record.id)));
}

/** Rows in slot order: what plugins registered, and in between what is remembered of those that load. */
export function currentRows(
  plugins: readonly ActivePlugin[],
  known: readonly KnownRow[],
  records: readonly PluginRecord[] | undefined,
  diagnostics: ReadonlyMap<string, PluginDiagnostics>,
): KnownRow[] {
  const active = new Set(plugins.map(({ pluginId }) => pluginId));
  const expected = known.filter((row) => !active.has(row.pluginId) && isExpected(row, records, diagnostics));
  // The sort is stable: rows of one plugin stay in the order of their registration.
  return [...liveRows(plugins), ...expected].sort((a, b) => (a.pluginId < b.pluginId ? -1 : a.pluginId > b.pluginId ? 1 : 0));
}

/** The user's order first, the rest after it. */
export function orderRows(rows: readonly KnownRow[], order: readonly string[], hidden: readonly string[]): PanelRows {
  const rank = new Map(order.map((key, index) => [key, index]));
  const sorted = rows
    .map((row, index) => ({ row: { ...row, key: keyOf(row) } as PanelRow, rank: rank.get(keyOf(row)) ?? order.length + index }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row);
  return { shown: sorted.filter(({ key }) => !hidden.includes(key)), hidden: sorted.filter(({ key }) => hidden.includes(key)) };
}

/** More rows than these scroll by themselves and can be filtered. */
export const kManyRows = 12;

/** Rows in which every word occurs in the title or the plugin's id; those whose title begins with what is asked for come first. */
export function matchingRows(rows: readonly PanelRow[], query: string): PanelRow[] {
  const asked = fold(query.trim());
  const words = asked.split(/\s+/).filter(Boolean);
  const isFirst = (row: PanelRow) => Number(fold(row.title).startsWith(asked));
  return rows
    .filter((row) => words.every((word) => fold(`${row.title} ${row.pluginId}`).includes(word)))
    .sort((a, b) => isFirst(b) - isFirst(a));
}

/** The order after `key` moved to `index` among the shown rows; keys of rows that are not there now keep their places. */
export function movedOrder(order: readonly string[], shown: readonly string[], key: string, index: number): string[] {
  const rows = shown.filter((other) => other !== key);
  rows.splice(Math.max(0, Math.min(index, rows.length)), 0, key);
  const remaining = [...rows];
  const isShown = new Set(rows);
  const merged = order.map((old) => (isShown.has(old) ? remaining.shift()! : old));
  return [...merged, ...remaining];
}

/**
 * Remembers the rows for the next start. Used once in a window. All windows of the browser share what is stored and may know different
 * rows for as long as they are open, so each writes only when what it knows itself has changed, never in answer to another window.
 */
export function useRememberPanelRows(): void {
  const plugins = useActivePlugins();
  const records = usePlugins().data;
  const diagnostics = useAllDiagnostics();
  const lastSaid = useRef<string>(undefined);
  useEffect(() => {
    // Before the records are there nothing is known to be gone.
    if (records === undefined) {
      return;
    }
    const known = readPreference(kKnown, kNoRows);
    const rows = currentRows(plugins, known, records, diagnostics);
    const said = JSON.stringify(rows);
    if (said !== lastSaid.current && said !== JSON.stringify(known)) {
      writePreference(kKnown, rows);
    }
    lastSaid.current = said;
  }, [plugins, records, diagnostics]);
}

/** The plugins' rows of the sidebar, and what the user can do with them. */
export function usePanelRows() {
  const plugins = useActivePlugins();
  const records = usePlugins().data;
  const diagnostics = useAllDiagnostics();
  const [known] = usePreference<KnownRow[]>(kKnown, kNoRows);
  const [order, setOrder] = usePreference<string[]>("sidebar.order", kNoKeys);
  const [hidden, setHidden] = usePreference<string[]>("sidebar.hidden", kNoKeys);

  const rows = useMemo(() => currentRows(plugins, known, records, diagnostics), [plugins, known, records, diagnostics]);

  const ordered = useMemo(() => orderRows(rows, order, hidden), [rows, order, hidden]);
  const shownKeys = ordered.shown.map(({ key }) => key);
  return {
    ...ordered,
    move: (key: string, index: number) => setOrder(movedOrder(order, shownKeys, key, index)),
    hide: (key: string) => setHidden((keys) => [...keys.filter((other) => other !== key), key]),
    show: (key: string) => setHidden((keys) => keys.filter((other) => other !== key)),
  };
}
