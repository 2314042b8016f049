import { queryClient, queryKeys } from "@/api/queries";
import type { SafeMode } from "@/api/records";
import { registerCommand } from "@/lib/commands";
import { navigation, paths } from "@/lib/navigation";
import { notify } from "@/lib/notifications";

import { checkUpdates, reloadPlugin } from "./actions";
import { counted } from "@/lib/format";
import { askForSafeMode, switchSafeMode } from "./safe_mode";

const kGroup = "Plugins";

function isSafeMode(): boolean | undefined {
  return queryClient.getQueryData<SafeMode>(queryKeys.safeMode)?.enabled;
}

/** The plugin whose page, settings or logs are shown. */
function currentPlugin(): string | null {
  const match = /\/(?:settings\/)?plugins\/([^/?#]+)/.exec(window.location.pathname);
  return match?.[1] === undefined ? null : decodeURIComponent(match[1]);
}

async function checkForUpdates(): Promise<void> {
  const found = (await checkUpdates()).filter(({ outcome }) => outcome === "update-available");
  notify({
    kind: "info",
    title: found.length === 0 ? "No updates" : `${counted(found.length, "update")} available`,
    action: { label: "Show", run: () => navigation.toPlugins() },
  });
}

/** Adds the palette commands of plugin management; the result removes them. Called once at boot. */
export function registerPluginCommands(): () => void {
  const removers = [
    registerCommand({
      id: "plugins.install",
      title: "Install plugin…",
      group: kGroup,
      run: () => navigation.to(`${paths.plugins()}?install`),
    }),
    registerCommand({ id: "plugins.check-updates", title: "Check for plugin updates", group: kGroup, run: checkForUpdates }),
    registerCommand({
      id: "plugins.reload-all",
      title: "Reload all plugins",
      group: kGroup,
      isAvailable: () => isSafeMode() === false,
      run: () => reloadPlugin(undefined, "all plugins"),
    }),
    registerCommand({
      id: "plugins.reload-current",
      title: "Reload this plugin",
      group: kGroup,
      isAvailable: () => currentPlugin() !== null && isSafeMode() === false,
      run: async () => {
        const id = currentPlugin();
        if (id !== null) {
          await reloadPlugin(id, id);
        }
      },
    }),
    registerCommand({
      id: "plugins.safe-mode-on",
      title: "Turn safe mode on…",
      group: kGroup,
      isAvailable: () => isSafeMode() === false,
      run: askForSafeMode,
    }),
    registerCommand({
      id: "plugins.safe-mode-off",
      title: "Turn safe mode off",
      group: kGroup,
      isAvailable: () => isSafeMode() === true,
      run: () => switchSafeMode(false),
    }),
  ];
  return () => removers.forEach((remove) => remove());
}
