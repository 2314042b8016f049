import { useState } from "react";

import type { PluginRecord, PluginUpdateState } from "@/api/records";
import { Banner, Button, Card, Section, Spinner } from "@/ui";

import { checkUpdates, failureText, shownUpdate, tellUpdate, type UpdateResult, updatePlugin, useAction } from "@/pages/plugins/actions";
import { useRollbackTarget, useSource, useUpdateChecks } from "@/pages/plugins/data";
import { formatTime } from "@/lib/format";
import { Fact, Facts } from "@/ui/page";
import { availableUpdate, isPathSource } from "@/pages/plugins/status";
import { TimeAgo } from "@/ui/time_ago";
import { RollbackDialog } from "./rollback_dialog";

type Outcome = { kind: "result"; result: UpdateResult } | { kind: "failed"; message: string };

/** The installed version, newer ones, and those before. */
export function VersionSection({ record }: { record: PluginRecord }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const action = useAction(record.id);
  const { updateState } = record;
  const isManaged = !isPathSource(record) && record.provenance !== "builtin";
  const available = availableUpdate(record);
  const target = useRollbackTarget(record.id, isManaged).data ?? null;
  const [isAsking, setAsking] = useState(false);

  const check = () => action.run("check", "Could not look for updates", () => checkUpdates(record.id));
  const update = () =>
    action.run("update", `${record.name} could not be updated`, async () => {
      setOutcome(null);
      try {
        const result = await updatePlugin(record.id, shownUpdate(record));
        setOutcome({ kind: "result", result });
        tellUpdate(record, result);
      } catch (error) {
        setOutcome({ kind: "failed", message: failureText(error) });
        throw error;
      }
    });
  return (
    <Section
      title="Version"
      actions={
        isManaged && (
          <>
            <Button size="sm" isBusy={action.busy === "check"} onClick={() => void check()}>
              Check for updates
            </Button>
            {available !== undefined && (
              <Button
                size="sm"
                variant={updateState.rolledBack === undefined ? "primary" : "secondary"}
                isBusy={action.busy === "update"}
                onClick={() => void update()}
              >
                Update to {available}
              </Button>
            )}
            {target !== null && (
              <Button size="sm" disabled={action.busy !== null} onClick={() => setAsking(true)}>
                Roll back to {target.version}…
              </Button>
            )}
          </>
        )
      }
    >
      {action.busy === "update" && (
        <div role="status" className="flex items-start gap-3 rounded-lg border border-border-hairline px-3 py-2.5 text-sm">
          <Spinner className="mt-0.5 size-4 shrink-0" />
          <p>
            Updating{available === undefined ? "" : ` to ${available}`}… The new version is watched for half a minute and rolled back when
            it fails.
          </p>
        </div>
      )}
      {outcome !== null && action.busy !== "update" && <OutcomeBanner outcome={outcome} />}
      {updateState.lastFailure !== undefined && outcome === null && <RolledBackBanner failure={updateState.lastFailure} />}
      {isAsking && target !== null && <RollbackDialog record={record} target={target} onClose={() => setAsking(false)} />}
      <Card className="px-4 py-3">
        <VersionFacts record={record} isManaged={isManaged} />
      </Card>
    </Section>
  );
}

function RolledBackBanner({ failure }: { failure: NonNullable<PluginUpdateState["lastFailure"]> }) {
  if (failure.byHand) {
    return (
      <Banner title={`${failure.version} was rolled back by hand`}>
        The version before it and its data were restored <TimeAgo at={failure.at} />. Updates of all plugins leave {failure.version} out.
      </Banner>
    );
  }
  return (
    <Banner tone="error" title={`The update to ${failure.version} was rolled back`}>
      <p className="whitespace-pre-wrap">{failure.detail}</p>
      <p className="mt-1">
        <TimeAgo at={failure.at} />. The version before it and its data were restored.
      </p>
    </Banner>
  );
}

function OutcomeBanner({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === "failed") {
    return (
      <Banner tone="error" role="alert" title="The update failed">
        <span className="whitespace-pre-wrap">{outcome.message}</span>
      </Banner>
    );
  }
  const { from, to, detail, outcome: kind } = outcome.result;
  if (kind === "rolled-back") {
    return (
      <Banner tone="error" role="alert" title={`The update${to === undefined ? "" : ` to ${to}`} was rolled back to ${from}`}>
        <span className="whitespace-pre-wrap">{detail ?? "The new version did not stay in working order."}</span>
      </Banner>
    );
  }
  return (
    <Banner
      role="status"
      title={kind === "updated" ? `Updated from ${from} to ${to ?? "the newest version"}` : `${from} is the newest version`}
    >
      {detail}
    </Banner>
  );
}

function VersionFacts({ record, isManaged }: { record: PluginRecord; isManaged: boolean }) {
  const source = useSource(record.id);
  const checks = useUpdateChecks();
  const check = checks.data?.find(({ id }) => id === record.id);
  const { updateState } = record;
  const history = [...(source.data?.history ?? [])].sort((a, b) => b.at - a.at);
  return (
    <div className="flex flex-col gap-3">
      <Facts>
        <Fact term="Installed">{record.version}</Fact>
        <Fact term="Updates">
          {isManaged
            ? updateText(record)
            : record.provenance === "builtin"
              ? "Come with the service"
              : "Edit the files in its directory and reload"}
        </Fact>
        {availableUpdate(record) !== undefined && check?.candidate?.resolved !== undefined && (
          <Fact term="Candidate">
            <code>{check.candidate.resolved}</code>
          </Fact>
        )}
        {updateState.blockedVersion !== undefined && (
          <Fact term="Newer, cannot run">
            {updateState.blockedVersion}
            {updateState.blockedReasons !== undefined &&
              updateState.blockedReasons.length > 0 &&
              `: ${updateState.blockedReasons.join("; ")}`}
          </Fact>
        )}
        {isManaged && updateState.lastCheckAt !== undefined && (
          <Fact term="Checked">
            <TimeAgo at={updateState.lastCheckAt} />
          </Fact>
        )}
      </Facts>
      {history.length > 1 && (
        <details className="text-sm">
          <summary className="cursor-pointer py-0.5">Versions before ({history.length - 1})</summary>
          <ul className="mt-1 flex flex-col gap-1">
            {history.map(({ version, resolved, at }) => (
              <li key={`${version}-${at}`} className="min-w-0">
                <span className="font-medium">{version}</span> <span className="text-xs text-muted-foreground">{formatTime(at)}</span>
                <code className="block text-xs text-muted-foreground wrap-anywhere">{resolved}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const kOutcomes = {
  current: "This is the newest version",
  pinned: "None: the source names one version",
  incompatible: "Newer versions cannot run on this service",
  unavailable: "The source could not be reached",
} as const;

function updateText(record: PluginRecord): string {
  const { outcome, detail } = record.updateState;
  const available = availableUpdate(record);
  if (outcome === undefined) {
    return "Not looked for yet";
  }
  if (outcome === "update-available") {
    return available === undefined ? kOutcomes.current : `${available} is available`;
  }
  return detail === undefined || outcome === "pinned" ? kOutcomes[outcome] : `${kOutcomes[outcome]}: ${detail}`;
}
