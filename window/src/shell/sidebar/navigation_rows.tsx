import Blocks from "lucide-react/icons/blocks";
import Search from "lucide-react/icons/search";
import SquarePen from "lucide-react/icons/square-pen";
import { useMemo } from "react";
import { NavLink, useLocation } from "react-router";

import type { PluginSidebarNavigationProps } from "#sdk/app/slots/exclusive.js";

import { Kbd } from "@/ui/kbd";

import { ExclusiveSlot } from "@/plugins/exclusive";
import { kPaletteShortcut } from "@/sdk_app/key_bindings";
import { layers } from "@/shell/layers";
import { navigation, paths } from "@/lib/navigation";
import { type PanelRow, usePanelRows } from "@/shell/panel_rows";
import { sidebar } from "@/shell/sidebar_state";
import { split } from "@/plugins/split";
import { useIsCompact } from "@/lib/viewport";
import { PanelList } from "./panel_list";
import { kRowClass } from "./row_class";

type NavigationProps = Omit<PluginSidebarNavigationProps, "Original" | "experimental_Original">;

const kFixedItems = [
  { id: "new-thread", label: "New thread", icon: "SquarePen" },
  { id: "search", label: "Search", icon: "Search" },
  { id: "plugins", label: "Plugins", icon: "Blocks" },
];

/** The id of the row that leads to where the window is. */
export function activeItemOf(pathname: string, rows: readonly PanelRow[]): string | null {
  if (pathname === "/") {
    return "new-thread";
  }
  const row = rows.find(({ pluginId, path }) => {
    const page = paths.pluginPanel(pluginId, path);
    return pathname === page || pathname.startsWith(`${page}/`);
  });
  return row !== undefined ? `panel:${row.key}` : /^\/plugins(\/[^/]+)?\/?$/.test(pathname) ? "plugins" : null;
}

/** Only plugins' pages open in a split; of the others the option changes nothing. */
function activate(id: string, rows: readonly PanelRow[], openInSplit: boolean): void {
  const row = rows.find(({ key }) => `panel:${key}` === id);
  if (row !== undefined && openInSplit) {
    split.open(row.pluginId, row.path);
  } else if (row !== undefined) {
    navigation.toPluginPanel(row.pluginId, row.path);
  } else if (id === "new-thread") {
    navigation.toCompose({ focusPrompt: true });
  } else if (id === "search") {
    layers.openPalette();
  } else if (id === "plugins") {
    navigation.toPlugins();
  }
}

/** The rows above the thread list. */
export function NavigationRows() {
  const isCompactViewport = useIsCompact();
  const { pathname } = useLocation();
  const { shown } = usePanelRows();
  const props = useMemo<NavigationProps>(
    () => ({
      isCompactViewport,
      items: [...kFixedItems, ...shown.map(({ key, title, icon }) => ({ id: `panel:${key}`, label: title, icon }))],
      activeItemId: activeItemOf(pathname, shown),
      experimental_activate: (id, options) => activate(id, shown, options?.openInSplit === true),
    }),
    [isCompactViewport, pathname, shown],
  );
  return <ExclusiveSlot kind="sidebarNavigations" props={props} original={BuiltInRows} />;
}

function BuiltInRows() {
  return (
    <div className="flex flex-col gap-3">
      <ul data-sidebar="menu" className="flex flex-col gap-px">
        <li data-sidebar="menu-item">
          <NavLink to="/" end state={{ compose: { focusPrompt: true } }} className={kRowClass}>
            <SquarePen aria-hidden />
            New thread
          </NavLink>
        </li>
        <li data-sidebar="menu-item">
          <button
            type="button"
            className={kRowClass}
            onClick={() => {
              sidebar.setDrawerOpen(false);
              layers.openPalette();
            }}
          >
            <Search aria-hidden />
            <span className="flex-1">Search</span>
            <Kbd
              shortcut={kPaletteShortcut}
              className="opacity-0 group-hover/row:opacity-100 group-focus-visible/row:opacity-100 pointer-coarse:hidden"
            />
          </button>
        </li>
        <li data-sidebar="menu-item">
          <NavLink to="/plugins" end className={kRowClass}>
            <Blocks aria-hidden />
            Plugins
          </NavLink>
        </li>
      </ul>
      <PanelList />
    </div>
  );
}
