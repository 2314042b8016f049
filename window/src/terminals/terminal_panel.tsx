import { lazy, Suspense, useRef } from "react";
import { Link } from "react-router";

import { useFollowHosts, useHosts } from "@/api/hosts";
import { useFollowTerminals, useTerminals } from "@/api/terminals";
import { navigation, paths } from "@/lib/navigation";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

import { TerminalNotice } from "./terminal_notice";

const TerminalView = lazy(() => import("./terminal_view"));

/** A terminal in a panel beside something else. */
export default function TerminalPanel({ terminalId }: { terminalId: string }) {
  const terminals = useTerminals();
  const hosts = useHosts();
  useFollowHosts();
  useFollowTerminals();
  const head = useRef<HTMLAnchorElement>(null);
  const terminal = terminals.data?.find(({ id }) => id === terminalId);
  if (terminal === undefined) {
    return terminals.isPending ? (
      <Loading />
    ) : terminals.isError ? (
      <ErrorNotice
        className="m-4"
        title="The terminal could not be read"
        error={terminals.error}
        onRetry={() => void terminals.refetch()}
      />
    ) : (
      <EmptyState title="This terminal is not there" description="It has ended more than a day ago. Close the tab if it is not needed." />
    );
  }
  const host = hosts.data?.find(({ id }) => id === terminal.hostId);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <p className="flex min-h-8 items-center gap-2 border-b border-border-hairline px-3 text-xs text-muted-foreground">
        <span className="min-w-0 flex-1 truncate font-mono" title={terminal.initialCwd}>
          {terminal.initialCwd}
        </span>
        <Link ref={head} to={paths.terminal(terminal.id)} className="shrink-0 hover:text-foreground hover:underline">
          Whole page
        </Link>
      </p>
      <TerminalNotice terminal={terminal} host={host} onRestarted={({ id }) => navigation.toTerminal(id)} />
      <Suspense fallback={<Loading label="Loading the terminal…" />}>
        <TerminalView key={terminal.id} terminal={terminal} handle={null} onLeave={() => head.current?.focus()} />
      </Suspense>
    </div>
  );
}
