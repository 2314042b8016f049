import CircleAlert from "lucide-react/icons/circle-alert";
import { type ReactNode, useId, useMemo } from "react";
import { Link } from "react-router";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { usePlugins } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { paths } from "@/lib/navigation";
import { Icon } from "@/sdk_app/icon";
import { threadName } from "@/sdk_app/thread_records";
import { useThreadLists } from "@/sdk_app/threads_data";
import { usePanelRows } from "@/shell/panel_rows";
import { ThreadIndicator } from "@/threads/thread_indicator";
import { Card } from "@/ui/card";
import { PluginIcon } from "@/ui/plugin_icon";
import { TimeAgo } from "@/ui/time_ago";

import { overviewOf } from "./overview_model";

/** Rows of a part; the rest is behind its link. */
const kMost = 5;
const kMostPages = 12;
const kNoPlugins: PluginRecord[] = [];

interface PartProps {
  title: string;
  /** Of all, where that is more than is shown. */
  more?: { text: string; to: string } | undefined;
  children: ReactNode;
}

function Part({ title, more, children }: PartProps) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h2 id={headingId} className="text-sm font-medium text-muted-foreground">
          {title}
        </h2>
        {more !== undefined && (
          <Link to={more.to} className="text-xs text-link underline-offset-2 hover:underline">
            {more.text}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}

interface RowProps {
  to: string;
  icon: ReactNode;
  name: string;
  text?: string | undefined;
  at: number | null;
}

function Row({ to, icon, name, text, at }: RowProps) {
  return (
    <li>
      <Link to={to} className="flex min-h-9 min-w-0 items-center gap-2.5 px-3 py-1.5 text-sm hover:bg-state-hover pointer-coarse:min-h-11">
        {icon}
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
          <span className="max-w-full truncate">{name}</span>
          {text !== undefined && <span className="min-w-0 flex-1 basis-40 truncate text-xs text-muted-foreground">{text}</span>}
        </span>
        {at !== null && (
          <span className="shrink-0 text-xs text-muted-foreground">
            <TimeAgo at={at} />
          </span>
        )}
      </Link>
    </li>
  );
}

function Rows({ children }: { children: ReactNode }) {
  return (
    <Card>
      <ul className="divide-y divide-border-hairline">{children}</ul>
    </Card>
  );
}

function Threads({ title, threads, all }: { title: string; threads: readonly PluginSidebarThread[]; all: { text: string; to: string } }) {
  return (
    <Part title={title} more={threads.length > kMost ? { ...all, text: `${all.text} (${threads.length})` } : undefined}>
      <Rows>
        {threads.slice(0, kMost).map((thread) => (
          <Row
            key={thread.id}
            to={paths.thread(thread.id)}
            icon={<ThreadIndicator thread={thread} />}
            name={threadName(thread)}
            at={thread.latestAttentionAt}
          />
        ))}
      </Rows>
    </Part>
  );
}

/** The plugins' pages, in the order of the sidebar: a narrow window has that behind a button. */
function Pages() {
  const { shown } = usePanelRows();
  if (shown.length === 0) {
    return null;
  }
  return (
    <Part title="Pages">
      <ul aria-label="Pages of plugins" className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-2">
        {shown.slice(0, kMostPages).map((row) => (
          <li key={row.key} className="min-w-0">
            <Link
              to={paths.pluginPanel(row.pluginId, row.path)}
              className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-lg border border-border-hairline bg-surface-raised-solid px-3 py-2 text-sm transition-colors hover:bg-state-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground"
            >
              <Icon name={row.icon} pluginId={row.pluginId} />
              <span className="min-w-0 wrap-anywhere">{row.title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What waits, works, failed and comes next, and the pages of plugins: each part only where there is something of it. */
export function Overview() {
  const plugins = usePlugins().data ?? kNoPlugins;
  const { threads } = useThreadLists();
  const { waiting, working, failed, next } = useMemo(() => overviewOf(plugins, threads), [plugins, threads]);
  return (
    <>
      {waiting.length > 0 && <Threads title="Waits for you" threads={waiting} all={{ text: "Inbox", to: paths.inbox() }} />}
      {working.length > 0 && <Threads title="At work" threads={working} all={{ text: "All threads", to: paths.threads() }} />}
      {failed.length > 0 && (
        <Part
          title="Did not work"
          more={failed.length > kMost ? { text: `All plugins (${failed.length})`, to: paths.plugins() } : undefined}
        >
          <Rows>
            {failed.slice(0, kMost).map(({ key, to, name, text, at }) => (
              <Row
                key={key}
                to={to}
                icon={<CircleAlert aria-hidden className="size-4 shrink-0 text-destructive-text" />}
                name={name}
                text={text}
                at={at}
              />
            ))}
          </Rows>
        </Part>
      )}
      <Pages />
      {next.length > 0 && (
        <Part title="Next">
          <Rows>
            {next.slice(0, kMost).map(({ key, plugin, name, at }) => (
              <Row
                key={key}
                to={paths.pluginDetail(plugin.id)}
                icon={<PluginIcon record={plugin} />}
                name={plugin.name}
                text={name}
                at={at}
              />
            ))}
          </Rows>
        </Part>
      )}
    </>
  );
}
