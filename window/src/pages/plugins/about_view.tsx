import { useState } from "react";
import { Link, useLocation } from "react-router";

import { usePlugins } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { type AboutState, paths } from "@/lib/navigation";
import { Button, Card, ErrorNotice, Loading, PluginIcon } from "@/ui";
import { Page, PageTitle } from "@/ui/page";

import { usePackageAbout } from "./data";
import { InstallDialog } from "./install_dialog";
import type { PackageAbout } from "./install_model";
import { PackageContents } from "./package_contents";
import { PackageReadme } from "./package_readme";

/** Characters of a source that are shown before somebody agrees to it: nobody reads more of an address. */
const kShownSource = 1_000;

/**
 * `/plugins?about=<source>`: what would be installed, told by its own files. Nothing of it runs. To tell it the server fetches the
 * package, and any page or text can hold a link with an address of its choosing: the server waits until a click in the window agrees.
 */
export function AboutView({ source }: { source: string }) {
  const state = useLocation().state as Partial<AboutState> | null;
  const [isAgreed, setAgreed] = useState(state?.isSourceChosen === true);
  return isAgreed ? <PackageView source={source} /> : <AskedFirst source={source} onAgree={() => setAgreed(true)} />;
}

function AskedFirst({ source, onAgree }: { source: string; onAgree(): void }) {
  const rest = source.length - kShownSource;
  return (
    <Page>
      <PageTitle>Look at a package?</PageTitle>
      <Card className="flex flex-col items-start gap-3 px-4 py-3 text-sm">
        <p className="text-pretty">
          A link names this source. The server fetches the package from there to show what it says of itself, as the user who runs the
          service. Nothing of it is run, and nothing is installed.
        </p>
        <pre aria-label="Source" className="max-h-48 max-w-full overflow-y-auto font-mono wrap-anywhere whitespace-pre-wrap">
          {source.slice(0, kShownSource)}
          {rest > 0 && `… and ${rest} more characters`}
        </pre>
        <Button variant="primary" onClick={onAgree}>
          Look at it
        </Button>
      </Card>
    </Page>
  );
}

function PackageView({ source }: { source: string }) {
  const about = usePackageAbout(source);
  const [isInstalling, setInstalling] = useState(false);
  return (
    <Page>
      {about.data === undefined ? (
        <>
          <PageTitle>{source}</PageTitle>
          {about.isError ? (
            <ErrorNotice
              title="What this is could not be found out"
              error={about.error}
              isRetrying={about.isFetching}
              onRetry={() => void about.refetch()}
            />
          ) : (
            <Loading label="Getting the package, to read what it says…" />
          )}
        </>
      ) : (
        <>
          <AboutHeader about={about.data} source={source} onInstall={() => setInstalling(true)} />
          <PackageReadme about={about.data} />
          <PackageContents about={about.data} />
        </>
      )}
      <InstallDialog open={isInstalling} onOpenChange={setInstalling} initial={startOf(source)} isAbout />
    </Page>
  );
}

/** `hello@demo` is an entry of a marketplace, whose source the dialog shows; what has a separator is a source by itself. */
function startOf(source: string) {
  const at = source.indexOf("@");
  return at <= 0 || /[:/]/.test(source) ? { source } : { entryId: source.slice(0, at), marketplace: source.slice(at + 1) };
}

interface AboutHeaderProps {
  about: PackageAbout;
  source: string;
  onInstall(): void;
}

function AboutHeader({ about, source, onInstall }: AboutHeaderProps) {
  const plugins = usePlugins();
  const installed: PluginRecord | undefined = plugins.data?.find(({ id }) => id === about.id);
  const who = [`Version ${about.version}`, about.author, source].filter(Boolean).join(" · ");
  return (
    <header className="flex min-w-0 flex-wrap items-start gap-4">
      <PluginIcon record={{ name: about.name, icon: about.icon }} className="mt-0.5 size-10" />
      <div className="min-w-0 flex-1 basis-60">
        <PageTitle>{about.name}</PageTitle>
        <p className="text-sm text-muted-foreground wrap-anywhere">{who}</p>
        {about.description !== null && <p className="mt-1 text-sm text-pretty wrap-anywhere">{about.description}</p>}
      </div>
      {installed === undefined ? (
        <Button variant="primary" onClick={onInstall}>
          Install…
        </Button>
      ) : (
        <Button asChild>
          <Link to={paths.pluginDetail(installed.id)}>Installed: show {installed.name}</Link>
        </Button>
      )}
    </header>
  );
}
