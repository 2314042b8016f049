import Plus from "lucide-react/icons/plus";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { Link, useSearchParams } from "react-router";

import { type Host, useHosts } from "@/api/hosts";
import { type Terminal, useTerminals } from "@/api/terminals";
import { navigation, paths } from "@/lib/navigation";
import { OpenTerminalDialog } from "@/terminals/open_terminal_dialog";
import { sortTerminals } from "@/terminals/state";
import { Page, PageTitle } from "@/ui/page";
import { Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

import { TerminalRow } from "./terminal_row";

/** `/terminals`: those of every machine. With `?open` it asks for a new one at once, `host` and `path` say where. */
export function TerminalList() {
  const terminals = useTerminals();
  const hosts = useHosts();
  const [search, setSearch] = useSearchParams();
  const isOpening = search.has("open");
  const ask = (hostId?: string) => navigation.to(paths.newTerminal(hostId), { replace: true });
  return (
    <Page>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <PageTitle>Terminals</PageTitle>
        <Button variant="primary" onClick={() => ask()}>
          <Plus aria-hidden />
          Open a terminal
        </Button>
      </header>
      {terminals.data !== undefined && terminals.isError && (
        <ErrorNotice title="The list may be out of date" error={terminals.error} onRetry={() => void terminals.refetch()} />
      )}
      {terminals.data !== undefined && hosts.data !== undefined ? (
        <Machines terminals={terminals.data} hosts={hosts.data} onOpen={ask} />
      ) : terminals.isError || hosts.isError ? (
        <ErrorNotice
          title="The terminals could not be read"
          error={terminals.error ?? hosts.error}
          onRetry={() => void Promise.all([terminals.refetch(), hosts.refetch()])}
          isRetrying={terminals.isFetching || hosts.isFetching}
        />
      ) : (
        <Loading />
      )}
      <OpenTerminalDialog
        open={isOpening}
        onOpenChange={(open) => open || setSearch({}, { replace: true })}
        hostId={search.get("host") ?? undefined}
        folder={search.get("path") ?? undefined}
        onOpened={({ id }) => navigation.toTerminal(id)}
      />
    </Page>
  );
}

interface MachinesProps {
  terminals: readonly Terminal[];
  hosts: readonly Host[];
  onOpen(hostId: string): void;
}

function Machines({ terminals, hosts, onOpen }: MachinesProps) {
  if (terminals.length === 0) {
    return (
      <EmptyState
        icon={<SquareTerminal />}
        title="No terminal is open"
        description="A terminal is a shell on one of your machines. It goes on when you leave its page, and every window can look at it."
      />
    );
  }
  const known = hosts.filter(({ id }) => terminals.some(({ hostId }) => hostId === id));
  const left = terminals.filter(({ hostId }) => !hosts.some(({ id }) => id === hostId));
  return (
    <>
      {known.map((host) => (
        <Section
          key={host.id}
          title={host.name}
          description={host.status === "connected" ? undefined : "Not connected: its terminals can be used again when it is back."}
          actions={
            <>
              <Button size="sm" asChild>
                <Link to={paths.machine(host.id)}>Machine</Link>
              </Button>
              <Button size="sm" disabled={host.status !== "connected"} onClick={() => onOpen(host.id)}>
                <Plus aria-hidden />
                Open on {host.name}
              </Button>
            </>
          }
        >
          <Rows label={`Terminals of ${host.name}`} terminals={terminals.filter(({ hostId }) => hostId === host.id)} />
        </Section>
      ))}
      {left.length > 0 && (
        <Section title="Machines that were removed">
          <Rows label="Terminals of machines that were removed" terminals={left} />
        </Section>
      )}
    </>
  );
}

function Rows({ label, terminals }: { label: string; terminals: readonly Terminal[] }) {
  return (
    <Card>
      <ul aria-label={label} className="divide-y divide-border-hairline">
        {sortTerminals(terminals).map((terminal) => (
          <TerminalRow key={terminal.id} terminal={terminal} />
        ))}
      </ul>
    </Card>
  );
}
