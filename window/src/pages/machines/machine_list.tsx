import Monitor from "lucide-react/icons/monitor";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { useSearchParams } from "react-router";

import { type Host, useHosts } from "@/api/hosts";
import { type Terminal, useTerminals } from "@/api/terminals";
import { navigation, paths } from "@/lib/navigation";
import { OpenTerminalDialog } from "@/terminals/open_terminal_dialog";
import { TerminalRows } from "@/terminals/terminal_rows";
import { Page, PageTitle } from "@/ui/page";
import { Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

import { JoinDialog } from "./join_dialog";
import { MachineRow } from "./machine_row";

/**
 * `/settings/machines`: every machine, the server's own first, with the ways to its files and its terminals. With `?open` it asks for
 * a new terminal at once, `host` and `path` say where.
 */
export function MachineList() {
  const hosts = useHosts();
  const terminals = useTerminals();
  const [search, setSearch] = useSearchParams();
  const [isJoining, setJoining] = useState(false);
  const retryHosts = { onRetry: () => void hosts.refetch(), isRetrying: hosts.isFetching };
  return (
    <Page>
      <header className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <PageTitle>Machines</PageTitle>
          <Button variant="primary" onClick={() => setJoining(true)}>
            <Plus aria-hidden />
            Add machine
          </Button>
        </div>
        <p className="text-sm text-pretty text-muted-foreground">
          The computers that this service works on. Look at their files, open terminals on them, and let plugins run parts of themselves
          there.
        </p>
      </header>
      {hosts.data !== undefined && hosts.isError && <ErrorNotice title="The list may be out of date" error={hosts.error} {...retryHosts} />}
      {hosts.data !== undefined && !hosts.isError && terminals.isError && (
        <ErrorNotice
          title="The terminals could not be read"
          error={terminals.error}
          onRetry={() => void terminals.refetch()}
          isRetrying={terminals.isFetching}
        />
      )}
      {hosts.data !== undefined ? (
        <Machines hosts={hosts.data} terminals={terminals.data ?? []} onJoin={() => setJoining(true)} />
      ) : hosts.isError ? (
        <ErrorNotice title="The machines could not be read" error={hosts.error} {...retryHosts} />
      ) : (
        <Loading label="Loading machines…" />
      )}
      <JoinDialog open={isJoining} onOpenChange={setJoining} />
      <OpenTerminalDialog
        open={search.has("open")}
        onOpenChange={(open) => open || setSearch({}, { replace: true })}
        hostId={search.get("host") ?? undefined}
        folder={search.get("path") ?? undefined}
        onOpened={({ id }) => navigation.toTerminal(id)}
      />
    </Page>
  );
}

interface MachinesProps {
  hosts: readonly Host[];
  terminals: readonly Terminal[];
  onJoin(): void;
}

function Machines({ hosts, terminals, onJoin }: MachinesProps) {
  const left = terminals.filter(({ hostId }) => !hosts.some(({ id }) => id === hostId));
  return (
    <>
      {hosts.length === 0 ? (
        <EmptyState
          icon={<Monitor />}
          title="No machine yet"
          description="The server's own machine appears here by itself a moment after the service has started. Add others with a join code."
          actions={<Button onClick={onJoin}>Add machine</Button>}
        />
      ) : (
        <ul aria-label="Machines" className="flex flex-col gap-3">
          {hosts.map((host) => (
            <li key={host.id} data-machine-row={host.id}>
              <Card>
                <MachineRow host={host} onOpenTerminal={() => navigation.to(paths.newTerminal(host.id), { replace: true })} />
                <TerminalRows
                  label={`Terminals of ${host.name}`}
                  terminals={terminals.filter(({ hostId }) => hostId === host.id)}
                  className="border-t border-border-hairline pl-4 sm:pl-7"
                />
              </Card>
            </li>
          ))}
        </ul>
      )}
      {left.length > 0 && (
        <Section title="Machines that were removed" description="Their terminals are listed for a day after they have ended.">
          <Card>
            <TerminalRows label="Terminals of machines that were removed" terminals={left} />
          </Card>
        </Section>
      )}
    </>
  );
}
