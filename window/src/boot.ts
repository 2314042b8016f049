import { followServer, pluginsQuery, queryClient } from "./api/queries";
import { realtime } from "./api/realtime";
import { registerPluginCommands } from "./pages/plugins/plugin_commands";
import { startPlugins } from "./plugins/registry";
import { installRuntime, loadLazySlots } from "./runtime/install";

import "./shell/disclosures";
import { startKeyBindings } from "./sdk_app/key_bindings";
import { followLocalLinks } from "./sdk_app/local_links";
import { bindThreadChat } from "./sdk_app/thread_chat";
import { notify } from "./lib/notifications";
import { startPalette } from "./shell/active_theme";
import { registerWindowCommands } from "./shell/window_commands";

async function startRuntime(): Promise<void> {
  try {
    await installRuntime();
    startPlugins({ installRuntime, loadLazySlots });
  } catch (failure) {
    console.error("the plugin runtime could not be loaded", failure);
    notify({
      kind: "error",
      title: "Plugins could not be started",
      description: "A part of the window did not arrive. The server may have been updated or stopped.",
      action: { label: "Try again", run: () => void startRuntime() },
    });
  }
}

/** Starts everything beside the first paint: what plugins run on, the records and the socket, all at once. */
export function boot(): void {
  const runtime = startRuntime();
  void queryClient.prefetchQuery(pluginsQuery);
  registerWindowCommands();
  registerPluginCommands();
  startKeyBindings();
  followLocalLinks();
  bindThreadChat(() => import("./threads/thread_chat"));
  followServer(realtime);
  realtime.start();
  void runtime.then(startPalette);
}
