import Maximize2 from "lucide-react/icons/maximize-2";
import X from "lucide-react/icons/x";
import { lazy, type ReactNode, Suspense, useEffect, useId, useMemo, useRef } from "react";

import { type ActivePlugin, useActivePlugins } from "@/plugins/registry";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";
import { Icon } from "@/sdk_app/icon";
import { threadName } from "@/sdk_app/thread_records";
import { useThreadLists } from "@/sdk_app/threads_data";
import { useReadWhileSeen } from "@/threads/read_while_seen";
import { IconButton } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";
import { Loading } from "@/ui/spinner";

import { Resizer } from "./resizer";
import { kPaneMin, kSplitInstance, type ShownSplit, split, type SplitPage } from "@/plugins/split";

// With the thread that is shown first: plugins' pages do without.
const Conversation = lazy(async () => ({ default: (await import("@/threads/conversation")).Conversation }));

type NavPanel = ActivePlugin["app"]["navPanels"][number];

const kContext: SurfaceContext = { projectId: null, threadId: null, isCompact: false };

/** What stands beside the page of the address: a page of a plugin, or a thread. */
export default function SplitPane({ shown }: { shown: ShownSplit }) {
  const { page } = shown;
  return "threadId" in page ? <ThreadPane shown={shown} threadId={page.threadId} /> : <PluginPane shown={shown} page={page} />;
}

interface FrameProps {
  shown: ShownSplit;
  title: string;
  icon?: ReactNode;
  actions?: ReactNode;
  className: string;
  children: ReactNode;
}

function Frame({ shown: { page, width, maxWidth }, title, icon, actions, className, children }: FrameProps) {
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
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
          {icon}
          <h2 ref={heading} id={headingId} tabIndex={-1} className="truncate text-sm font-semibold outline-hidden">
            {title}
          </h2>
        </div>
        <div className="flex shrink-0 items-center gap-1">
          {actions}
          <IconButton label={`Show only ${title}`} size="sm" onClick={split.promote}>
            <Maximize2 aria-hidden />
          </IconButton>
          <IconButton label={`Close ${title}`} size="sm" onClick={split.close}>
            <X aria-hidden />
          </IconButton>
        </div>
      </div>
      <div className={className}>{children}</div>
    </section>
  );
}

function PluginPane({ shown, page }: { shown: ShownSplit; page: SplitPage }) {
  const plugin = useActivePlugins().find(({ pluginId }) => pluginId === page.pluginId);
  const panel = plugin?.app.navPanels.find(({ path }) => path === page.path);
  const props = useMemo(() => ({ subPath: page.subPath }), [page.subPath]);
  return (
    <Frame
      shown={shown}
      title={panel?.title ?? page.pluginId}
      icon={panel !== undefined && <Icon name={panel.icon} pluginId={page.pluginId} className="size-4 shrink-0 text-muted-foreground" />}
      actions={
        plugin !== undefined &&
        panel?.headerContent !== undefined && (
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
        )
      }
      className="@container relative min-h-0 flex-1 overflow-auto"
    >
      {plugin === undefined || panel === undefined ? (
        <Missing pluginId={page.pluginId} />
      ) : (
        <Page key={`${plugin.pluginId}/${panel.id}`} plugin={plugin} panel={panel} props={props} />
      )}
    </Frame>
  );
}

/** A thread beside another page; what it opens in a panel is opened as a page, as it has none. */
function ThreadPane({ shown, threadId }: { shown: ShownSplit; threadId: string }) {
  const thread = useThreadLists().threads.find(({ id }) => id === threadId);
  const projectId = thread?.projectId ?? null;
  const surface = useMemo<SurfaceContext>(() => ({ projectId, threadId, isCompact: false }), [projectId, threadId]);
  useReadWhileSeen(thread);
  return (
    <Frame shown={shown} title={thread === undefined ? "Thread" : threadName(thread)} className="@container flex min-h-0 flex-1 flex-col">
      <Suspense fallback={<Loading label="Loading the thread…" />}>
        <Conversation key={threadId} threadId={threadId} surface={surface} />
      </Suspense>
    </Frame>
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
