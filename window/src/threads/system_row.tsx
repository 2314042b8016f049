import type { TimelineRow } from "#sdk/records.js";

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

/** What the service has to say: errors stand out, everything else is one line. */
export function SystemRowView({ row }: { row: SystemRow }) {
  const { onRetry } = useThreadView();
  const isLast = useIsOfLast(row.id);
  const { systemKind, title, status } = row;
  const detail = row.operationKind === "plugin-interaction" && row.detail !== null ? interruptionText(row.detail) : row.detail;
  if (systemKind === "error") {
    return (
      <Banner tone="error" title={title} actions={<RetryButton retry={isLast ? onRetry : undefined} />}>
        {detail ?? "The agent can be asked again."}
      </Banner>
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
