import { useMemo, useRef } from "react";
import { useParams } from "react-router";

import { type ActivePlugin, useActivePlugins } from "@/plugins/registry";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";
import { Icon } from "@/sdk_app/icon";
import { decodeSubPath } from "@/lib/navigation";
import { usePageTitle } from "@/shell/page_title";
import { fixedTabId, usePanelSurface } from "@/plugins/right_panel";
import type { FixedTab, PanelContent } from "@/shell/right_panel_content";
import { kMainId } from "@/lib/main_region";
import { useScrollMemory } from "@/shell/scroll_memory";
import { RightPanelToggle, SurfaceLayout } from "@/shell/surface_layout";
import { TitleBar } from "@/shell/title_bar";
import { useIsCompact } from "@/lib/viewport";
import { Loading } from "@/ui/spinner";

import { Placeholder } from "./placeholder";
import { StaleMark } from "./stale_mark";

type NavPanel = ActivePlugin["app"]["navPanels"][number];

/** `/plugins/:pluginId/:panelPath/*`: the page of a plugin, or why there is none. */
export default function PluginPage() {
  const { pluginId = "", panelPath = "", "*": rest = "" } = useParams();
  const plugin = useActivePlugins().find((active) => active.pluginId === pluginId);
  const panel = plugin?.app.navPanels.find(({ path }) => path === panelPath);
  const subPath = useSubPath(pluginId, panelPath, rest);
  return plugin === undefined || panel === undefined ? (
    <Placeholder pluginId={pluginId} panelPath={panelPath} isActive={plugin !== undefined} />
  ) : (
    <Panel key={`${pluginId}/${panel.id}`} plugin={plugin} panel={panel} subPath={subPath} />
  );
}

/** Each segment decoded once. The router's own parameter is decoded as a whole, which would turn an encoded slash into a separator. */
function useSubPath(pluginId: string, panelPath: string, rest: string): string {
  return useMemo(() => {
    const marker = `/plugins/${encodeURIComponent(pluginId)}/${encodeURIComponent(panelPath)}/`;
    const at = location.pathname.indexOf(marker);
    return decodeSubPath(at === -1 ? "" : location.pathname.slice(at + marker.length));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `rest` says that the address is another one
  }, [pluginId, panelPath, rest]);
}

function Panel({ plugin, panel, subPath }: { plugin: ActivePlugin; panel: NavPanel; subPath: string }) {
  const isCompact = useIsCompact();
  const surface = usePanelSurface(`plugin:${plugin.pluginId}/${panel.path}`, "fixed");
  const context = useMemo<SurfaceContext>(() => ({ projectId: null, threadId: null, panel: surface, isCompact }), [surface, isCompact]);
  const props = useMemo(() => ({ subPath }), [subPath]);
  const content = useMemo<PanelContent>(
    () => ({ context, actions: [], fixedTabs: (panel.fixedTabs ?? []).map((tab) => fixedTab(plugin, panel, tab, props)) }),
    [context, plugin, panel, props],
  );
  usePageTitle(panel.title);
  const scroller = useRef<HTMLDivElement>(null);
  useScrollMemory(scroller);
  const { headerContent } = panel;
  return (
    <SurfaceLayout surface={surface} content={content}>
      <main id={kMainId} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        <TitleBar
          actions={
            <>
              {headerContent !== undefined && (
                // What is too wide scrolls in its own place: the title and the way to the panel stay.
                <div className="flex min-w-0 items-center gap-1 overflow-x-auto p-1">
                  <SlotMount
                    plugin={plugin}
                    slot="navPanel.headerContent"
                    id={panel.id}
                    surface={context}
                    component={headerContent}
                    props={props}
                    fallback="none"
                  />
                </div>
              )}
              {content.fixedTabs.length > 0 && <RightPanelToggle surface={surface} />}
            </>
          }
        >
          <Icon name={panel.icon} pluginId={plugin.pluginId} className="size-4 shrink-0 text-muted-foreground" />
          <h1 tabIndex={-1} className="truncate text-sm font-semibold">
            {panel.title}
          </h1>
          <StaleMark pluginId={plugin.pluginId} />
        </TitleBar>
        <div ref={scroller} className="@container relative min-h-0 flex-1 overflow-auto">
          <SlotMount
            plugin={plugin}
            slot="navPanel"
            id={panel.id}
            surface={context}
            component={panel.component}
            props={props}
            fallback="page"
            pending={<Loading />}
          />
        </div>
      </main>
    </SurfaceLayout>
  );
}

function fixedTab(
  plugin: ActivePlugin,
  panel: NavPanel,
  { id, title, icon, layout = "padded", component }: NonNullable<NavPanel["fixedTabs"]>[number],
  props: { subPath: string },
): FixedTab {
  return {
    id: fixedTabId(plugin.pluginId, panel.id, id),
    plugin,
    slot: "navPanel.fixedTabs",
    slotId: `${panel.id}/${id}`,
    title,
    icon,
    layout,
    component,
    props,
  };
}
