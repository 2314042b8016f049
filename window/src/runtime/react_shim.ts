import * as react from "react";

import { PluginMountContext, reportPluginFailure, type PluginMount } from "@/plugins/mount_context";

type Effect = typeof react.useEffect;
type Callback = Parameters<Effect>[0];

/**
 * What a cleanup throws when its mount is removed reaches React's boundaries above that mount, which are the window's: they would
 * replace a page, or the window, for something that is over. While the mount is there its own boundary gets it, as usual.
 */
function contained(mount: PluginMount, cleanup: ReturnType<Callback>): ReturnType<Callback> {
  if (typeof cleanup !== "function") {
    return cleanup;
  }
  return () => {
    try {
      cleanup();
    } catch (failure) {
      if (!mount.hasEnded()) {
        throw failure;
      }
      const { plugin, slot, id } = mount;
      console.error(`${plugin.pluginId}: ${slot} "${id}" failed while it was removed`, failure);
      reportPluginFailure(plugin.pluginId, "dispose", failure, `${slot} ${id}`);
    }
  };
}

function withContainedCleanup(useEffect: Effect): Effect {
  return (effect, deps) => {
    const mount = react.use(PluginMountContext);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- effect and dependencies are those of a plugin
    useEffect(mount === null ? effect : () => contained(mount, effect()), deps);
  };
}

const kEffects = {
  useEffect: withContainedCleanup(react.useEffect),
  useLayoutEffect: withContainedCleanup(react.useLayoutEffect),
  useInsertionEffect: withContainedCleanup(react.useInsertionEffect),
};

const { default: whole } = react as { default?: object };

/** `react` as plugins see it: the window's, except that cleanups of a removed mount cannot fail in the window's own boundaries. */
export const reactShim: object = Object.freeze({
  ...react,
  ...kEffects,
  ...(whole === undefined ? {} : { default: Object.freeze({ ...whole, ...kEffects }) }),
});
