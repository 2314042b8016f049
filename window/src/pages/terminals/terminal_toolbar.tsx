import ClipboardPaste from "lucide-react/icons/clipboard-paste";
import Ellipsis from "lucide-react/icons/ellipsis";
import Check from "lucide-react/icons/check";
import { type RefObject, useState } from "react";

import type { Terminal } from "@/api/terminals";
import { navigation } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { usePreference } from "@/lib/preferences";
import { isLive, kScreenReaderKey } from "@/terminals/state";
import { closeOrAsk, ForceCloseDialog, RenameTerminalDialog, RestartTerminalDialog } from "@/terminals/terminal_dialogs";
import type { TerminalHandle } from "@/terminals/terminal_view";
import { CopyButton } from "@/ui/copy_button";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger, IconButton } from "@/ui";

type Asked = "rename" | "restart" | "close";
type View = RefObject<TerminalHandle | null>;

/** Text of the clipboard goes in as if it were typed. Browsers ask first, and offer this on https and on this computer only. */
async function pasteInto(view: View): Promise<void> {
  // At once: an Enter that follows is for the terminal, and on the button it would paste a second time.
  view.current?.focus();
  try {
    view.current?.paste(await navigator.clipboard.readText());
  } catch {
    notify({
      kind: "error",
      title: "The browser does not give the clipboard",
      description: "Click into the terminal and paste with the keyboard: Ctrl+Shift+V, or ⌘V on a Mac.",
    });
  }
}

/** What can be done with a terminal. */
export function TerminalToolbar({ terminal, view }: { terminal: Terminal; view: View }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isScreenReader, setScreenReader] = usePreference<boolean>(kScreenReaderKey, false);
  const dialog = (which: Asked) => ({ terminal, open: asked === which, onOpenChange: (open: boolean) => setAsked(open ? which : null) });
  return (
    <div role="group" aria-label={`Actions for ${terminal.title}`} className="flex items-center gap-1">
      <CopyButton text={() => view.current?.text() ?? ""} label="Copy the selection, or all of it" />
      {terminal.status === "running" && (
        <IconButton size="sm" label="Paste" onClick={() => void pasteInto(view)}>
          <ClipboardPaste aria-hidden />
        </IconButton>
      )}
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton size="sm" label="More actions" tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuItem onSelect={() => view.current?.focus()}>Go into the terminal</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => setScreenReader(!isScreenReader)}>
            <span className="flex-1">{isScreenReader ? "Leave screen reader mode" : "Screen reader mode"}</span>
            {isScreenReader && <Check aria-hidden />}
          </DropdownMenuItem>
          <DropdownMenuSeparator />
          <DropdownMenuItem onSelect={() => setAsked("rename")}>Rename…</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => setAsked("restart")}>Restart…</DropdownMenuItem>
          {isLive(terminal) && (
            <DropdownMenuItem isDestructive onSelect={() => void closeOrAsk(terminal, () => setAsked("close"))}>
              Close
            </DropdownMenuItem>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      <RenameTerminalDialog {...dialog("rename")} />
      <RestartTerminalDialog {...dialog("restart")} onRestarted={({ id }) => navigation.toTerminal(id)} />
      <ForceCloseDialog {...dialog("close")} />
    </div>
  );
}
