import { useSyncExternalStore } from "react";

import { Observable } from "./observable";
import type { ActivePlugin, Registered, RegistrationKinds } from "./types";

/** Sorted by id: slot order. Replaced as a whole, so that a render never sees half of a publication. */
const active = new Observable<readonly ActivePlugin[]>([]);
let byKind = new Map<keyof RegistrationKinds, readonly Registered<keyof RegistrationKinds>[]>();

/** Makes `plugins` the app entries that are in use. */
export function publishPlugins(plugins: Iterable<ActivePlugin>): void {
  byKind = new Map();
  active.set([...plugins].sort((a, b) => (a.pluginId < b.pluginId ? -1 : a.pluginId > b.pluginId ? 1 : 0)));
}

export function activePluginsNow(): readonly ActivePlugin[] {
  return active.get();
}

export function subscribeActivePlugins(listener: () => void): () => void {
  return active.subscribe(listener);
}

/** App entries that are in use, sorted by id: slot order. */
export function useActivePlugins(): readonly ActivePlugin[] {
  return useSyncExternalStore(active.subscribe, active.get);
}

/** As `useRegistrations`, outside of React. The list is the same object until something is published. */
export function registrationsNow<K extends keyof RegistrationKinds>(kind: K): readonly Registered<K>[] {
  let list = byKind.get(kind);
  if (list === undefined) {
    list = active.get().flatMap((plugin) => plugin.app[kind].map((registration) => ({ plugin, registration })));
    byKind.set(kind, list);
  }
  return list as readonly Registered<K>[];
}

/** All registrations of one kind in slot order: plugins by id, then as they were registered. */
export function useRegistrations<K extends keyof RegistrationKinds>(kind: K): readonly Registered<K>[] {
  const read = () => registrationsNow(kind);
  return useSyncExternalStore(active.subscribe, read, read);
}
