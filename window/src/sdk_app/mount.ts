import { useContext, useEffect, useMemo, useRef, useState } from "react";

import { PluginMountContext, type PluginMount } from "@/plugins/mount_context";
import { useRouteContext } from "@/lib/navigation";

/** The mount a hook works for; every hook starts here. */
export function useMount(hook: string): PluginMount {
  const mount = useContext(PluginMountContext);
  if (mount === null) {
    throw new Error(`${hook} was called outside of a plugin mount: it works only in components that a plugin registered for a slot`);
  }
  return mount;
}

/** The mount as it is by now: handles that plugins keep must not act on what has been replaced. */
export type MountNow = () => PluginMount;

/** The same value on every render of one mount. `make` is a constant of the module that calls. */
export function useOfMount<T>(hook: string, make: (now: MountNow) => T): T {
  const mount = useMount(hook);
  const latest = useRef(mount);
  useEffect(() => {
    latest.current = mount;
  });
  const [value] = useState(() => make(() => latest.current));
  return value;
}

export interface MountPlace {
  projectId: string | null;
  threadId: string | null;
}

/** Project and thread of the surface, else of the window's route. */
export function usePlace(mount: PluginMount): MountPlace {
  const route = useRouteContext();
  const { projectId, threadId } = mount.surface ?? route;
  return useMemo(() => ({ projectId, threadId }), [projectId, threadId]);
}
