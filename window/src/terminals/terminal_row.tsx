import Ellipsis from "lucide-react/icons/ellipsis";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { useState } from "react";
import { Link } from "react-router";

import type { Terminal } from "@/api/terminals";
import { navigation, paths } from "@/lib/navigation";
import { TimeAgo } from "@/ui/time_ago";
import { Badge, DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger, IconButton } from "@/ui";

import { isLive, terminalBadge } from "./state";
import { closeOrAsk, ForceCloseDialog, RenameTerminalDialog, RestartTerminalDialog } from "./terminal_dialogs";

type Asked = "rename" | "restart" | "close";

/** One terminal of the list. */
export function TerminalRow({ terminal }: { terminal: Terminal }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const badge = terminalBadge(terminal);
  const dialog = (which: Asked) => ({ terminal, open: asked === which, onOpenChange: (open: boolean) => setAsked(open ? which : null) });
  return (
    <li className="flex min-w-0 items-start gap-3 px-3 py-2.5">
      <SquareTerminal aria-hidden className="mt-1 size-4 shrink-0 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Link to={paths.terminal(terminal.id)} className="min-w-0 py-0.5 text-sm font-medium wrap-anywhere hover:underline">
            {terminal.title}
          </Link>
          <Badge tone={badge.tone}>{badge.label}</Badge>
        </div>
        <p className="text-xs text-muted-foreground wrap-anywhere">
          {terminal.initialCwd} · opened <TimeAgo at={terminal.createdAt} />
        </p>
      </div>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton label={`Actions for ${terminal.title}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuItem onSelect={() => navigation.toTerminal(terminal.id)}>Show</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => setAsked("rename")}>Rename…</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => setAsked("restart")}>Restart…</DropdownMenuItem>
          {isLive(terminal) && (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuItem isDestructive onSelect={() => void closeOrAsk(terminal, () => setAsked("close"))}>
                Close
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      <RenameTerminalDialog {...dialog("rename")} />
      <RestartTerminalDialog {...dialog("restart")} onRestarted={({ id }) => navigation.toTerminal(id)} />
      <ForceCloseDialog {...dialog("close")} />
    </li>
  );
}
