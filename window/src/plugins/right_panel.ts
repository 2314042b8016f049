import { useMemo, useSyncExternalStore } from "react";

import type { JsonValue } from "#sdk/json.js";
import { findJsonProblem } from "#sdk/json_problem.js";

import { registrationsNow } from "./registry";

import { readPreference, writePreference } from "@/lib/preferences";
import { createStore, type Store, useStore } from "@/lib/store";

/** Of which registrations the tabs of a surface are made. */
export type PanelKind = "threadPanelActions" | "newThreadPanelActions" | "fixed";

/** In place of a plugin's id: a tab of the window's own. No plugin can have it. */
export const kOwnPanel = "svc:window";

/** A tab that an action opened. */
export interface PanelTab {
  readonly id: string;
  readonly pluginId: string;
  readonly actionId: string;
  readonly title: string | null;
  readonly params: JsonValue;
}

export interface PanelState {
  readonly isOpen: boolean;
  /** The tab that is shown; null shows the launcher. Fixed tabs have the id that `fixedTabId` gives. */
  readonly activeId: string | null;
  readonly tabs: readonly PanelTab[];
  /** Whether it was ever opened or closed here: until then the first fixed tab may open it. */
  readonly isTouched: boolean;
  /** Ids of the tabs that the service had when it was asked last: what is open and not here was opened since, what is here and not open was closed. */
  readonly taken: readonly string[];
}

export interface FixedTarget {
  /** Rises by one with each target. */
  readonly sequence: number;
  readonly target: unknown;
}

export interface OpenActionOptions {
  pluginId: string;
  actionId: string;
  title?: string;
  params?: JsonValue;
}

export interface OpenFixedOptions {
  pluginId: string;
  panelId: string;
  id: string;
  target?: unknown;
}

/** The right panel of one surface: a thread, the new-thread page or a plugin's page. */
export interface PanelSurface {
  readonly key: string;
  readonly kind: PanelKind;
  /** False when declined, with the reason on the console: `params` that are not JSON, an unknown action. */
  open(options: OpenActionOptions): boolean;
  /** False when the tab is unknown or its `validate` refuses the target. */
  openFixed(options: OpenFixedOptions): boolean;
  state(): PanelState;
  subscribe(listener: () => void): () => void;
  setOpen(isOpen: boolean): void;
  activate(tabId: string | null): void;
  close(tabId: string): void;
  /** What the service has, in place of the tabs that are open. `opens`: it opens a panel that nobody has touched. */
  take(tabs: readonly PanelTab[], opens: boolean): void;
  /** The service has these now; what is open stays. */
  setTaken(tabIds: readonly string[]): void;
  /** What was handed to a fixed tab last; memory only. */
  fixedTarget(tabId: string): FixedTarget | undefined;
  clearFixedTarget(tabId: string): void;
}

const kEmpty: PanelState = { isOpen: false, activeId: null, tabs: [], isTouched: false, taken: [] };
const kPreference = "panels";
// Surfaces whose tabs are kept in the browser, the least recently changed go first.
const kKeptSurfaces = 50;

type Kept = Record<string, { isOpen: boolean; activeId: string | null; tabs: JsonValue[]; taken?: string[] }>;

const surfaces = new Map<string, PanelSurface>();
const current = createStore<PanelSurface | null>(null);

export function fixedTabId(pluginId: string, panelId: string, id: string): string {
  return `fixed:${pluginId}/${panelId}/${id}`;
}

/** The surface with this key; the same object for the life of the window. */
export function panelSurface(key: string, kind: PanelKind): PanelSurface {
  let surface = surfaces.get(key);
  if (surface === undefined) {
    surface = createPanelSurface(key, kind);
    surfaces.set(key, surface);
  }
  return surface;
}

/** The surface of the route that is shown: what `openPanel` means outside of a panel's own surface. */
export function currentPanelSurface(): PanelSurface | null {
  return current.get();
}

/** Makes a surface the current one until the returned function is called. */
export function setCurrentPanelSurface(surface: PanelSurface): () => void {
  current.set(surface);
  return () => current.update((now) => (now === surface ? null : now));
}

export function useCurrentPanelSurface(): PanelSurface | null {
  return useStore(current);
}

export function usePanelSurface(key: string, kind: PanelKind): PanelSurface {
  return useMemo(() => panelSurface(key, kind), [key, kind]);
}

export function usePanelState(surface: PanelSurface): PanelState {
  return useSyncExternalStore(surface.subscribe, surface.state);
}

/** Opens on the current surface. False when there is none or it declines. */
export function openOnCurrentSurface(options: OpenActionOptions): boolean {
  const surface = current.get();
  return surface === null ? declined(options.pluginId, "this page has no right panel") : surface.open(options);
}

function declined(pluginId: string, reason: string): false {
  console.warn(`[plugin ${pluginId}] openPanel declined: ${reason}`);
  return false;
}

function isPanelTab(value: unknown): value is PanelTab {
  const tab = value as Partial<PanelTab> | null;
  return typeof tab === "object" && tab !== null && [tab.id, tab.pluginId, tab.actionId].every((field) => typeof field === "string");
}

