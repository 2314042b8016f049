import { type ReactNode, useMemo, useState } from "react";

import { PageTitle } from "@/ui/page";
import { Button, EmptyState, ErrorNotice, Loading } from "@/ui";

import { LogList } from "./log_list";
import { filterLog, kNoFilter, type LogFilter, logSources, type LogSource, toRows } from "./log_model";
import { LogToolbar } from "./log_toolbar";
import { type Log, useLog } from "./use_log";

export interface LogViewProps {
  /** The same object for the same log. */
  source: LogSource;
  title: string;
  /** Of a download, without its ending. */
  fileName: string;
  /** For a log without a line. */
  whatAppears: ReactNode;
  actions?: ReactNode;
}

/** A live log: filters above, the lines below. */
export function LogView({ source, title, fileName, whatAppears, actions }: LogViewProps) {
  const log = useLog(source);
  const [filter, setFilter] = useState<LogFilter>(kNoFilter);
  const [isFollowing, setFollowing] = useState(true);
  const { entries } = log.buffer;
  const shown = useMemo(() => filterLog(entries, filter), [entries, filter]);
  const rows = useMemo(() => toRows(shown), [shown]);
  const sources = useMemo(() => logSources(entries, source.knownSources), [entries, source]);
  return (
    <div className="flex h-full min-h-96 min-w-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-4 pb-3 md:px-6">
        <PageTitle className="min-w-0">{title}</PageTitle>
        {actions !== undefined && <div className="flex flex-wrap gap-2 sm:ml-auto">{actions}</div>}
      </header>
      <LogToolbar
        name={fileName}
        filter={filter}
        onFilter={setFilter}
        sources={sources}
        shown={shown}
        total={entries.length}
        isFollowing={isFollowing}
        onFollowing={setFollowing}
      />
      {log.failure !== null && (
        <ErrorNotice className="mx-4 mb-3 md:mx-6" title="New lines cannot be read at the moment" error={log.failure} />
      )}
      {log.hasOlder && (
        <div className="border-t border-border-hairline px-4 py-1.5 md:px-6">
          <Button size="sm" variant="ghost" isBusy={log.isLoadingOlder} onClick={log.loadOlder}>
            Load older lines
          </Button>
        </div>
      )}
      {rows.length > 0 ? (
        <LogList rows={rows} isFollowing={isFollowing} onFollowing={setFollowing} />
      ) : (
        <NothingShown log={log} whatAppears={whatAppears} onClear={() => setFilter(kNoFilter)} />
      )}
    </div>
  );
}

function NothingShown({ log, whatAppears, onClear }: { log: Log; whatAppears: ReactNode; onClear(): void }) {
  if (log.buffer.cursor === null) {
    return log.failure === null ? <Loading label="Reading the log…" /> : null;
  }
  return log.buffer.entries.length === 0 ? (
    <EmptyState title="The log is empty" description={whatAppears} />
  ) : (
    <EmptyState
      title="No line matches"
      description="Lines that match appear here as they are written."
      actions={<Button onClick={onClear}>Show all lines</Button>}
    />
  );
}
