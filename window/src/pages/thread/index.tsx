import ChevronRight from "lucide-react/icons/chevron-right";
import { useMemo } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import { useRegistrations } from "@/plugins/registry";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";
import { threadName } from "@/sdk_app/thread_records";
import { useThreadLists } from "@/sdk_app/threads_data";
import { usePageTitle } from "@/shell/page_title";
import { useThreadPanelContent } from "@/shell/panel_actions";
import { changesTab } from "@/shell/changes_tab";
import { kFileTab } from "@/shell/file_tab";
import { terminalTab } from "@/shell/terminal_tab";
import { usePanelSurface } from "@/plugins/right_panel";
import { kMainId } from "@/lib/main_region";
import { paths } from "@/lib/navigation";
import { RightPanelToggle, SurfaceLayout } from "@/shell/surface_layout";
import { TitleBar } from "@/shell/title_bar";
import { Conversation } from "@/threads/conversation";
import { useReadWhileSeen } from "@/threads/read_while_seen";
import { useThreadTabs } from "@/threads/thread_tabs";
import { useIsCompact } from "@/lib/viewport";

/** What `paths.thread` says of the message that is shown first. */
function placeIn(params: URLSearchParams): number | undefined {
  const at = Number(params.get("at"));
  return Number.isSafeInteger(at) && at > 0 ? at : undefined;
}

/** `/threads/:threadId`, also below a project. */
export default function ThreadPage() {
  const { threadId = "", projectId: routeProject } = useParams();
  const [params] = useSearchParams();
  const { threads, projects } = useThreadLists();
  const thread = threads.find(({ id }) => id === threadId);
  useReadWhileSeen(thread);
  const title = thread === undefined ? "Thread" : threadName(thread);
  const projectId = thread?.projectId ?? routeProject ?? null;
  const project = projects.find(({ id }) => id === projectId);
  const isCompact = useIsCompact();
  const surface = usePanelSurface(`thread:${threadId}`, "threadPanelActions");
  const context = useMemo<SurfaceContext>(
    () => ({ projectId, threadId, panel: surface, isCompact }),
    [projectId, threadId, surface, isCompact],
  );
  const isKnown = thread !== undefined;
  const environmentId = thread?.environment?.id ?? null;
  const own = useMemo(
    () =>
      isKnown ? [...(environmentId === null ? [] : [changesTab(surface, environmentId)]), terminalTab(surface, threadId), kFileTab] : [],
    [surface, threadId, isKnown, environmentId],
  );
  useThreadTabs({ threadId, environmentId, surface, opens: !isCompact }, isKnown);
  const content = useThreadPanelContent(surface, context, threadId, own);
  usePageTitle(title);
  return (
    <SurfaceLayout surface={surface} content={content}>
      <main id={kMainId} tabIndex={-1} data-svc-thread-window={threadId} className="flex min-h-0 flex-1 flex-col outline-none">
        <TitleBar
          actions={
            <>
              {thread !== undefined && (
                <HeaderActions context={context} threadId={threadId} projectId={thread.projectId} isCompactViewport={isCompact} />
              )}
              <RightPanelToggle surface={surface} />
            </>
          }
        >
          {project !== undefined && !project.isPersonal && (
            <>
              <Link
                to={paths.project(project.id)}
                className="max-w-48 min-w-0 shrink-0 truncate rounded-sm text-sm text-muted-foreground hover:text-foreground hover:underline max-sm:hidden"
              >
                {project.name}
              </Link>
              <ChevronRight aria-hidden className="size-3.5 shrink-0 text-subtle-foreground max-sm:hidden" />
            </>
          )}
          <h1 tabIndex={-1} className="truncate text-sm font-semibold">
            {title}
          </h1>
        </TitleBar>
        <div data-svc-thread-scroll-root className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          <Conversation key={threadId} threadId={threadId} surface={context} at={placeIn(params)} />
        </div>
      </main>
    </SurfaceLayout>
  );
}

interface HeaderActionProps {
  context: SurfaceContext;
  threadId: string;
  projectId: string;
  isCompactViewport: boolean;
}

/** `L:thread-header` — the row is 48 px high, controls 28 px. */
function HeaderActions({ context, threadId, projectId, isCompactViewport }: HeaderActionProps) {
  const registrations = useRegistrations("threadHeaderActions");
  const props = useMemo(() => ({ threadId, projectId, isCompactViewport }), [threadId, projectId, isCompactViewport]);
  return (
    <div className="flex h-7 items-center gap-1">
      {registrations.map(({ plugin, registration: { id, title, component } }) => (
        <div key={`${plugin.pluginId}/${id}`} role="group" aria-label={title} className="contents">
          <SlotMount
            plugin={plugin}
            slot="experimental_threadHeaderAction"
            id={id}
            instanceId={threadId}
            surface={context}
            component={component}
            props={props}
            fallback="none"
          />
        </div>
      ))}
    </div>
  );
}
