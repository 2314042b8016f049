import { useId } from "react";
import { Link } from "react-router";

import { usePlugins, useSystemConfig } from "@/api/queries";
import { Banner, Button, Checkbox } from "@/ui";

import { counted } from "@/lib/format";
import { kSourceChosen } from "@/lib/navigation";
import { type InstallPreview, isInPlace, type RepositoryEntry } from "./install_model";
import { Fact, Facts } from "@/ui/page";

export interface InstallTrustProps {
  preview: InstallPreview;
  isTrusted: boolean;
  onTrust(isTrusted: boolean): void;
  /** False for a version that the service refuses. */
  canInstall: boolean;
  /** The page with what the package says of itself; null where one is on it, or where the page cannot name the plugin. */
  aboutPath: string | null;
  /** Shows the other plugins of the repository. */
  onChooseFrom(entries: readonly RepositoryEntry[]): void;
}

/** What would be installed, from where, what that allows it, and the choice. */
export function InstallTrust({ preview, isTrusted, onTrust, canInstall, aboutPath, onChooseFrom }: InstallTrustProps) {
  const checkboxId = useId();
  const plugins = usePlugins();
  const config = useSystemConfig();
  const isDirectory = isInPlace(preview);
  const installed = plugins.data?.find(({ id }) => id === preview.id);
  const name = preview.package ?? preview.source;
  return (
    <div className="flex flex-col gap-4 pb-3 text-sm">
      <Facts>
        <Fact term="Package">{preview.package ?? "Known when it is downloaded"}</Fact>
        <Fact term="Version">{preview.version ?? "Known when it is downloaded"}</Fact>
        {preview.publisher !== undefined && preview.publisher !== "" && <Fact term="Publisher">{preview.publisher}</Fact>}
        {isDirectory ? (
          <Fact term="Directory">
            <code>{preview.resolved}</code>, used in place
          </Fact>
        ) : (
          <>
            <Fact term="From">{preview.from}</Fact>
            <Fact term="Exactly">
              <code>{preview.resolved}</code>
            </Fact>
            <Fact term="Directory">
              <code>{config.data === undefined ? "plugins/cache" : `${config.data.dataDir}/plugins/cache`}</code>
            </Fact>
            <Fact term="Updates">{preview.pinned ? "None: the source names one version" : "Offered when newer versions appear"}</Fact>
          </>
        )}
        {aboutPath !== null && (
          <Fact term="Readme">
            <Link to={aboutPath} state={kSourceChosen} className="underline underline-offset-2">
              What it says of itself
            </Link>
          </Fact>
        )}
      </Facts>
      {preview.entries !== undefined && preview.entries.length > 0 && (
        <Banner
          title={`The repository holds ${counted(preview.entries.length, "other plugin")} too`}
          actions={
            <Button size="sm" onClick={() => onChooseFrom(preview.entries ?? [])}>
              Choose another
            </Button>
          }
        >
          This one is at its root.
        </Banner>
      )}
      {installed !== undefined && (
        <Banner title={`${installed.name} ${installed.version} is installed already`}>
          {installed.rootDir === preview.resolved
            ? "From this very directory: installing it again loads it again."
            : isDirectory
              ? `From ${installed.sourceDisplay}. Its settings and data stay; the files are taken from this directory from now on.`
              : `From ${installed.sourceDisplay}. A newer version of the same source is an update, on the plugin's page.`}
        </Banner>
      )}
      {preview.incompatible !== null && (
        <Banner tone={canInstall ? "warning" : "error"} title="It does not run on this service">
          {preview.incompatible}
          {canInstall && ". It would be installed, but not started."}
        </Banner>
      )}
      <Banner tone="warning" title="Plugins run with full access to this machine">
        They are not confined: this one can read and change every file of the account the service runs as, start programs and use the
        network. Install only what you trust.
      </Banner>
      <div className="flex items-start gap-1">
        <Checkbox id={checkboxId} checked={isTrusted} disabled={!canInstall} onCheckedChange={(checked) => onTrust(checked === true)} />
        <label htmlFor={checkboxId} className="py-0.5 wrap-anywhere pointer-coarse:py-3">
          I trust {name} and give it full access to this machine.
        </label>
      </div>
    </div>
  );
}
