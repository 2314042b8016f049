import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";

import { definePluginApp } from "#sdk/app/definition.js";
import type { PluginAppBuilder } from "#sdk/app/definition.js";
import { interpretPluginApp } from "#sdk/app_policy/collector.js";
import { queryClient, queryKeys } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import type { ActivePlugin } from "@/plugins/types";
import { bindRouter } from "@/lib/navigation";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin, record } from "../plugins/fake_plugins";

/** A plugin with what `setup` registers, as the window would have interpreted it. */
export function pluginWith(pluginId: string, setup: (app: PluginAppBuilder) => void, more: Partial<ActivePlugin> = {}): ActivePlugin {
  return activePlugin(pluginId, { name: `The ${pluginId}`, app: interpretPluginApp(definePluginApp(setup), { pluginId }), ...more });
}

/** A plugin with one page for each id, under the same path. */
export function pluginWithPanels(pluginId: string, ...ids: string[]): ActivePlugin {
  return pluginWith(pluginId, (app) => {
    for (const id of ids) {
      app.slots.navPanel({ id, title: `Page ${id}`, icon: "ListTodo", path: id, component: () => null });
    }
  });
}

/** Makes plugins active, with records as the server would list them. */
export function showPlugins(...plugins: ActivePlugin[]): void {
  queryClient.setQueryData(
    queryKeys.plugins,
    plugins.map(({ pluginId, hash }) => record(pluginId, hash, { enabled: true })),
  );
  publishPlugins(plugins);
}

/** Renders below a router that the window's navigation is bound to. */
export function renderAt(path: string, element: ReactNode) {
  const router = createMemoryRouter([{ path: "*", element }], { initialEntries: [path] });
  bindRouter(router);
  const result = render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <RouterProvider router={router} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { ...result, router, pathname: () => router.state.location.pathname };
}

/** Forgets what a test left behind. */
export function resetWindow(): void {
  cleanup();
  publishPlugins([]);
  queryClient.clear();
  localStorage.clear();
  dispatchEvent(new StorageEvent("storage", { key: null }));
  sessionStorage.clear();
}
