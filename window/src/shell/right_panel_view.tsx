import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { Fragment, type KeyboardEvent, type ReactNode, useId } from "react";

import { SlotMount } from "@/plugins/slot_mount";
import { Icon } from "@/sdk_app/icon";
import { IconButton } from "@/ui/button";
import { cn } from "@/ui/cn";
import { EmptyState } from "@/ui/empty_state";

import type { FixedTab, LauncherAction, OwnAction, PanelContent } from "./right_panel_content";
import { kOwnPanel, type PanelSurface, type PanelTab, usePanelState } from "@/plugins/right_panel";

interface Shown {
  id: string;
  title: string;
  icon: string | undefined;
  pluginId: string;
  isClosable: boolean;
}

const actionOf = (content: PanelContent, tab: PanelTab) =>
  content.actions.find(({ plugin, id }) => plugin.pluginId === tab.pluginId && id === tab.actionId);
const launchable = (own: readonly OwnAction[] = []) => own.filter(({ launch }) => launch !== undefined);
const ownActionOf = (content: PanelContent, tab: PanelTab) =>
  tab.pluginId === kOwnPanel ? content.own?.find(({ id }) => id === tab.actionId) : undefined;

/** Tabs of the right panel and what the active one shows; without a tab, what can be opened. */
export default function RightPanel({ surface, content }: { surface: PanelSurface; content: PanelContent }) {
  const { activeId: chosenId, tabs } = usePanelState(surface);
  const shown: Shown[] = [
    ...content.fixedTabs.map(({ id, title, icon, plugin }) => ({ id, title, icon, pluginId: plugin.pluginId, isClosable: false })),
    ...tabs.map((tab) => {
      const action = ownActionOf(content, tab) ?? actionOf(content, tab);
      return {
        id: tab.id,
        title: tab.title ?? action?.title ?? tab.actionId,
        icon: action?.icon,
        pluginId: tab.pluginId,
        isClosable: true,
      };
    }),
  ];
  // Ids of tabs hold what plugins chose, spaces included, which an id of an element must not.
  const base = useId();
  const isThere = shown.some(({ id }) => id === chosenId);
  // With nothing to launch, the first tab is better than an empty list.
  const canLaunch = content.actions.length + launchable(content.own).length > 0;
  const activeId = isThere ? chosenId : !canLaunch ? (shown[0]?.id ?? null) : null;
  const activeIndex = shown.findIndex(({ id }) => id === activeId);
  const ids = { panel: `${base}-panel`, tab: (index: number) => `${base}-tab-${index}` };
  const isLauncher = activeIndex === -1;
  return (
    <>
      <div className="flex h-titlebar shrink-0 items-center gap-1 border-b border-border-seam pr-2 pl-2">
        <TabStrip surface={surface} shown={shown} activeId={activeId} ids={ids} />
        {canLaunch && (
          <IconButton label="Open another tab" size="sm" aria-pressed={isLauncher} onClick={() => surface.activate(null)}>
            <Plus aria-hidden />
          </IconButton>
        )}
        <IconButton label="Hide right panel" size="sm" onClick={() => surface.setOpen(false)}>
          <X aria-hidden />
        </IconButton>
      </div>
      {isLauncher ? (
        <Launcher actions={content.actions} own={launchable(content.own)} />
      ) : (
        <ActiveTab
          surface={surface}
          content={content}
          activeId={activeId!}
          tabs={tabs}
          frame={{ id: ids.panel, labelledBy: ids.tab(activeIndex) }}
        />
      )}
    </>
  );
}

interface TabStripProps {
  surface: PanelSurface;
  shown: readonly Shown[];
  activeId: string | null;
  ids: { panel: string; tab(index: number): string };
}

function TabStrip({ surface, shown, activeId, ids }: TabStripProps) {
  const focusIndex = Math.max(
    0,
    shown.findIndex(({ id }) => id === activeId),
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = { ArrowLeft: focusIndex - 1, ArrowRight: focusIndex + 1, Home: 0, End: shown.length - 1 }[event.key];
    const current = shown[focusIndex];
    if (target !== undefined) {
      const next = shown[(target + shown.length) % shown.length];
      event.preventDefault();
      if (next !== undefined) {
        surface.activate(next.id);
        event.currentTarget.querySelector<HTMLElement>(`[data-tab-id="${CSS.escape(next.id)}"]`)?.focus();
      }
    } else if (event.key === "Delete" && current?.isClosable === true) {
      event.preventDefault();
      surface.close(current.id);
    }
  };
  if (shown.length === 0) {
    return <p className="min-w-0 flex-1 truncate px-2 text-sm font-medium">Open in the panel</p>;
  }
  return (
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus -- one of its tabs has the focus
    <div
      role="tablist"
      aria-label="Tabs of the right panel"
      onKeyDown={onKeyDown}
      className="flex min-w-0 flex-1 items-center gap-0.5 overflow-x-auto"
    >
      {shown.map(({ id, title, icon, pluginId, isClosable }, index) => (
        <span key={id} role="presentation" className="group/tab relative flex shrink-0 items-center">
          <button
            type="button"
            role="tab"
            id={ids.tab(index)}
            data-tab-id={id}
            aria-selected={id === activeId}
            {...(id === activeId ? { "aria-controls": ids.panel } : {})}
            tabIndex={index === focusIndex ? 0 : -1}
            {...(isClosable ? { "aria-keyshortcuts": "Delete" } : {})}
            onClick={() => surface.activate(id)}
            onAuxClick={(event) => event.button === 1 && isClosable && surface.close(id)}
            className={cn(
              "flex h-8 max-w-44 cursor-pointer items-center gap-1.5 rounded-md px-2 text-sm text-muted-foreground hover:bg-state-hover aria-selected:bg-state-active aria-selected:text-foreground pointer-coarse:h-11",
              isClosable && "pr-7",
            )}
          >
            {icon !== undefined && <Icon name={icon} pluginId={pluginId} size={14} />}
            <span className="truncate">{title}</span>
          </button>
          {isClosable && (
            // For the pointer only: a list of tabs may hold nothing but tabs, and Delete closes the one that has the focus.
            <span
              aria-hidden
              title={`Close ${title}`}
              onClick={() => surface.close(id)}
              className="absolute right-1 inline-flex size-6 cursor-pointer items-center justify-center rounded-sm text-muted-foreground hover:bg-state-active hover:text-foreground"
            >
              <X className="size-3.5" />
            </span>
          )}
        </span>
      ))}
    </div>
  );
}

