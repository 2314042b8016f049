import { useMemo, useSyncExternalStore } from "react";

/** A value outside of React that components can follow. */
export interface Store<T> {
  get(): T;
  /** With an equal value tells nobody. */
  set(next: T): void;
  update(change: (current: T) => T): void;
  /** Returns what ends it. Listeners may come and go while they are told. */
  subscribe(listener: () => void): () => void;
}

export interface StoreOptions {
  /** Runs when the first listener comes; what it returns runs when the last one has left. */
  whileFollowed?(): () => void;
}

export function createStore<T>(initial: T, { whileFollowed }: StoreOptions = {}): Store<T> {
  let value = initial;
  let stop: (() => void) | undefined;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    if (Object.is(next, value)) {
      return;
    }
    value = next;
    for (const listener of [...listeners]) {
      listener();
    }
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(listener) {
      if (listeners.size === 0) {
        stop = whileFollowed?.();
      }
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) {
          stop?.();
        }
      };
    },
  };
}

/** What can be followed but not changed. */
export type ReadableStore<T> = Pick<Store<T>, "get" | "subscribe">;

const itself = (value: unknown) => value;

/**
 * The value of a store, or what `select` makes of it. Renders anew only when that is another one by `isSame`, so a component that
 * selects its own part of a map does not render for those of others.
 */
export function useStore<T>(store: ReadableStore<T>): T;
export function useStore<T, S>(store: ReadableStore<T>, select: (value: T) => S, isSame?: (a: S, b: S) => boolean): S;
export function useStore<T, S>(
  store: ReadableStore<T>,
  select: (value: T) => S = itself as (value: T) => S,
  isSame: (a: S, b: S) => boolean = Object.is,
): S {
  const read = useMemo(() => {
    let last: { readonly selected: S } | undefined;
    return () => {
      const selected = select(store.get());
      if (last === undefined || !isSame(last.selected, selected)) {
        last = { selected };
      }
      return last.selected;
    };
  }, [store, select, isSame]);
  return useSyncExternalStore(store.subscribe, read, read);
}

/** For `useStore`: whether two lists have the same members in the same order. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => Object.is(member, b[index]));
}
