import { useEffect } from "react";
import { useLocation } from "react-router";

import { Drawer } from "@/ui/drawer";

import { closeFocusedDisclosure } from "@/shell/disclosures";
import { Resizer } from "@/shell/resizer";
import { kSidebarMaxWidth, kSidebarMinWidth, kSidebarWidth, sidebar, useSidebar } from "@/shell/sidebar_state";
import { useIsCompact } from "@/lib/viewport";
import { SidebarFooter } from "./footer";
import { SidebarHeader } from "./header";
import { NavigationRows } from "./navigation_rows";
import { ThreadList } from "./thread_list";

/** The left side of the window; a drawer on compact viewports. */
export function Sidebar() {
  const isCompact = useIsCompact();
  const { width, isOpen, isDrawerOpen } = useSidebar();
  const { key } = useLocation();
  useEffect(() => sidebar.setDrawerOpen(false), [key]);

  if (isCompact) {
    return (
      <Drawer
        open={isDrawerOpen}
        onOpenChange={sidebar.setDrawerOpen}
        title="Navigation"
        className="bg-sidebar pt-safe pb-safe"
        takesEscape={closeFocusedDisclosure}
      >
        <div data-sidebar="sidebar" className="flex min-h-0 flex-1 flex-col">
          <SidebarContent width={kSidebarWidth} />
        </div>
      </Drawer>
    );
  }
  if (!isOpen) {
    return null;
  }
  return (
    <aside
      aria-label="Sidebar"
      data-sidebar="sidebar"
      className="relative flex h-full shrink-0 flex-col border-r border-sidebar-border bg-sidebar text-sidebar-foreground"
      style={{ width }}
    >
      <SidebarContent width={width} />
      <Resizer
        label="Width of the sidebar"
        edge="right"
        value={width}
        min={kSidebarMinWidth}
        max={kSidebarMaxWidth}
        initial={kSidebarWidth}
        onChange={sidebar.setWidth}
      />
    </aside>
  );
}

function SidebarContent({ width }: { width: number }) {
  return (
    <>
      <SidebarHeader width={width} />
      <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-2 pt-1 pb-4">
        <NavigationRows />
        <ThreadList />
      </nav>
      <SidebarFooter />
    </>
  );
}
