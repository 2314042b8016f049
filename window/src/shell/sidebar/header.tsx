import PanelLeft from "lucide-react/icons/panel-left";
import { useMemo } from "react";

import type { PluginSidebarHeaderProps } from "#sdk/app/slots/exclusive.js";

import { IconButton } from "@/ui/button";

import { ExclusiveSlot } from "@/plugins/exclusive";
import { useAriaShortcut } from "@/sdk_app/key_bindings";
import { sidebar } from "@/shell/sidebar_state";
import { useIsCompact } from "@/lib/viewport";

// Pixels of the window's own controls in this row, and of the gaps around them.
const kControlSize = 32;
const kChrome = 56;

/** The first row: the product, or what a plugin shows there, and the button that hides the sidebar. */
export function SidebarHeader({ width }: { width: number }) {
  const isCompactViewport = useIsCompact();
  const keys = useAriaShortcut("window.sidebar");
  const props = useMemo<PluginSidebarHeaderProps>(
    () => ({ width: Math.max(0, width - kChrome), controlSize: kControlSize, isCompactViewport }),
    [width, isCompactViewport],
  );
  return (
    <div data-sidebar="header" className="flex h-titlebar shrink-0 items-center gap-1 px-2">
      <div className="flex h-full min-w-0 flex-1 items-center overflow-hidden">
        <ExclusiveSlot kind="sidebarHeaders" props={props} original={Product} />
      </div>
      <IconButton
        label={isCompactViewport ? "Close navigation" : "Hide sidebar"}
        tooltip={!isCompactViewport}
        tooltipSide="right"
        {...keys}
        onClick={() => sidebar.toggle(isCompactViewport)}
      >
        <PanelLeft aria-hidden />
      </IconButton>
    </div>
  );
}

function Product() {
  return (
    <span className="flex items-center gap-2 px-2 text-sm font-semibold tracking-tight select-none">
      <svg aria-hidden viewBox="0 0 20 20" className="size-5 shrink-0">
        <rect x="1" y="1" width="18" height="18" rx="5" className="fill-primary" />
        <path
          d="M6 7.25h5.5a2.25 2.25 0 0 1 0 4.5h-3a2.25 2.25 0 0 0 0 4.5"
          className="stroke-primary-foreground"
          fill="none"
          strokeWidth="1.75"
          strokeLinecap="round"
          transform="translate(0 -1.75)"
        />
      </svg>
      svc
    </span>
  );
}
