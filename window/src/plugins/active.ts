import { createStore, useStore } from "@/lib/store";

import type { ActivePlugin, Registered, RegistrationKinds } from "./types";

/** Sorted by id: slot order. Replaced as a whole, so that a render never sees half of a publication. */
const active = createStore<readonly ActivePlugin[]>([]);

interface Listed {
  /** The publication it was made for. */
  of: readonly ActivePlugin[];
  list: readonly Registered<keyof RegistrationKinds>[];
}
const byKind = new Map<keyof RegistrationKinds, Listed>();

/** Makes `plugins` the app entries that are in use. */
export function publishPlugins(plugins: Iterable<ActivePlugin>): void {
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
  return useStore(active);
}

/**
 * As `useRegistrations`, outside of React. The list stays the same object while its registrations are the same, so that the
 * publication of one plugin does not render the slots of others.
 */
export function registrationsNow<K extends keyof RegistrationKinds>(kind: K): readonly Registered<K>[] {
  const of = active.get();
  const known = byKind.get(kind);
  if (known?.of === of) {
    return known.list as readonly Registered<K>[];
  }
  const now: Registered<K>[] = of.flatMap((plugin) => plugin.app[kind].map((registration) => ({ plugin, registration })));
  const before = known?.list ?? [];
  const isSame = before.length === now.length && before.every((old, index) => isSameRegistration(old, now[index]!));
  const list = known !== undefined && isSame ? (before as readonly Registered<K>[]) : now;
  byKind.set(kind, { of, list });
  return list;
}

function isSameRegistration(a: Registered<keyof RegistrationKinds>, b: Registered<keyof RegistrationKinds>): boolean {
  return a.plugin === b.plugin && a.registration === b.registration;
}

/** All registrations of one kind in slot order: plugins by id, then as they were registered. */
export function useRegistrations<K extends keyof RegistrationKinds>(kind: K): readonly Registered<K>[] {
  return useStore(active, () => registrationsNow(kind));
}
