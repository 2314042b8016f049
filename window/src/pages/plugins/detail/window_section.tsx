import type { PluginRecord } from "@/api/records";
import { type PluginDiagnostics, type PluginFailure, retryPlugin } from "@/plugins/registry";
import { Banner, Button, Card, Section } from "@/ui";

import { useAction } from "@/pages/plugins/actions";
import { Fact, Facts } from "@/ui/page";
import { TimeAgo } from "@/ui/time_ago";
import { Trace } from "./status_section";

const kStates: Readonly<Record<PluginDiagnostics["state"], string>> = {
  active: "In use",
  stale: "Showing the previous version",
  failed: "Failed, nothing is shown",
  "needs-update": "Built for another version of the service",
};

const kPhases: Readonly<Record<PluginFailure["phase"], string>> = {
  load: "while it was loaded",
  setup: "in its setup function",
  mount: "while a content script was mounted",
  render: "while it was rendered",
  dispose: "while it was disposed",
};

/** Says that this window does not show the plugin's newest user interface. */
export function StaleBanner({ record, diagnostics }: { record: PluginRecord; diagnostics: PluginDiagnostics }) {
  const action = useAction(record.id);
  const { state, lastFailure } = diagnostics;
  if (state === "active") {
    return null;
  }
  const title =
    state === "stale"
      ? "This window shows the previous version of its user interface"
      : state === "failed"
        ? "Its user interface failed to load in this window"
        : "Its user interface needs an update";
  return (
    <Banner
      tone={state === "failed" ? "error" : "warning"}
      role="status"
      title={title}
      actions={
        state !== "needs-update" && (
          <Button
            size="sm"
            isBusy={action.busy !== null}
            onClick={() => void action.run("retry", `${record.name} failed again`, () => retryPlugin(record.id))}
          >
            Retry
          </Button>
        )
      }
    >
      {state === "needs-update" ? (
        <p>
          It was built with SDK {record.app.bundle?.sdkVersion ?? "?"}. Build it again with the SDK of this service; its server part is not
          affected.
        </p>
      ) : (
        lastFailure !== undefined && (
          <>
            <p>
              It failed {kPhases[lastFailure.phase]}, <TimeAgo at={lastFailure.at} />:
            </p>
            <p className="whitespace-pre-wrap text-foreground wrap-anywhere">{lastFailure.message}</p>
          </>
        )
      )}
    </Banner>
  );
}

/** How the plugin's user interface fares in this window. */
export function WindowSection({ diagnostics }: { diagnostics: PluginDiagnostics }) {
  const { state, generation, hash, failedHash, contentScripts, lastFailure, warnings, unsupported } = diagnostics;
  return (
    <Section title="In this window">
      <Card className="flex flex-col gap-3 px-4 py-3">
        <Facts>
          <Fact term="User interface">{kStates[state]}</Fact>
          <Fact term="Mount generation">{generation}</Fact>
          {hash !== null && (
            <Fact term="Bundle">
              <code>{hash}</code>
            </Fact>
          )}
          {failedHash !== undefined && (
            <Fact term="Failed bundle">
              <code>{failedHash}</code>
            </Fact>
          )}
          {contentScripts.length > 0 && (
            <Fact term="Content scripts">{contentScripts.map((script) => `${script.id} (${script.state})`).join(", ")}</Fact>
          )}
          {unsupported.length > 0 && <Fact term="Without effect">{unsupported.join(", ")}</Fact>}
        </Facts>
        {lastFailure !== undefined && (
          <div className="text-sm">
            <h3 className="font-medium">Last failure</h3>
            <p className="text-xs text-muted-foreground">
              <TimeAgo at={lastFailure.at} />, {kPhases[lastFailure.phase]}
              {lastFailure.slot !== undefined && `, ${lastFailure.slot}`}
            </p>
            <Trace message={lastFailure.message} stack={lastFailure.stack ?? null} />
          </div>
        )}
        {warnings.length > 0 && (
          <div className="text-sm">
            <h3 className="font-medium">Warnings</h3>
            <ul className="mt-1 list-disc pl-5">
              {warnings.map((warning) => (
                <li key={warning} className="wrap-anywhere">
                  {warning}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Card>
    </Section>
  );
}