interface FrameIds {
  id: string;
  labelledBy: string;
}

function Frame({ id, labelledBy, layout, children }: FrameIds & { layout: "padded" | "flush"; children: ReactNode }) {
  return (
    <div
      role="tabpanel"
      id={id}
      aria-labelledby={labelledBy}
      tabIndex={0}
      className={cn("@container min-h-0 flex-1 overflow-y-auto", layout === "padded" && "p-4")}
    >
      {children}
    </div>
  );
}

interface ActiveTabProps {
  surface: PanelSurface;
  content: PanelContent;
  activeId: string;
  tabs: readonly PanelTab[];
  frame: FrameIds;
}

function ActiveTab({ surface, content, activeId, tabs, frame }: ActiveTabProps) {
  const fixed = content.fixedTabs.find(({ id }) => id === activeId);
  if (fixed !== undefined) {
    return <FixedTabPanel content={content} tab={fixed} frame={frame} />;
  }
  const tab = tabs.find(({ id }) => id === activeId);
  if (tab === undefined) {
    return null;
  }
  const own = ownActionOf(content, tab);
  if (own !== undefined) {
    return (
      <Frame {...frame} layout="flush">
        <Fragment key={tab.id}>{own.render(tab.params)}</Fragment>
      </Frame>
    );
  }
  const action = actionOf(content, tab);
  if (action === undefined) {
    return (
      <Frame {...frame} layout="padded">
        <EmptyState
          title="This tab has nothing to show"
          description={
            tab.pluginId === kOwnPanel
              ? "This page no longer offers it. Close the tab if it is not needed."
              : `The plugin ${tab.pluginId} is not loaded, or no longer offers it. The tab fills again when it does; close it if it is not needed.`
          }
        />
      </Frame>
    );
  }
  return (
    <Frame {...frame} layout={action.layout}>
      <SlotMount
        key={tab.id}
        plugin={action.plugin}
        slot={action.slot}
        id={action.id}
        instanceId={`${surface.key}:${tab.id}`}
        surface={content.context}
        component={action.component}
        props={action.propsOf(tab.params)}
      />
    </Frame>
  );
}

function FixedTabPanel({ content, tab, frame }: { content: PanelContent; tab: FixedTab; frame: FrameIds }) {
  return (
    <Frame {...frame} layout={tab.layout}>
      <SlotMount
        key={tab.id}
        plugin={tab.plugin}
        slot={tab.slot}
        id={tab.slotId}
        surface={content.context}
        component={tab.component}
        props={tab.props}
      />
    </Frame>
  );
}

function Launcher({ actions, own }: { actions: readonly LauncherAction[]; own: readonly OwnAction[] }) {
  if (actions.length + own.length === 0) {
    return <EmptyState title="Nothing to open here" description="Plugins can add tabs to this panel." />;
  }
  return (
    <ul aria-label="What can be opened" className="flex flex-col gap-px overflow-y-auto p-2">
      {own.map(({ id, title, icon, launch }) => (
        <li key={id}>
          <button
            type="button"
            onClick={launch}
            className="flex min-h-10 w-full cursor-pointer items-center gap-3 rounded-md px-2 text-left text-sm hover:bg-state-hover pointer-coarse:min-h-11"
          >
            <Icon name={icon} pluginId={kOwnPanel} className="size-4 shrink-0 text-muted-foreground" />
            <span className="min-w-0 flex-1 truncate">{title}</span>
          </button>
        </li>
      ))}
      {actions.map((action) => (
        <li key={`${action.plugin.pluginId}/${action.id}`}>
          <button
            type="button"
            onClick={action.launch}
            className="flex min-h-10 w-full cursor-pointer items-center gap-3 rounded-md px-2 text-left text-sm hover:bg-state-hover pointer-coarse:min-h-11"
          >
            {action.icon === undefined ? (
              <Plus aria-hidden className="size-4 shrink-0 text-muted-foreground" />
            ) : (
              <Icon name={action.icon} pluginId={action.plugin.pluginId} className="size-4 shrink-0 text-muted-foreground" />
            )}
            <span className="min-w-0 flex-1 truncate">{action.title}</span>
            <span className="max-w-32 truncate text-xs text-muted-foreground">{action.plugin.name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
