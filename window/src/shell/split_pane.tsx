import Maximize2 from "lucide-react/icons/maximize-2";
import X from "lucide-react/icons/x";
import { useEffect, useId, useMemo, useRef } from "react";

import { type ActivePlugin, useActivePlugins } from "@/plugins/registry";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";
import { Icon } from "@/sdk_app/icon";
import { IconButton } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";

import { Resizer } from "./resizer";
import { kPaneMin, kSplitInstance, type ShownSplit, split } from "@/plugins/split";

type NavPanel = ActivePlugin["app"]["navPanels"][number];

const kContext: SurfaceContext = { projectId: null, threadId: null, isCompact: false };

/** A plugin's page beside the one of the address. */
export default function SplitPane({ shown: { page, width, maxWidth } }: { shown: ShownSplit }) {
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const plugin = useActivePlugins().find(({ pluginId }) => pluginId === page.pluginId);
  const panel = plugin?.app.navPanels.find(({ path }) => path === page.path);
  const title = panel?.title ?? page.pluginId;
  const props = useMemo(() => ({ subPath: page.subPath }), [page.subPath]);
  useEffect(() => {
    if (split.takeFocus()) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [page]);
  return (
    <section
      aria-labelledby={headingId}
      data-split=""
      className="relative flex min-h-0 shrink-0 flex-col border-l border-border-seam-vertical bg-background"
      style={{ width }}
    >
      <Resizer
        label="Width of the split"
        edge="left"
        value={width}
        min={kPaneMin}
        max={maxWidth}
        initial={Math.round((maxWidth + kPaneMin) / 2)}
        onChange={split.setWidth}
      />
      <div className="flex h-titlebar shrink-0 items-center gap-3 border-b border-border-seam px-4">
        <div className="flex min-w-0 flex-1 items-center gap-2">
          {panel !== undefined && <Icon name={panel.icon} pluginId={page.pluginId} className="size-4 shrink-0 text-muted-foreground" />}
          <h2 ref={heading} id={headingId} tabIndex={-1} className="truncate text-sm font-semibold outline-hidden">
            {title}
          </h2>
        </div>
        <div className="flex shrink-0 items-center gap-1">
          {plugin !== undefined && panel?.headerContent !== undefined && (
            <SlotMount
              plugin={plugin}
              slot="navPanel.headerContent"
              id={panel.id}
              instanceId={kSplitInstance}
              surface={kContext}
              component={panel.headerContent}
              props={props}
              fallback="none"
            />
          )}
          <IconButton label={`Show only ${title}`} size="sm" onClick={split.promote}>
            <Maximize2 aria-hidden />
          </IconButton>
          <IconButton label={`Close ${title}`} size="sm" onClick={split.close}>
            <X aria-hidden />
          </IconButton>
        </div>
      </div>
      <div className="@container relative min-h-0 flex-1 overflow-auto">
        {plugin === undefined || panel === undefined ? (
          <Missing pluginId={page.pluginId} />
        ) : (
          <Page key={`${plugin.pluginId}/${panel.id}`} plugin={plugin} panel={panel} props={props} />
        )}
      </div>
    </section>
  );
}

function Page({ plugin, panel, props }: { plugin: ActivePlugin; panel: NavPanel; props: { subPath: string } }) {
  return (
    <SlotMount
      plugin={plugin}
      slot="navPanel"
      id={panel.id}
      instanceId={kSplitInstance}
      surface={kContext}
      component={panel.component}
      props={props}
      fallback="page"
    />
  );
}

function Missing({ pluginId }: { pluginId: string }) {
  return (
    <EmptyState
      title="This page has nothing to show"
      description={`The plugin ${pluginId} is not loaded, or has no such page any more. The page is shown again when it has.`}
    />
  );
}
