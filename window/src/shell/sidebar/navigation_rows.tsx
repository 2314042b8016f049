import Blocks from "lucide-react/icons/blocks";
import FolderKanban from "lucide-react/icons/folder-kanban";
import GraduationCap from "lucide-react/icons/graduation-cap";
import InboxIcon from "lucide-react/icons/inbox";
import Monitor from "lucide-react/icons/monitor";
import Search from "lucide-react/icons/search";
import SquarePen from "lucide-react/icons/square-pen";
import { Fragment, useMemo } from "react";
import { Link, useLocation } from "react-router";

import type { PluginSidebarNavigationProps } from "#sdk/app/slots/exclusive.js";

import { Kbd } from "@/ui/kbd";

import { ExclusiveSlot } from "@/plugins/exclusive";
import { useShortcut } from "@/sdk_app/key_bindings";
import { useStore } from "@/lib/store";
import { attentionCount } from "@/shell/attention_count";
import { layers } from "@/shell/layers";
import { navigation, paths } from "@/lib/navigation";
import { kSidebarPlaces, rowOf } from "@/lib/places";
import { type PanelRow, usePanelRows } from "@/shell/panel_rows";
import { sidebar } from "@/shell/sidebar_state";
import { split } from "@/plugins/split";
import { useIsCompact } from "@/lib/viewport";
import { PanelList } from "./panel_list";
import { kRowClass } from "./row_class";

type NavigationProps = Omit<PluginSidebarNavigationProps, "Original" | "experimental_Original">;

type PlaceId = (typeof kSidebarPlaces)[number]["id"];

/** They are there with the first paint; icons by name come later. */
const kIcons: Readonly<Record<PlaceId, typeof Blocks>> = {
  "new-thread": SquarePen,
  inbox: InboxIcon,
  projects: FolderKanban,
  machines: Monitor,
  skills: GraduationCap,
  plugins: Blocks,
};
const [kFirst, ...kOthers] = kSidebarPlaces.map(({ id, title, icon }) => ({ id, label: title, icon }));
const kFixedItems = [kFirst!, { id: "search", label: "Search", icon: "Search" }, ...kOthers];

/** The id of the row that leads to where the window is. */
export function activeItemOf(pathname: string, rows: readonly PanelRow[]): string | null {
  const row = rows.find(({ pluginId, path }) => {
    const page = paths.pluginPanel(pluginId, path);
    return pathname === page || pathname.startsWith(`${page}/`);
  });
  const place = rowOf(pathname);
  return row !== undefined ? `panel:${row.key}` : place === "settings" ? null : place;
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
  } else {
    const place = kSidebarPlaces.find((known) => known.id === id);
    if (place !== undefined) {
      navigation.to(place.to);
    }
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
  const current = rowOf(useLocation().pathname);
  return (
    <div className="flex flex-col gap-3">
      <ul data-sidebar="menu" className="flex flex-col gap-px">
        {kSidebarPlaces.map(({ id, title, to }) => {
          const Icon = kIcons[id];
          return (
            <Fragment key={id}>
              <li data-sidebar="menu-item">
                <Link
                  to={to}
                  {...(id === "new-thread" ? { state: { compose: { focusPrompt: true } } } : {})}
                  {...(id === current ? { "aria-current": "page" as const } : {})}
                  className={kRowClass}
                >
                  <Icon aria-hidden />
                  <span className="flex-1 truncate">{title}</span>
                  {id === "inbox" && <InboxCount />}
                </Link>
              </li>
              {id === "new-thread" && <SearchRow />}
            </Fragment>
          );
        })}
      </ul>
      <PanelList />
    </div>
  );
}

/** How many threads want somebody's attention. */
function InboxCount() {
  const count = useStore(attentionCount);
  return count === 0 ? null : (
    <span className="rounded-full bg-attention/15 px-1.5 text-xs font-medium tabular-nums">
      {count}
      <span className="sr-only"> want your attention</span>
    </span>
  );
}

function SearchRow() {
  const shortcut = useShortcut("window.palette");
  return (
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
        {shortcut !== undefined && (
          <Kbd
            shortcut={shortcut}
            className="opacity-0 group-hover/row:opacity-100 group-focus-visible/row:opacity-100 pointer-coarse:hidden"
          />
        )}
      </button>
    </li>
  );
}
