import ChevronRight from "lucide-react/icons/chevron-right";
import Menu from "lucide-react/icons/menu";
import PanelLeft from "lucide-react/icons/panel-left";
import { Fragment, type ReactNode } from "react";
import { Link } from "react-router";

import { IconButton } from "@/ui/button";

import type { Crumb } from "@/lib/places";
import { useAriaShortcut } from "@/sdk_app/key_bindings";
import { sidebar, useSidebar } from "./sidebar_state";
import { useIsCompact } from "@/lib/viewport";

function SidebarToggle() {
  const isCompact = useIsCompact();
  const { isOpen, isDrawerOpen } = useSidebar();
  const keys = useAriaShortcut("window.sidebar");
  if (isOpen && !isCompact) {
    return null;
  }
  return (
    <IconButton
      label={isCompact ? "Open navigation" : "Show sidebar"}
      tooltipSide="right"
      aria-expanded={isCompact ? isDrawerOpen : false}
      {...keys}
      className="-ml-2"
      onClick={() => sidebar.toggle(isCompact)}
    >
      {isCompact ? <Menu aria-hidden /> : <PanelLeft aria-hidden />}
    </IconButton>
  );
}

/** The row above the content: where the window is, and actions at the right. */
export function TitleBar({ children, actions }: { children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex h-titlebar shrink-0 items-center gap-3 border-b border-border-seam bg-background px-4">
      <SidebarToggle />
      <div className="flex min-w-20 flex-1 items-center gap-2">{children}</div>
      {actions !== undefined && <div className="flex min-w-0 items-center gap-1">{actions}</div>}
    </div>
  );
}

/** The way to a page; the last step is the page itself. */
export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1 text-sm">
        {crumbs.map(({ label, to }, index) => {
          const isLast = index === crumbs.length - 1;
          return (
            <Fragment key={`${index}:${label}`}>
              <li className={isLast ? "min-w-16 truncate font-medium" : "min-w-0 truncate text-muted-foreground"}>
                {isLast || to === undefined ? (
                  <span {...(isLast ? { "aria-current": "page" as const } : {})}>{label}</span>
                ) : (
                  <Link to={to} className="block min-h-6 truncate rounded-sm leading-6 hover:text-foreground hover:underline">
                    {label}
                  </Link>
                )}
              </li>
              {!isLast && (
                <li aria-hidden className="shrink-0 text-subtle-foreground">
                  <ChevronRight className="size-3.5" />
                </li>
              )}
            </Fragment>
          );
        })}
      </ol>
    </nav>
  );
}
