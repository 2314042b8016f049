import Download from "lucide-react/icons/download";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";

import { useHasAgent } from "@/sdk_app/threads_data";
import { navigation, paths } from "@/lib/navigation";
import { Button, cn } from "@/ui";

import { AboutView } from "./about_view";
import { BrowseView } from "./browse_view";
import { InstallDialog } from "./install_dialog";
import { InstalledView } from "./installed_view";
import { NewPluginDialog } from "./new_plugin_dialog";
import { Page, PageTitle } from "@/ui/page";

/** What the composer starts with where an agent can make a plugin. */
const kNewPluginPrompt = "Create a svc plugin that ";

/**
 * `/plugins`: installed plugins, and with `?view=browse` the catalogue. `?install` opens the install dialog, `?about=<source>` shows what
 * a source is before it is installed, once somebody has agreed to look at it.
 */
export default function PluginsPage() {
  const about = useSearchParams()[0].get("about");
  return about === null ? <PluginLists /> : <AboutView key={about} source={about} />;
}

function PluginLists() {
  const [params, setParams] = useSearchParams();
  const [retried, setRetried] = useState<string | null>(null);
  const [isMaking, setMaking] = useState(false);
  const hasAgent = useHasAgent();
  const isBrowsing = params.get("view") === "browse";

  const setInstalling = (isOpen: boolean) =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        if (isOpen) {
          next.set("install", "");
        } else {
          next.delete("install");
        }
        return next;
      },
      { replace: true },
    );
  const install = (source: string | null) => {
    setRetried(source);
    setInstalling(true);
  };
  const makeNew = () => {
    if (hasAgent === true) {
      navigation.toCompose({ initialPrompt: kNewPluginPrompt, focusPrompt: true });
    } else {
      setMaking(true);
    }
  };
  return (
    <Page>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <PageTitle>Plugins</PageTitle>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => install(null)}>
            <Download aria-hidden />
            Install from source
          </Button>
          <Button variant="primary" onClick={makeNew}>
            <Plus aria-hidden />
            New plugin
          </Button>
        </div>
      </header>
      <nav aria-label="Views of plugins" className="-mt-2 flex gap-4 border-b border-border-hairline">
        <ViewLink to={paths.plugins()} isCurrent={!isBrowsing}>
          Installed
        </ViewLink>
        <ViewLink to={paths.browsePlugins()} isCurrent={isBrowsing}>
          Browse
        </ViewLink>
      </nav>
      {isBrowsing ? <BrowseView /> : <InstalledView onInstall={install} />}
      <NewPluginDialog open={isMaking} onOpenChange={setMaking} />
      <InstallDialog
        open={params.has("install")}
        onOpenChange={setInstalling}
        {...(retried === null ? {} : { initial: { source: retried } })}
      />
    </Page>
  );
}

function ViewLink({ to, isCurrent, children }: { to: string; isCurrent: boolean; children: string }) {
  return (
    <Link
      to={to}
      aria-current={isCurrent ? "page" : undefined}
      className={cn(
        "-mb-px inline-flex h-9 items-center border-b-2 text-sm transition-colors hover:text-foreground pointer-coarse:h-11",
        isCurrent ? "border-primary font-medium text-foreground" : "border-transparent text-muted-foreground",
      )}
    >
      {children}
    </Link>
  );
}
