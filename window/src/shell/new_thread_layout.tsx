import { Suspense, useMemo } from "react";
import { Outlet } from "react-router";

import type { SurfaceContext } from "@/plugins/slot_mount";
import { Loading } from "@/ui/spinner";

import { usePageTitle } from "./page_title";
import { useNewThreadPanelContent } from "./panel_actions";
import { usePanelState, usePanelSurface } from "@/plugins/right_panel";
import { kMainId } from "@/lib/main_region";
import { RightPanelToggle, SurfaceLayout } from "./surface_layout";
import { Breadcrumbs, TitleBar } from "./title_bar";
import { useIsCompact } from "@/lib/viewport";

const kCrumbs = [{ label: "New thread" }];

/** The new-thread page with its right panel, which is offered once a plugin has something for it. */
export function NewThreadLayout() {
  const isCompact = useIsCompact();
  const surface = usePanelSurface("new-thread", "newThreadPanelActions");
  const context = useMemo<SurfaceContext>(() => ({ projectId: null, threadId: null, panel: surface, isCompact }), [surface, isCompact]);
  const content = useNewThreadPanelContent(surface, context);
  const { tabs } = usePanelState(surface);
  usePageTitle("New thread");
  return (
    <SurfaceLayout surface={surface} content={content}>
      <TitleBar actions={(content.actions.length > 0 || tabs.length > 0) && <RightPanelToggle surface={surface} />}>
        <Breadcrumbs crumbs={kCrumbs} />
      </TitleBar>
      <main id={kMainId} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </SurfaceLayout>
  );
}