function restored(key: string): PanelState {
  const kept = readPreference<Kept>(kPreference, {})[key];
  if (kept === undefined) {
    return kEmpty;
  }
  const tabs = (Array.isArray(kept.tabs) ? kept.tabs : []).filter((tab) => isPanelTab(tab)) as unknown as PanelTab[];
  const taken = Array.isArray(kept.taken) ? kept.taken : [];
  return { isOpen: kept.isOpen === true, activeId: kept.activeId ?? null, tabs, isTouched: true, taken };
}

function keep(key: string, state: PanelState): void {
  const { [key]: _, ...others } = readPreference<Kept>(kPreference, {});
  const mine = { isOpen: state.isOpen, activeId: state.activeId, tabs: state.tabs as unknown as JsonValue[], taken: [...state.taken] };
  const all = [...Object.entries(others), [key, mine] as const].slice(-kKeptSurfaces);
  writePreference(kPreference, Object.fromEntries(all) as unknown as JsonValue);
}

/** Tabs are the same when an action is given equal params, whatever the order of their members. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Of a tab with such params. */
export const panelTabId = (pluginId: string, actionId: string, params: JsonValue): string =>
  `tab:${pluginId}/${actionId}/${canonical(params)}`;

function createPanelSurface(key: string, kind: PanelKind): PanelSurface {
  const store: Store<PanelState> = createStore(restored(key));
  const targets = createStore<ReadonlyMap<string, FixedTarget>>(new Map());
  let sequence = 0;

  const change = (next: Partial<PanelState>) => {
    store.set({ ...store.get(), ...next, isTouched: true });
    keep(key, store.get());
  };

  return {
    key,
    kind,
    open({ pluginId, actionId, title, params }) {
      const given = params ?? null;
      const problem = findJsonProblem(given, "params");
      if (problem !== undefined) {
        return declined(pluginId, problem);
      }
      if (kind === "fixed") {
        return declined(pluginId, "this page has no panel for threads");
      }
      const isKnown =
        pluginId === kOwnPanel ||
        registrationsNow(kind).some(({ plugin, registration }) => plugin.pluginId === pluginId && registration.id === actionId);
      if (!isKnown) {
        return declined(pluginId, `no action "${actionId}" is registered for this page`);
      }
      const id = panelTabId(pluginId, actionId, given);
      const { tabs } = store.get();
      const isThere = tabs.some((tab) => tab.id === id);
      const copy = JSON.parse(JSON.stringify(given)) as JsonValue;
      change({
        isOpen: true,
        activeId: id,
        tabs: isThere ? tabs : [...tabs, { id, pluginId, actionId, title: title ?? null, params: copy }],
      });
      return true;
    },
    openFixed({ pluginId, panelId, id, target }) {
      const tab = registrationsNow("navPanels")
        .find(({ plugin, registration }) => plugin.pluginId === pluginId && registration.id === panelId)
        ?.registration.fixedTabs?.find((fixed) => fixed.id === id);
      if (kind !== "fixed" || tab === undefined) {
        return declined(pluginId, `this page has no fixed tab "${panelId}/${id}"`);
      }
      const tabId = fixedTabId(pluginId, panelId, id);
      if (target !== undefined) {
        try {
          if (tab.experimental_target?.validate(target) !== true) {
            return declined(pluginId, `the fixed tab "${panelId}/${id}" does not accept this target`);
          }
        } catch (failure) {
          return declined(pluginId, `validate of the fixed tab "${panelId}/${id}" failed: ${String(failure)}`);
        }
        targets.set(new Map(targets.get()).set(tabId, { sequence: ++sequence, target }));
      }
      change({ isOpen: true, activeId: tabId });
      return true;
    },
    state: store.get,
    subscribe(listener) {
      const stops = [store.subscribe(listener), targets.subscribe(listener)];
      return () => stops.forEach((stop) => stop());
    },
    setOpen: (isOpen) => change({ isOpen }),
    activate: (activeId) => change({ activeId, isOpen: true }),
    close(tabId) {
      const { tabs, activeId } = store.get();
      const index = tabs.findIndex((tab) => tab.id === tabId);
      const left = tabs.filter((tab) => tab.id !== tabId);
      const neighbour = left[Math.min(index, left.length - 1)]?.id ?? null;
      change({ tabs: left, activeId: activeId === tabId ? neighbour : activeId });
    },
    take(tabs, opens) {
      const { activeId, isOpen, isTouched } = store.get();
      const isThere = activeId?.startsWith("fixed:") === true || tabs.some(({ id }) => id === activeId);
      const keeps = isThere || (activeId === null && isTouched);
      const next = { tabs, taken: tabs.map(({ id }) => id), activeId: keeps ? activeId : (tabs[0]?.id ?? null) };
      const isFirst = !isTouched && opens && tabs.length > 0;
      if (isTouched || isFirst) {
        change({ ...next, isOpen: isOpen || isFirst });
      } else {
        store.set({ ...store.get(), ...next });
      }
    },
    setTaken: (taken) => change({ taken }),
    fixedTarget: (tabId) => targets.get().get(tabId),
    clearFixedTarget(tabId) {
      const next = new Map(targets.get());
      if (next.delete(tabId)) {
        targets.set(next);
      }
    },
  };
}
