import { useMemo, useSyncExternalStore } from "react";

import type { Composer, ComposerView, PluginComposerScope } from "#sdk/app/composer.js";

import { composerHandle, composerViewOf, inertComposer, type HandleOwner } from "../composer/handle";
import type { ComposerModel } from "../composer/model";
import { composersNow, findComposer, subscribeComposers, useComposers as useModels } from "../composer/registry";
import type { PluginMount } from "../plugins/mount_context";
import { useIsCompact } from "../shell/viewport";
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

function useComposerOf(hook: string): Composer {
  const mount = useMount(hook);
  const place = usePlace(mount);
  const isCompact = useIsCompact();
  const model = findComposer(useModels(), { composerKey: mount.surface?.composerKey, threadId: place.threadId });
  const state = useSyncExternalStore(model?.subscribe ?? subscribeNothing, model?.snapshot ?? nothing);
  return useMemo(
    () =>
      model === undefined || state === null
        ? inertComposer(scopeOf(place))
        : composerHandle(model, state, composerOwnerOf(mount), isCompact),
    [model, state, mount, place, isCompact],
  );
}

const subscribeNothing = () => () => undefined;
const nothing = () => null;

export const useComposer = (): Composer => useComposerOf("useComposer");

export function useComposerView(): ComposerView {
  const composer = useComposerOf("useComposerView");
  return useMemo(() => composerViewOf(composer), [composer]);
}

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

let snapshot: readonly { model: ComposerModel; state: ComposerModel["state"] }[] = [];

/** The same array until one of the composers changed. */
function allNow(): typeof snapshot {
  const models = composersNow();
  const isSame =
    models.length === snapshot.length &&
    models.every((model, index) => snapshot[index]?.model === model && snapshot[index].state === model.state);
  if (!isSame) {
    snapshot = models.map((model) => ({ model, state: model.state }));
  }
  return snapshot;
}

export function useComposers(): Composer[] {
  const mount = useMount("useComposers");
  const isCompact = useIsCompact();
  const all = useSyncExternalStore(subscribeAll, allNow);
  return useMemo(
    () => all.map(({ model, state }) => composerHandle(model, state, composerOwnerOf(mount), isCompact)),
    [all, mount, isCompact],
  );
}
