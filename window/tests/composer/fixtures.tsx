import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { vi } from "vitest";

import { interpretPluginApp } from "#sdk/app_policy/collector.js";
import type { PluginAppBuilder } from "#sdk/app/definition.js";
import { queryClient } from "@/api/queries";
import { Composer, type ComposerProps } from "@/composer/composer";
import { clearNotifications } from "@/lib/notifications";
import { publishPlugins } from "@/plugins/active";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin } from "../plugins/fake_plugins";
import { reply } from "../sdk_app/mounts";

export const kScope = { kind: "new-thread", projectId: null } as const;
export const fetchMock = vi.fn<typeof fetch>();
/** What the service finds for mentions. */
export const found: { groups: unknown[] } = { groups: [] };

/** An empty window before each test, whose service has one provider of mentions. */
export function prepareWindow(): void {
  sessionStorage.clear();
  clearNotifications();
  queryClient.clear();
  found.groups = [];
  fetchMock.mockImplementation(async (target) => {
    const { pathname } = new URL(target as URL);
    if (pathname.endsWith("/system/config")) {
      return reply(200, { ok: true, records: [] });
    }
    return pathname.endsWith("/contributions")
      ? reply(200, { ok: true, cliCommands: [], mentionProviders: [{ pluginId: "todo", id: "people", label: "People", triggers: ["@"] }] })
      : reply(200, { ok: true, groups: found.groups });
  });
  vi.stubGlobal("fetch", fetchMock);
}

/** What one test leaves behind for the next. */
export function resetWindow(): void {
  cleanup();
  vi.useRealTimers();
  publishPlugins([]);
  vi.unstubAllGlobals();
}

export function plugin(setup: (app: PluginAppBuilder) => void, more: Parameters<typeof activePlugin>[1] = {}) {
  return activePlugin("todo", { app: interpretPluginApp({ __svcPluginApp: true, setup }, { pluginId: "todo" }), ...more });
}

export function show(props: Partial<ComposerProps> = {}, beside?: ReactNode) {
  return render(
    <MemoryRouter>
      <TooltipProvider>
        <Composer scope={kScope} submit={async () => undefined} {...props} />
        {beside}
      </TooltipProvider>
    </MemoryRouter>,
  );
}
export const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
export const send = () => screen.getByRole("button", { name: "Send message" });
