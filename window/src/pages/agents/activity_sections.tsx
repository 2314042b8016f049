import { useState } from "react";
import { Link } from "react-router";

import { type McpCall, type McpClient, type McpOutcome, useMcpCalls, useMcpClients } from "@/api/mcp";
import { formatDuration } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { TimeAgo } from "@/ui/time_ago";
import { Badge, type BadgeTone, Banner, Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

/** Calls that are shown before somebody asks for all. */
const kShown = 20;

/** Who is connected; it follows by itself. */
export function ClientsSection() {
  const clients = useMcpClients();
  return (
    <Section title="Clients" description="Programs that the service has heard of in the last minutes.">
      {clients.data !== undefined ? (
        <>
          {!clients.data.enabled && (
            <Banner tone="warning" title="MCP clients are not served">
              <code>mcp.enabled</code> is false in the configuration of the service.
            </Banner>
          )}
          <Card>
            {clients.data.clients.length === 0 ? (
              <EmptyState title="No client is connected" description="One that you have connected appears here when it starts." />
            ) : (
              <ul aria-label="Clients" className="divide-y divide-border-hairline">
                {clients.data.clients.map((client) => (
                  <ClientRow key={client.id} client={client} />
                ))}
              </ul>
            )}
          </Card>
        </>
      ) : clients.isError ? (
        <ErrorNotice
          title="The clients could not be read"
          error={clients.error}
          onRetry={() => void clients.refetch()}
          isRetrying={clients.isFetching}
        />
      ) : (
        <Loading />
      )}
    </Section>
  );
}

function ClientRow({ client }: { client: McpClient }) {
  const facts = [
    client.revision === null ? null : `MCP ${client.revision}`,
    client.transport === "stdio" ? "svc mcp" : "HTTP",
    client.token === null ? null : `token ${client.token}`,
    `${client.calls} ${client.calls === 1 ? "call" : "calls"}`,
  ].filter((fact) => fact !== null);
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="text-sm font-medium wrap-anywhere">
          {client.name ?? "Unnamed client"} {client.version !== null && <span className="text-muted-foreground">{client.version}</span>}
        </p>
        <p className="text-xs text-muted-foreground wrap-anywhere">
          {facts.join(" · ")} · seen <TimeAgo at={client.lastSeenAt} />
        </p>
      </div>
      {client.streams > 0 && <Badge tone="success">Listening</Badge>}
    </li>
  );
}

const kOutcomes: Record<McpOutcome, { label: string; tone: BadgeTone }> = {
  running: { label: "Running", tone: "accent" },
  ok: { label: "Done", tone: "success" },
  failed: { label: "Failed", tone: "error" },
  refused: { label: "Refused", tone: "error" },
  cancelled: { label: "Cancelled", tone: "neutral" },
  asked: { label: "Asks the user", tone: "neutral" },
  late: { label: "Result in the thread", tone: "neutral" },
  detached: { label: "Result lost", tone: "warning" },
  revoked: { label: "Token revoked", tone: "warning" },
};

/** What was called and how long it took; it follows by itself. */
export function CallsSection() {
  const calls = useMcpCalls();
  const [isAll, setAll] = useState(false);
  const shown = isAll ? calls.data : calls.data?.slice(0, kShown);
  return (
    <Section title="Recent calls" description="Without arguments and results. They are forgotten when the service ends.">
      {shown !== undefined && calls.data !== undefined ? (
        <>
          <Card>
            {shown.length === 0 ? (
              <EmptyState title="Nothing was called yet" description="Calls of tools by clients appear here as they happen." />
            ) : (
              <ul aria-label="Recent calls" className="divide-y divide-border-hairline">
                {shown.map((call) => (
                  <CallRow key={call.id} call={call} />
                ))}
              </ul>
            )}
          </Card>
          {calls.data.length > shown.length && (
            <Button className="self-start" onClick={() => setAll(true)}>
              Show all {calls.data.length}
            </Button>
          )}
        </>
      ) : calls.isError ? (
        <ErrorNotice
          title="The calls could not be read"
          error={calls.error}
          onRetry={() => void calls.refetch()}
          isRetrying={calls.isFetching}
        />
      ) : (
        <Loading />
      )}
    </Section>
  );
}

function CallRow({ call }: { call: McpCall }) {
  const { label, tone } = kOutcomes[call.outcome] ?? { label: call.outcome, tone: "neutral" };
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-mono text-sm wrap-anywhere">{call.tool}</p>
        <p className="text-xs text-muted-foreground wrap-anywhere">
          {call.pluginId !== null && (
            <>
              <Link to={paths.pluginDetail(call.pluginId)} className="underline underline-offset-2 hover:text-foreground">
                {call.pluginId}
              </Link>{" "}
              ·{" "}
            </>
          )}
          {call.client ?? "Unnamed client"}
          {call.token !== null && ` with token ${call.token}`} · <TimeAgo at={call.startedAt} />
        </p>
      </div>
      <div className="flex items-center gap-3">
        {call.durationMs !== null && <span className="text-sm text-muted-foreground tabular-nums">{formatDuration(call.durationMs)}</span>}
        <Badge tone={tone}>{label}</Badge>
      </div>
    </li>
  );
}
