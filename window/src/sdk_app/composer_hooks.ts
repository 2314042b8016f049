import { replaceEqualDeep } from "@tanstack/react-query";
import { useCallback, useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";

import type { Composer, ComposerView, PluginComposerScope } from "#sdk/app/composer.js";

import { composerHandle, composerViewOf, inertComposer, type HandleOwner } from "@/composer/handle";
import { composersNow, findComposer, subscribeComposers, useComposers as useModels } from "@/composer/registry";
import type { PluginMount } from "@/plugins/mount_context";
import { useIsCompact } from "@/lib/viewport";
import { useMount, usePlace, type MountPlace } from "./mount";

// The context of a mount is renewed when its plugin's record changes; `own` stays, as long as the mount.
const owners = new WeakMap<PluginMount["own"], HandleOwner>();

/** One owner per mount: locks and effects are told apart by it. */
export function composerOwnerOf(mount: PluginMount): HandleOwner {
  let owner = owners.get(mount.own);
  if (owner === undefined) {
    const { pluginId, name } = mount.plugin;
    owner = { pluginId, name, own: mount.own };
    owners.set(mount.own, owner);
  }
  return owner;
}

function scopeOf({ projectId, threadId }: MountPlace): PluginComposerScope {
  return threadId === null ? { kind: "new-thread", projectId } : { kind: "thread", threadId, projectId };
}

/** What `select` takes of the composer at this place; the same object until something in it differs. */
function useComposerOf<T>(hook: string, select: (composer: Composer) => T): T {
  const mount = useMount(hook);
  const owner = composerOwnerOf(mount);
  const place = usePlace(mount);
  const isCompact = useIsCompact();
  const model = findComposer(useModels(), { composerKey: mount.surface?.composerKey, threadId: place.threadId });
  const read = useCallback(
    () => select(model === undefined ? inertComposer(scopeOf(place)) : composerHandle(model, model.state, owner, isCompact)),
    [model, owner, place, isCompact, select],
  );
  return useEqual(model?.subscribe ?? subscribeNothing, read);
}

/**
 * Follows what `read` returns; the same object until something in it differs from what was rendered. Plugins name a composer in
 * dependency lists: what an effect takes back and sets again, with listeners called in between, must not start that effect once more.
 */
function useEqual<T>(subscribe: (listener: () => void) => () => void, read: () => T): T {
  const rendered = useRef<T>(undefined);
  const snapshot = useMemo(() => {
    let last: T | undefined;
    return () => {
      const next = read();
      const same = replaceEqualDeep(rendered.current, next) as T;
      last = same === rendered.current ? same : (replaceEqualDeep(last, next) as T);
      return last;
    };
  }, [read]);
  const value = useSyncExternalStore(subscribe, snapshot, snapshot);
  // Before the effects of all who were given it.
  useInsertionEffect(() => {
    rendered.current = value;
  });
  return value;
}

const subscribeNothing = () => () => undefined;
const itself = (composer: Composer) => composer;

export const useComposer = (): Composer => useComposerOf("useComposer", itself);

export const useComposerView = (): ComposerView => useComposerOf("useComposerView", composerViewOf);

/** Follows the composers on screen and what happens in each of them. */
function subscribeAll(listener: () => void): () => void {
  let stops: (() => void)[] = [];
  const follow = () => {
    stops.forEach((stop) => stop());
    stops = composersNow().map((model) => model.subscribe(listener));
  };
  const stop = subscribeComposers(() => {
    follow();
    listener();
  });
  follow();
  return () => {
    stop();
    stops.forEach((each) => each());
  };
}

export function useComposers(): Composer[] {
  const owner = composerOwnerOf(useMount("useComposers"));
  const isCompact = useIsCompact();
  const read = useCallback(() => composersNow().map((model) => composerHandle(model, model.state, owner, isCompact)), [owner, isCompact]);
  return useEqual(subscribeAll, read);
}
