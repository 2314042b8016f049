import { useState } from "react";
import { Link } from "react-router";

import type { Host } from "@/api/hosts";
import type { Terminal } from "@/api/terminals";
import { paths } from "@/lib/navigation";
import { Banner, Button } from "@/ui";

import { endText, isLive } from "./state";
import { RestartTerminalDialog } from "./terminal_dialogs";

export interface TerminalNoticeProps {
  terminal: Terminal;
  host: Host | undefined;
  onRestarted(next: Terminal): void;
}

/** Why nothing can be typed, and what can be done about it. */
export function TerminalNotice({ terminal, host, onRestarted }: TerminalNoticeProps) {
  const [isRestarting, setRestarting] = useState(false);
  const name = host?.name ?? "Its machine";
  if (!isLive(terminal)) {
    return (
      <>
        <Banner
          role="status"
          className="rounded-none border-x-0 border-t-0"
          title="This terminal has ended"
          actions={
            <Button size="sm" disabled={host?.status !== "connected"} onClick={() => setRestarting(true)}>
              Restart
            </Button>
          }
        >
          {endText(terminal)}
        </Banner>
        <RestartTerminalDialog terminal={terminal} open={isRestarting} onOpenChange={setRestarting} onRestarted={onRestarted} />
      </>
    );
  }
  if (terminal.status === "disconnected" || (host !== undefined && host.status !== "connected")) {
    return (
      <Banner
        role="status"
        tone="warning"
        className="rounded-none border-x-0 border-t-0"
        title={`${name} is not connected`}
        actions={
          host !== undefined && (
            <Button size="sm" asChild>
              <Link to={paths.machine(host.id)}>Machine</Link>
            </Button>
          )
        }
      >
        The terminal goes on there while svc-hostd runs, and is shown again when the machine is back.
      </Banner>
    );
  }
  return null;
}
