import FolderOpen from "lucide-react/icons/folder-open";
import KeyRound from "lucide-react/icons/key-round";
import Pencil from "lucide-react/icons/pencil";
import Server from "lucide-react/icons/server";
import SquareTerminal from "lucide-react/icons/square-terminal";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { Link } from "react-router";

import { type Host, useHosts } from "@/api/hosts";
import { useSystemConfig } from "@/api/queries";
import { useTerminals } from "@/api/terminals";
import { CopyButton } from "@/ui/copy_button";
import { formatTime } from "@/lib/format";
import { Fact, Facts, Page, PageTitle } from "@/ui/page";
import { TimeAgo } from "@/ui/time_ago";
import { navigation, paths } from "@/lib/navigation";
import { focusMain } from "@/lib/main_region";
import { OpenTerminalDialog } from "@/terminals/open_terminal_dialog";
import { TerminalRows } from "@/terminals/terminal_rows";
import { Badge, Banner, Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

import { JoinDialog } from "./join_dialog";
import { RemoveMachineDialog } from "./remove_machine_dialog";
import { RenameForm } from "./rename_form";
import { machineBadge, platformName, roleOf } from "./state";
import { StateText } from "./state_text";

/** `/settings/machines/:hostId`. */
export function MachineDetail({ hostId }: { hostId: string }) {
  const hosts = useHosts();
  const host = hosts.data?.find(({ id }) => id === hostId);
  if (host !== undefined) {
    return <Machine host={host} />;
  }
  if (hosts.isPending) {
    return <Loading label="Loading the machine…" />;
  }
  const back = (
    <Button asChild>
      <Link to={paths.machines()}>All machines</Link>
    </Button>
  );
  return hosts.isError ? (
    <EmptyState
      as="h1"
      icon={<Server />}
      title="This machine cannot be shown"
      description={
        <ErrorNotice
          title="The machines could not be read"
          error={hosts.error}
          onRetry={() => void hosts.refetch()}
          isRetrying={hosts.isFetching}
        />
      }
      actions={back}
    />
  ) : (
    <EmptyState
      as="h1"
      icon={<Server />}
      title="This machine is not known"
      description={`No machine has the id “${hostId}”. It may have been removed.`}
      actions={back}
    />
  );
}

function Machine({ host }: { host: Host }) {
  const [isRenaming, setRenaming] = useState(false);
  const badge = machineBadge(host);
  return (
    <Page>
      <header className="flex flex-col gap-4">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <PageTitle>{host.name}</PageTitle>
          <Badge tone={badge.tone}>{badge.label}</Badge>
        </div>
        {isRenaming ? (
          <RenameForm
            host={host}
            onDone={() => {
              setRenaming(false);
              focusMain();
            }}
          />
        ) : (
          <MachineActions host={host} onRename={() => setRenaming(true)} />
        )}
      </header>
      {host.stateMessage !== null && (
        <Banner tone={host.state === "available" ? "info" : "warning"}>
          <StateText message={host.stateMessage} />
        </Banner>
      )}
      <TerminalsSection host={host} />
      <Section title="About this machine">
        <Card className="px-4 py-3">
          <MachineFacts host={host} />
        </Card>
      </Section>
      {host.role === "server" && <ServiceSection />}
    </Page>
  );
}

function MachineActions({ host, onRename }: { host: Host; onRename(): void }) {
  const [isRemoving, setRemoving] = useState(false);
  const [isJoining, setJoining] = useState(false);
  const [isOpening, setOpening] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <Button asChild>
        <Link to={paths.files({ hostId: host.id })}>
          <FolderOpen aria-hidden />
          Files
        </Link>
      </Button>
      <Button disabled={host.status !== "connected"} onClick={() => setOpening(true)}>
        <SquareTerminal aria-hidden />
        Open terminal
      </Button>
      <Button onClick={onRename}>
        <Pencil aria-hidden />
        Rename
      </Button>
      {host.role === "machine" && (
        <>
          <Button onClick={() => setJoining(true)}>
            <KeyRound aria-hidden />
            New join code
          </Button>
          <Button onClick={() => setRemoving(true)}>
            <Trash2 aria-hidden />
            Remove
          </Button>
        </>
      )}
      <OpenTerminalDialog open={isOpening} onOpenChange={setOpening} hostId={host.id} onOpened={({ id }) => navigation.toTerminal(id)} />
      <JoinDialog open={isJoining} onOpenChange={setJoining} host={host} />
      <RemoveMachineDialog host={host} open={isRemoving} onOpenChange={setRemoving} onRemoved={() => navigation.toMachines()} />
    </div>
  );
}

function TerminalsSection({ host }: { host: Host }) {
  const terminals = useTerminals();
  const own = (terminals.data ?? []).filter(({ hostId }) => hostId === host.id);
  return (
    <Section
      title="Terminals"
      description={host.status === "connected" || own.length === 0 ? undefined : "They can be used again when the machine is back."}
    >
      {terminals.data === undefined ? (
        terminals.isError ? (
          <ErrorNotice
            title="The terminals could not be read"
            error={terminals.error}
            onRetry={() => void terminals.refetch()}
            isRetrying={terminals.isFetching}
          />
        ) : (
          <Loading label="Loading terminals…" />
        )
      ) : (
        <Card>
          {own.length === 0 ? (
            <p className="px-4 py-3 text-sm text-muted-foreground">
              None is open. A terminal goes on when you leave its page, and every window can look at it.
            </p>
          ) : (
            <TerminalRows label={`Terminals of ${host.name}`} terminals={own} />
          )}
        </Card>
      )}
    </Section>
  );
}

function MachineFacts({ host }: { host: Host }) {
  const platform = platformName(host.platform);
  return (
    <Facts>
      <Fact term="Role">{roleOf(host)}</Fact>
      {platform !== null && <Fact term="Platform">{platform}</Fact>}
      <Fact term="Id">
        <span className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 text-xs wrap-anywhere">{host.id}</code>
          <CopyButton text={host.id} label="Copy the id" />
        </span>
      </Fact>
      <Fact term="Last seen">
        {host.status === "connected" ? "Connected now" : host.lastSeenAt === null ? "Never" : <TimeAgo at={host.lastSeenAt} />}
      </Fact>
      <Fact term="Joined">{formatTime(host.createdAt)}</Fact>
      {host.lastRejectedProtocolVersion !== null && (
        <Fact term="Refused protocol">Version {host.lastRejectedProtocolVersion}: this server speaks another one</Fact>
      )}
    </Facts>
  );
}

/** What runs on the server's own machine. */
function ServiceSection() {
  const config = useSystemConfig();
  return (
    <Section title="The service" description="Plugins and everything they start run here.">
      {config.isPending ? (
        <Loading />
      ) : config.isError ? (
        <ErrorNotice
          title="The service could not be read"
          error={config.error}
          onRetry={() => void config.refetch()}
          isRetrying={config.isFetching}
        />
      ) : (
        <Card className="px-4 py-3">
          <Facts>
            <Fact term="Address">
              <code className="text-xs">{config.data.serverUrl}</code>
            </Fact>
            <Fact term="Data">
              <code className="text-xs">{config.data.dataDir}</code>
            </Fact>
            <Fact term="Time zone">{config.data.timezone}</Fact>
          </Facts>
        </Card>
      )}
    </Section>
  );
}
