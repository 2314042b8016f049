import Ellipsis from "lucide-react/icons/ellipsis";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { NavLink } from "react-router";

import { useActivePlugins, useCrashes, useDiagnostics } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { Icon } from "@/sdk_app/icon";
import { cn } from "@/ui/cn";
import { ContextMenu, ContextMenuContent, ContextMenuItem, ContextMenuSeparator, ContextMenuTrigger } from "@/ui/context_menu";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger } from "@/ui/dropdown_menu";
import { Tooltip } from "@/ui/tooltip";

import { navigation, paths } from "@/lib/navigation";
import type { PanelRow } from "@/shell/panel_rows";
import { split } from "@/plugins/split";
import { useIsCompact } from "@/lib/viewport";
import { kRowClass } from "./row_class";

export interface RowActions {
  canMoveUp: boolean;
  canMoveDown: boolean;
  isHidden: boolean;
  moveUp(): void;
  moveDown(): void;
  moveToTop(): void;
  toggleHidden(): void;
}

const kNoProps = {};

/** Why a row carries a warning mark; undefined when it does not. */
export function usePluginWarning(pluginId: string): string | undefined {
  const diagnostics = useDiagnostics(pluginId);
  const crashes = useCrashes(pluginId);
  if (diagnostics?.state === "stale") {
    return "Shows the previous version: the new one failed";
  }
  if (diagnostics?.state === "failed") {
    return "Its part of the window failed to load";
  }
  if (diagnostics?.state === "needs-update") {
    return "Was built for another version of the service";
  }
  return crashes.length > 0 ? "A part of it stopped working" : undefined;
}

export function WarningMark({ text }: { text: string }) {
  return (
    <Tooltip content={text} side="right">
      <span className="inline-flex shrink-0">
        <TriangleAlert aria-hidden className="size-3.5 text-warning-text" />
        <span className="sr-only">({text})</span>
      </span>
    </Tooltip>
  );
}

export function PanelRowItem({ row, actions }: { row: PanelRow; actions: RowActions }) {
  const warning = usePluginWarning(row.pluginId);
  const openInSplit = () => split.open(row.pluginId, row.path);
  const onKeyDown = (event: { altKey: boolean; key: string; preventDefault(): void }) => {
    const act = event.altKey ? { ArrowUp: actions.moveUp, ArrowDown: actions.moveDown, Enter: openInSplit }[event.key] : undefined;
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  };
  return (
    <ContextMenu>
      <ContextMenuTrigger asChild>
        <div className="group/item relative flex items-center">
          <NavLink
            to={paths.pluginPanel(row.pluginId, row.path)}
            className={cn(kRowClass, "pr-8 pointer-coarse:pr-12")}
            onKeyDown={onKeyDown}
            // Control, Meta and Shift keep what a browser does with links.
            onClick={(event) => {
              if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
                event.preventDefault();
                openInSplit();
              }
            }}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Alt+Enter"
          >
            <Icon name={row.icon} pluginId={row.pluginId} />
            <span className="min-w-0 flex-1 truncate">{row.title}</span>
            {warning !== undefined && <WarningMark text={warning} />}
            <Accessory row={row} />
          </NavLink>
          <RowMenu row={row} actions={actions} />
        </div>
      </ContextMenuTrigger>
      <ContextMenuContent>
        <MenuItems row={row} actions={actions} Item={ContextMenuItem} separator={<ContextMenuSeparator />} />
      </ContextMenuContent>
    </ContextMenu>
  );
}

function RowMenu({ row, actions }: { row: PanelRow; actions: RowActions }) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <button
          type="button"
          aria-label={`More for ${row.title}`}
          className="absolute right-1 inline-flex size-6 cursor-pointer items-center justify-center rounded-sm text-muted-foreground opacity-0 group-hover/item:opacity-100 hover:bg-state-active hover:text-foreground focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:size-11 pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden className="size-4" />
        </button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start">
        <MenuItems row={row} actions={actions} Item={DropdownMenuItem} separator={<DropdownMenuSeparator />} />
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

interface MenuItemsProps {
  row: PanelRow;
  actions: RowActions;
  Item: (props: { disabled?: boolean; onSelect(): void; children: ReactNode }) => ReactNode;
  separator: ReactNode;
}

function MenuItems({ row, actions, Item, separator }: MenuItemsProps) {
  const isCompact = useIsCompact();
  return (
    <>
      {!isCompact && <Item onSelect={() => split.open(row.pluginId, row.path)}>Open in split</Item>}
      {!actions.isHidden && (
        <>
          <Item disabled={!actions.canMoveUp} onSelect={actions.moveToTop}>
            Move to the top
          </Item>
          <Item disabled={!actions.canMoveUp} onSelect={actions.moveUp}>
            Move up
          </Item>
          <Item disabled={!actions.canMoveDown} onSelect={actions.moveDown}>
            Move down
          </Item>
        </>
      )}
      <Item onSelect={actions.toggleHidden}>{actions.isHidden ? "Show in sidebar" : "Hide under More"}</Item>
      {separator}
      <Item onSelect={() => navigation.toPluginDetail(row.pluginId)}>About this plugin</Item>
      <Item onSelect={() => navigation.toPluginSettings(row.pluginId)}>Plugin settings</Item>
    </>
  );
}

/** `L:nav-accessory` — 4 × 1.25 rem, one line. */
function Accessory({ row }: { row: PanelRow }) {
  const isCompact = useIsCompact();
  const plugin = useActivePlugins().find(({ pluginId }) => pluginId === row.pluginId);
  const panel = plugin?.app.navPanels.find(({ id }) => id === row.panelId);
  if (isCompact || plugin === undefined || panel?.experimental_sidebarAccessory === undefined) {
    return null;
  }
  return (
    <span className="flex h-5 max-w-16 shrink-0 items-center overflow-hidden text-xs whitespace-nowrap text-muted-foreground">
      <SlotMount
        plugin={plugin}
        slot="navPanel.experimental_sidebarAccessory"
        id={panel.id}
        component={panel.experimental_sidebarAccessory}
        props={kNoProps}
        fallback="none"
      />
    </span>
  );
}
