import { useMemo, useSyncExternalStore } from "react";

import type { PluginAppPanel, PluginFixedTabTarget } from "#sdk/app/slots/panel.js";

import { currentPanelSurface, fixedTabId, useCurrentPanelSurface } from "@/plugins/right_panel";
import { type MountNow, useMount } from "./mount";
import { decline } from "./navigate";

/** `experimental_useAppPanel()` of one mount. */
export function appPanelOf(now: MountNow): PluginAppPanel {
  return Object.freeze({
    open: ({ tab, target }) => {
      const mount = now();
      const panel = mount.surface?.panel ?? currentPanelSurface();
      if (panel === null) {
        return decline(mount, "experimental_useAppPanel().open", "this page has no right panel");
      }
      const { pluginId } = mount.plugin;
      return panel.openFixed({ pluginId, panelId: tab.panelId, id: tab.id, ...(target === undefined ? {} : { target }) });
    },
  } satisfies PluginAppPanel);
}

const kNoTarget = Object.freeze({ sequence: 0, target: null });
const subscribeNothing = () => () => undefined;

export function useFixedTabTarget(tab: { panelId: string; id: string }): PluginFixedTabTarget {
  const mount = useMount("experimental_useFixedTabTarget");
  const current = useCurrentPanelSurface();
  const panel = mount.surface?.panel ?? current;
  const tabId = fixedTabId(mount.plugin.pluginId, tab.panelId, tab.id);
  const found = useSyncExternalStore(panel?.subscribe ?? subscribeNothing, () => panel?.fixedTarget(tabId) ?? kNoTarget);
  return useMemo(
    () => ({ sequence: found.sequence, target: found.target, clear: () => panel?.clearFixedTarget(tabId) }),
    [found, panel, tabId],
  );
}
