import { lazy, Suspense } from "react";

import { kOwnPanel, type PanelSurface } from "@/plugins/right_panel";
import { kChangesAction } from "@/threads/panel_tabs";
import { Loading } from "@/ui/spinner";

import type { OwnAction } from "./right_panel_content";

const ChangesPanel = lazy(() => import("@/threads/changes_panel"));

/** A tab of the right panel with what has changed where a thread works. */
export function changesTab(surface: PanelSurface, environmentId: string): OwnAction {
  return {
    id: kChangesAction,
    title: "Changes",
    icon: "GitCompare",
    render: (params) => (
      <Suspense fallback={<Loading />}>
        <ChangesPanel environmentId={String((params as { environmentId?: unknown } | null)?.environmentId)} />
      </Suspense>
    ),
    launch: () => surface.open({ pluginId: kOwnPanel, actionId: kChangesAction, title: "Changes", params: { environmentId } }),
  };
}
