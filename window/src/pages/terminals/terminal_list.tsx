import Plus from "lucide-react/icons/plus";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { useSearchParams } from "react-router";

import { type Host, useHosts } from "@/api/hosts";
import { type Terminal, useTerminals } from "@/api/terminals";
import { navigation } from "@/lib/navigation";
import { OpenTerminalDialog } from "@/terminals/open_terminal_dialog";
import { TerminalRows } from "@/terminals/terminal_rows";
import { Page, PageTitle } from "@/ui/page";
import { Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

/** `/terminals`: those of all machines. With `?open` it asks for a new one at once, `host` and `path` say where. */
export function TerminalList() {
  const terminals = useTerminals();
  const hosts = useHosts();
  const [search, setSearch] = useSearchParams();
  const ask = () => setSearch({ open: "" }, { replace: true });
  return (
    <Page>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <PageTitle>Terminals</PageTitle>
        <Button variant="primary" onClick={ask}>
          <Plus aria-hidden />
          Open a terminal
        </Button>
      </header>
      {terminals.data !== undefined ? (
        <Machines terminals={terminals.data} hosts={hosts.data ?? []} onAsk={ask} />
      ) : terminals.isError ? (
        <ErrorNotice
          title="The terminals could not be read"
          error={terminals.error}
          onRetry={() => void terminals.refetch()}
          isRetrying={terminals.isFetching}
        />
      ) : (
        <Loading label="Loading the terminals…" />
      )}
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

/** Terminals below their machines, in the order of these. */
function Machines({ terminals, hosts, onAsk }: { terminals: readonly Terminal[]; hosts: readonly Host[]; onAsk(): void }) {
  if (terminals.length === 0) {
    return (
      <EmptyState
        icon={<SquareTerminal />}
        title="No terminal is open"
        description="A terminal is a shell on one of your machines. It goes on without this page, and its output is kept for a day after it has ended."
        actions={<Button onClick={onAsk}>Open a terminal</Button>}
      />
    );
  }
  const known = hosts.map(({ id, name }) => ({ id, name }));
  const removed = [...new Set(terminals.map(({ hostId }) => hostId))].filter((id) => known.every((host) => host.id !== id));
  return [...known, ...removed.map((id) => ({ id, name: id }))].map(({ id, name }) => {
    const own = terminals.filter(({ hostId }) => hostId === id);
    return own.length === 0 ? null : (
      <Section key={id} title={name}>
        <Card>
          <TerminalRows label={`Terminals of ${name}`} terminals={own} />
        </Card>
      </Section>
    );
  });
}
