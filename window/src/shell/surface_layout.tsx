import PanelRight from "lucide-react/icons/panel-right";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";

import { IconButton } from "@/ui/button";
import { Drawer } from "@/ui/drawer";
import { Loading } from "@/ui/spinner";

import { usePreference } from "@/lib/preferences";
import { Resizer } from "./resizer";
import type { PanelContent } from "./right_panel_content";
import { type PanelSurface, setCurrentPanelSurface, usePanelState } from "@/plugins/right_panel";
import { useIsCompact } from "@/lib/viewport";

const RightPanel = lazy(() => import("./right_panel_view"));

const kPanelMin = 280;
const kPanelMax = 720;
const kPanelWidth = 400;

export interface SurfaceLayoutProps {
  surface: PanelSurface;
  content: PanelContent;
  children: ReactNode;
}

/** A page with a right panel beside it; a drawer on compact viewports. */
export function SurfaceLayout({ surface, content, children }: SurfaceLayoutProps) {
  const isCompact = useIsCompact();
  const { isOpen } = usePanelState(surface);
  const [width, setWidth] = usePreference<number>("panel.width", kPanelWidth);
  useEffect(() => setCurrentPanelSurface(surface), [surface]);
  useFirstVisit(surface, content, isCompact);

  const panel = (
    <Suspense fallback={<Loading />}>
      <RightPanel surface={surface} content={content} />
    </Suspense>
  );
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
      {isCompact ? (
        <Drawer
          side="right"
          open={isOpen}
          onOpenChange={surface.setOpen}
          title="Right panel"
          className="w-[min(26rem,100vw)] pt-safe pb-safe"
        >
          {panel}
        </Drawer>
      ) : (
        isOpen && (
          <aside
            aria-label="Right panel"
            className="relative flex h-full shrink-0 flex-col border-l border-border-seam-vertical bg-background"
            style={{ width }}
          >
            <Resizer
              label="Width of the right panel"
              edge="left"
              value={width}
              min={kPanelMin}
              max={kPanelMax}
              initial={kPanelWidth}
              onChange={(next) => setWidth(Math.round(Math.min(kPanelMax, Math.max(kPanelMin, next))))}
            />
            {panel}
          </aside>
        )
      )}
    </div>
  );
}

/** The first fixed tab opens by itself once, where there is room; what the user does with the panel then is remembered. */
function useFirstVisit(surface: PanelSurface, content: PanelContent, isCompact: boolean): void {
  const first = content.fixedTabs[0]?.id;
  const wasCompact = useRef(isCompact);
  useEffect(() => {
    if (first !== undefined && !isCompact && !surface.state().isTouched) {
      surface.activate(first);
    } else if (isCompact && !wasCompact.current) {
      // A drawer that opens because the window became narrow would cover the page.
      surface.setOpen(false);
    }
    wasCompact.current = isCompact;
  }, [first, isCompact, surface]);
}

export function RightPanelToggle({ surface }: { surface: PanelSurface }) {
  const { isOpen } = usePanelState(surface);
  return (
    <IconButton label={isOpen ? "Hide right panel" : "Show right panel"} aria-expanded={isOpen} onClick={() => surface.setOpen(!isOpen)}>
      <PanelRight aria-hidden />
    </IconButton>
  );
}
