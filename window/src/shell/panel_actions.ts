import { type ComponentType, useMemo } from "react";

import type { OpenPanelOptions } from "#sdk/app/slots/panel.js";

import { type ActivePlugin, useRegistrations } from "@/plugins/registry";
import type { SurfaceContext } from "@/plugins/slot_mount";

import { runPluginAction } from "@/plugins/plugin_action";
import type { LauncherAction, OwnAction, PanelContent } from "./right_panel_content";
import type { PanelSurface } from "@/plugins/right_panel";

interface ActionRegistration {
  id: string;
  title: string;
  icon?: string;
  layout?: "padded" | "flush";
  component: ComponentType<never>;
  run?(context: never): unknown;
}

interface ActionKind {
  slot: string;
  surface: PanelSurface;
  /** What components and `run` are told about the page: `{ threadId }` or `{ projectId }`. */
  about: object;
}

function launcherAction(plugin: ActivePlugin, registration: ActionRegistration, { slot, surface, about }: ActionKind): LauncherAction {
  const { id, title, icon, layout = "padded", component, run } = registration;
  const openPanel = (options: Partial<OpenPanelOptions> = {}) => surface.open({ actionId: id, ...options, pluginId: plugin.pluginId });
  return {
    plugin,
    slot,
    id,
    title,
    icon,
    layout,
    component: component as ComponentType<object>,
    propsOf: (params) => ({ ...about, params }),
    launch: () => {
      if (run === undefined) {
        openPanel();
      } else {
        runPluginAction(plugin, `slots.${slot} ${id}`, title, () => run({ ...about, openPanel } as never));
      }
    },
  };
}

const kNoOwn: readonly OwnAction[] = [];

/** What the right panel of a thread offers; `own` must be the same list from render to render. */
export function useThreadPanelContent(
  surface: PanelSurface,
  context: SurfaceContext,
  threadId: string,
  own: readonly OwnAction[] = kNoOwn,
): PanelContent {
  const registrations = useRegistrations("threadPanelActions");
  return useMemo(() => {
    const kind = { slot: "threadPanelAction", surface, about: { threadId } };
    return {
      context,
      own,
      fixedTabs: [],
      actions: registrations.map(({ plugin, registration }) => launcherAction(plugin, registration as unknown as ActionRegistration, kind)),
    };
  }, [registrations, surface, context, threadId, own]);
}

/** What the right panel of the new-thread page offers. */
export function useNewThreadPanelContent(surface: PanelSurface, context: SurfaceContext): PanelContent {
  const registrations = useRegistrations("newThreadPanelActions");
  return useMemo(() => {
    const kind = { slot: "experimental_newThreadPanelAction", surface, about: { projectId: context.projectId } };
    return {
      context,
      fixedTabs: [],
      actions: registrations.map(({ plugin, registration }) => launcherAction(plugin, registration as unknown as ActionRegistration, kind)),
    };
  }, [registrations, surface, context]);
}
