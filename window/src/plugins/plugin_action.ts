import { describeFailure, reportPluginFailure } from "./registry";

import { navigation } from "@/lib/navigation";
import { notify } from "@/lib/notifications";

/** Runs a callback that a plugin registered. A throw or a rejection becomes an error toast that names the plugin. */
export function runPluginAction(plugin: { pluginId: string; name: string }, slot: string, title: string, action: () => unknown): void {
  const fail = (failure: unknown) => {
    console.error(`${plugin.pluginId}: ${slot} failed`, failure);
    reportPluginFailure(plugin.pluginId, "render", failure, slot);
    notify({
      kind: "error",
      pluginId: plugin.pluginId,
      title: `${plugin.name}: “${title}” failed`,
      description: describeFailure(failure).message,
      action: { label: "Details", run: () => navigation.toPluginDetail(plugin.pluginId) },
    });
  };
  try {
    Promise.resolve(action()).catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
