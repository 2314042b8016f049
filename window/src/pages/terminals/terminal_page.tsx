import SquareTerminal from "lucide-react/icons/square-terminal";
import { lazy, Suspense, useRef } from "react";
import { Link } from "react-router";

import { type Host, useHosts } from "@/api/hosts";
import { type Terminal, useTerminals } from "@/api/terminals";
import { navigation, paths } from "@/lib/navigation";
import { terminalBadge } from "@/terminals/state";
import { TerminalNotice } from "@/terminals/terminal_notice";
import type { TerminalHandle } from "@/terminals/terminal_view";
import { PageTitle } from "@/ui/page";
import { Badge, Button, EmptyState, ErrorNotice, Loading } from "@/ui";

import { TerminalToolbar } from "./terminal_toolbar";

// The emulator is large, and the list does without.
const TerminalView = lazy(() => import("@/terminals/terminal_view"));

/** `/terminals/:terminalId`. */
export function TerminalPage({ terminalId }: { terminalId: string }) {
  const terminals = useTerminals();
  const hosts = useHosts();
  const terminal = terminals.data?.find(({ id }) => id === terminalId);
  if (terminal !== undefined) {
    return <Shown terminal={terminal} host={hosts.data?.find(({ id }) => id === terminal.hostId)} />;
  }
  if (terminals.isPending) {
    return <Loading label="Loading the terminal…" />;
  }
  const back = (
    <Button asChild>
      <Link to={paths.machines()}>All machines</Link>
    </Button>
  );
  return terminals.isError ? (
    <EmptyState
      as="h1"
      icon={<SquareTerminal />}
      title="This terminal cannot be shown"
      description={
        <ErrorNotice
          title="The terminals could not be read"
          error={terminals.error}
          onRetry={() => void terminals.refetch()}
          isRetrying={terminals.isFetching}
        />
      }
      actions={back}
    />
  ) : (
    <EmptyState
      as="h1"
      icon={<SquareTerminal />}
      title="This terminal is not there"
      description="It ended more than a day ago, or the address belongs to another server."
      actions={back}
    />
  );
}

function Shown({ terminal, host }: { terminal: Terminal; host: Host | undefined }) {
  const view = useRef<TerminalHandle>(null);
  const toolbar = useRef<HTMLDivElement>(null);
  const badge = terminalBadge(terminal);
  return (
    <div className="flex h-full min-h-72 flex-col">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-border-hairline px-3 py-2">
        <div className="min-w-0">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2">
            <PageTitle className="text-base">{terminal.title}</PageTitle>
            <Badge tone={badge.tone}>{badge.label}</Badge>
          </div>
          <p className="text-xs text-muted-foreground wrap-anywhere">
            {host === undefined ? (
              "A machine that was removed"
            ) : (
              <Link to={paths.machine(host.id)} className="hover:text-foreground hover:underline">
                {host.name}
              </Link>
            )}{" "}
            ·{" "}
            <Link
              to={paths.files({ hostId: terminal.hostId, folder: terminal.initialCwd })}
              className="font-mono hover:text-foreground hover:underline"
            >
              {terminal.initialCwd}
            </Link>
          </p>
        </div>
        <div ref={toolbar}>
          <TerminalToolbar terminal={terminal} view={view} />
        </div>
      </header>
      <TerminalNotice terminal={terminal} host={host} onRestarted={({ id }) => navigation.toTerminal(id)} />
      <Suspense fallback={<Loading label="Loading the terminal…" />}>
        <TerminalView
          terminal={terminal}
          handle={view}
          takesFocus={terminal.status === "running"}
          onLeave={() => toolbar.current?.querySelector("button")?.focus()}
        />
      </Suspense>
    </div>
  );
}
