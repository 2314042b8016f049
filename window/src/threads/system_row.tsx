import { useSyncExternalStore } from "react";
import { Link } from "react-router";

import type { TimelineRow } from "#sdk/records.js";

import { useThread } from "@/api/threads";
import { paths } from "@/lib/navigation";
import { Banner } from "@/ui/banner";
import { interruptionText } from "./interaction_text";
import { Output } from "./output";
import { RowFrame } from "./row_frame";
import { useIsOfLast, useThreadView } from "./thread_view";
import { RetryButton } from "./turn_failure";

type SystemRow = Extract<TimelineRow, { kind: "system" }>;

const kOperationIcons: Record<string, string> = {
  "thread-provisioning": "package",
  "thread-interrupted": "circle-stop",
  compaction: "fold-vertical",
  "context-clear": "eraser",
  "parent-change": "git-branch",
  "plugin-interaction": "puzzle",
  warning: "triangle-alert",
};

/** The thread that a row says the shown one goes on from: that is the first line of a fork. Null for every other row. */
function useSource({ id, threadId, systemKind }: SystemRow): string | null {
  const { store } = useThreadView();
  const { originKind = null, sourceThreadId = null } = useThread(threadId, { enabled: false }).data ?? {};
  const isFirst = useSyncExternalStore(store.subscribe, () => !store.snapshot().hasOlder && store.snapshot().order[0] === id);
  return originKind === "fork" && systemKind === "operation" && isFirst ? sourceThreadId : null;
}

/** What the service has to say: errors stand out, everything else is one line. */
export function SystemRowView({ row }: { row: SystemRow }) {
  const { onRetry } = useThreadView();
  const isLast = useIsOfLast(row.id);
  const source = useSource(row);
  const { systemKind, title, status } = row;
  const detail = row.operationKind === "plugin-interaction" && row.detail !== null ? interruptionText(row.detail) : row.detail;
  if (systemKind === "error") {
    return (
      <Banner tone="error" title={title} actions={<RetryButton retry={isLast ? onRetry : undefined} />}>
        {detail ?? "The agent can be asked again."}
      </Banner>
    );
  }
  if (source !== null) {
    return (
      <p className="flex min-h-8 flex-wrap items-center gap-x-3 px-2 text-sm">
        <span className="min-w-0 font-medium text-muted-foreground wrap-anywhere">{title}</span>
        <Link to={paths.thread(source)} className="text-link underline-offset-2 hover:underline">
          Show what was said before
        </Link>
      </p>
    );
  }
  return (
    <RowFrame
      id={row.id}
      icon={systemKind === "reconnect" ? "plug-zap" : (kOperationIcons[row.operationKind ?? ""] ?? "info")}
      title={title}
      status={status}
      {...(detail === null || detail === "" ? {} : { children: () => <Output text={detail} label={title} /> })}
    />
  );
}
