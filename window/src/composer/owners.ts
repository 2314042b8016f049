import { useEffect, useMemo } from "react";

import { type ActivePlugin, useActivePlugins } from "@/plugins/registry";
import type { HandleOwner } from "./handle";
import type { ComposerModel } from "./model";

interface Owned {
  readonly generation: number;
  readonly owner: HandleOwner;
  readonly releases: Set<() => void>;
}

/**
 * Owners for callbacks of plugins that have no mount, such as menu items. What they hold ends with the plugin's generation and
 * with the composer.
 */
export function useCallbackOwners(model: ComposerModel): (plugin: ActivePlugin) => HandleOwner {
  const owned = useMemo(() => {
    void model;
    return new Map<string, Owned>();
  }, [model]);
  const active = useActivePlugins();
  useEffect(() => {
    for (const [pluginId, { generation, releases }] of owned) {
      if (!active.some((plugin) => plugin.pluginId === pluginId && plugin.generation === generation)) {
        owned.delete(pluginId);
        releases.forEach((release) => release());
      }
    }
  }, [owned, active]);
  useEffect(
    () => () => {
      for (const { releases } of owned.values()) {
        releases.forEach((release) => release());
      }
      owned.clear();
    },
    [owned],
  );
  return useMemo(() => (plugin) => ownerOf(owned, plugin), [owned]);
}

function ownerOf(owned: Map<string, Owned>, { pluginId, name, generation }: ActivePlugin): HandleOwner {
  const known = owned.get(pluginId);
  if (known?.generation === generation) {
    return known.owner;
  }
  const releases = new Set<() => void>();
  const owner: HandleOwner = {
    pluginId,
    name,
    own(release) {
      releases.add(release);
      return () => {
        releases.delete(release);
        release();
      };
    },
  };
  owned.set(pluginId, { generation, owner, releases });
  return owner;
}
