import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { Outlet } from "react-router";

import { RemovalBoundary } from "@/plugins/removal_boundary";
import { TooltipProvider } from "@/ui/tooltip";

import { Attention } from "./attention";
import { ConnectionNotice } from "./connection_notice";
import { DevOverlay } from "./dev_overlay";
import { useIsNotificationCentreOpen, useIsPaletteOpen } from "./layers";
import { AppOverlays } from "./overlays";
import { useRememberPanelRows } from "./panel_rows";
import { RouteFocus, SkipLink } from "./route_focus";
import { Sidebar } from "./sidebar/sidebar";
import { SplitArea } from "./split_area";

const Palette = lazy(() => import("./palette/palette"));
const NotificationCentre = lazy(() => import("./notification_centre"));
// The first paint does without. Should it not arrive, what it would show still stands in the notification centre.
const Toaster = lazy<ComponentType>(() => import("./toaster").catch(() => ({ default: () => null })));

/** Everything around the pages. `banner` stands above every one of them. */
export function Layout({ banner }: { banner: ReactNode }) {
  useRememberPanelRows();
  return (
    <TooltipProvider>
      <SkipLink />
      <div className="flex h-dvh w-full overflow-hidden pt-safe">
        <RemovalBoundary>
          <Sidebar />
        </RemovalBoundary>
        <div className="flex min-w-0 flex-1 flex-col">
          <ConnectionNotice />
          {banner}
          <SplitArea>
            <Outlet />
          </SplitArea>
        </div>
      </div>
      <RouteFocus />
      <Attention />
      <Layers />
      <RemovalBoundary>
        <AppOverlays />
      </RemovalBoundary>
      <DevOverlay />
      <Suspense fallback={null}>
        <Toaster />
      </Suspense>
    </TooltipProvider>
  );
}

function Layers() {
  const isPaletteOpen = useIsPaletteOpen();
  const isCentreOpen = useIsNotificationCentreOpen();
  return (
    <Suspense fallback={null}>
      {isPaletteOpen && <Palette />}
      {isCentreOpen && <NotificationCentre />}
    </Suspense>
  );
}
