import { Link } from "react-router";

import { useHosts } from "@/api/hosts";
import type { PluginRecord } from "@/api/records";
import { paths } from "@/lib/navigation";
import { Banner, Card, ErrorNotice, Section } from "@/ui";

import { CopyButton } from "@/ui/copy_button";
import { type HostArtifact, useHostArtifact, useMachineLines } from "@/pages/plugins/data";
import { counted, formatBytes } from "@/lib/format";
import { hostProblem, type MachineLines } from "@/pages/plugins/host_model";
import { Fact, Facts } from "@/ui/page";
import { TimeAgo } from "@/ui/time_ago";

/** Hex digits of a digest that tell it apart. */
const kShortDigest = 12;

/** The part of a plugin that runs on machines; nothing for a plugin without one. */
export function HostSection({ record }: { record: PluginRecord }) {
  const artifact = useHostArtifact(record.id).data ?? null;
  const problem = hostProblem(record);
  const isShown = artifact !== null || problem !== null;
  const lines = useMachineLines(record.id, isShown);
  if (!isShown) {
    return null;
  }
  return (
    <Section title="On machines">
      {problem !== null && (
        <Banner tone="error" title="Its host entry is not built">
          <p className="whitespace-pre-wrap wrap-anywhere">{problem}</p>
        </Banner>
      )}
      <Card className="flex flex-col gap-3 px-4 py-3">
        {artifact !== null && <ArtifactFacts artifact={artifact} />}
        <div className="text-sm">
          <h3 className="font-medium">Machines in its log</h3>
          {lines.isError ? (
            <ErrorNotice title="Its log could not be read" error={lines.error} onRetry={() => void lines.refetch()} />
          ) : (
            <Machines machines={lines.data ?? []} pluginId={record.id} />
          )}
        </div>
      </Card>
    </Section>
  );
}

function ArtifactFacts({ artifact: { digest, byteLength, sdkVersion } }: { artifact: HostArtifact }) {
  return (
    <Facts>
      <Fact term="Host entry">{formatBytes(byteLength)} of JavaScript, fetched by a machine with the first call</Fact>
      <Fact term="Digest">
        <span className="inline-flex items-center gap-1">
          <code>{digest.slice(0, kShortDigest)}</code>
          <CopyButton text={digest} label="Copy the whole digest" />
        </span>
      </Fact>
      <Fact term="Built with">{sdkVersion === null ? "Not known" : `SDK ${sdkVersion}`}</Fact>
    </Facts>
  );
}

function Machines({ machines, pluginId }: { machines: readonly MachineLines[]; pluginId: string }) {
  const hosts = useHosts();
  if (machines.length === 0) {
    return (
      <p className="mt-1 text-muted-foreground">
        It wrote nothing on a machine lately. <Link to={paths.machines()}>All machines</Link>
      </p>
    );
  }
  return (
    <>
      <ul className="mt-1 flex flex-col gap-2">
        {machines.map(({ hostId, count, last, lastWarning }) => (
          <li key={hostId} className="min-w-0 wrap-anywhere">
            <Link to={paths.machine(hostId)} className="font-medium underline-offset-2 hover:underline">
              {hosts.data?.find(({ id }) => id === hostId)?.name ?? hostId}
            </Link>{" "}
            <span className="text-muted-foreground">
              {counted(count, "line")}, the last <TimeAgo at={last.at} />
            </span>
            {lastWarning !== null && <p className="text-xs text-warning-text">{lastWarning.message}</p>}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs">
        <Link to={paths.pluginLogs(pluginId)} className="underline underline-offset-2">
          Its whole log
        </Link>
      </p>
    </>
  );
}
