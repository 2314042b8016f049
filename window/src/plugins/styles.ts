import { useLayoutEffect, useSyncExternalStore } from "react";

import { StyleSheets } from "./style_sheets";

/** Stylesheets of plugins in this window. */
export const styleSheets = new StyleSheets();

/** Holds the plugin's stylesheet while the component is mounted; false until it can be shown with it. */
export function useStyles(pluginId: string): boolean {
  const read = () => styleSheets.isReady(pluginId);
  const isReady = useSyncExternalStore(styleSheets.subscribe, read, read);
  useLayoutEffect(() => styleSheets.hold(pluginId), [pluginId]);
  return isReady;
}
