import Ellipsis from "lucide-react/icons/ellipsis";
import { Link } from "react-router";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { paths } from "@/lib/navigation";
import { threadName } from "@/sdk_app/thread_records";
import { Badge } from "@/ui/badge";
import { IconButton } from "@/ui/button";
import { cn } from "@/ui/cn";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger } from "@/ui/dropdown_menu";
import { TimeAgo } from "@/ui/time_ago";
import { ThreadIndicator } from "./thread_indicator";
import { ThreadDialogs, ThreadMenuItems, useThreadDialog } from "./thread_menu";

/** Where the work is done, as far as that is worth a word. */
function placeOf({ host, environment }: PluginSidebarThread): string | null {
  const parts = [host?.name, environment?.branchName ?? environment?.name].filter((part) => typeof part === "string" && part !== "");
  return parts.length === 0 ? null : parts.join(" · ");
}

/** A thread in a list of many. */
export function ThreadRow({ thread }: { thread: PluginSidebarThread }) {
  const { id, isUnread, indicator, indicatorLabel, hasPendingInteraction, latestAttentionAt } = thread;
  const [dialog, setDialog] = useThreadDialog();
  const name = threadName(thread);
  const place = placeOf(thread);
  return (
    <li className="flex min-w-0 items-center gap-x-2 px-3 py-1 hover:bg-state-hover">
      <Link to={paths.thread(id)} className="flex min-h-9 min-w-0 flex-1 items-center gap-2.5 text-sm pointer-coarse:min-h-11">
        <ThreadIndicator thread={thread} />
        <span className={cn("min-w-24 truncate", isUnread && "font-semibold")}>{name}</span>
        {place !== null && <span className="min-w-0 truncate text-xs text-muted-foreground max-sm:hidden">{place}</span>}
      </Link>
      {indicatorLabel !== null && !indicator.startsWith("unread") && (
        <Badge aria-hidden tone={hasPendingInteraction ? "warning" : "neutral"} className="max-sm:hidden">
          {indicatorLabel}
        </Badge>
      )}
      <span className="shrink-0 text-xs text-muted-foreground">
        <TimeAgo at={latestAttentionAt} />
      </span>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton size="sm" label={`More for ${name}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <ThreadMenuItems thread={thread} Item={DropdownMenuItem} separator={<DropdownMenuSeparator />} onDialog={setDialog} />
        </DropdownMenuContent>
      </DropdownMenu>
      <ThreadDialogs thread={thread} dialog={dialog} onClose={() => setDialog(null)} />
    </li>
  );
}
