import Store from "lucide-react/icons/store";
import { useDeferredValue, useState } from "react";
import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { kSourceChosen, paths } from "@/lib/navigation";
import { Badge, Button, Card, EmptyState, ErrorNotice, Input, Loading, PluginIcon, Section } from "@/ui";

import { type CatalogEntry, useCatalog, useMarketplaces } from "./data";
import { counted } from "@/lib/format";
import { InstallDialog } from "./install_dialog";
import { MarketplaceList } from "./marketplace_list";
import { AddMarketplaceDialog } from "./add_marketplace_dialog";

/** The catalogue of all marketplaces, and the marketplaces themselves. */
export function BrowseView() {
  const [query, setQuery] = useState("");
  const [isAdding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<{ entryId: string; marketplace: string } | null>(null);
  const marketplaces = useMarketplaces();
  const catalog = useCatalog(useDeferredValue(query.trim()));

  const failed = marketplaces.isError ? marketplaces : catalog.isError ? catalog : null;
  if (failed !== null && failed.data === undefined) {
    return (
      <ErrorNotice
        title="The catalogue could not be loaded"
        error={failed.error}
        onRetry={() => void failed.refetch()}
        isRetrying={failed.isFetching}
      />
    );
  }
  if (marketplaces.data === undefined || catalog.data === undefined) {
    return <Loading label="Loading the catalogue…" />;
  }
  const add = (
    <Button
      variant={marketplaces.data.length === 0 ? "primary" : "secondary"}
      size={marketplaces.data.length === 0 ? "md" : "sm"}
      onClick={() => setAdding(true)}
    >
      Add marketplace
    </Button>
  );
  return (
    <>
      {marketplaces.data.length === 0 ? (
        <EmptyState
          icon={<Store />}
          as="h2"
          title="No marketplace is configured"
          description="A marketplace is a list of plugins that somebody keeps. Adding one installs nothing."
          actions={add}
        />
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <Input
              type="search"
              aria-label="Search the catalogue"
              placeholder="Search the catalogue"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="max-w-sm min-w-40 flex-1"
            />
            <p role="status" className="text-sm text-muted-foreground">
              {counted(catalog.data.length, "plugin")}
            </p>
          </div>
          {catalog.data.length === 0 ? (
            <EmptyState
              title={query.trim() === "" ? "The marketplaces list no plugins" : `No plugin matches “${query.trim()}”`}
              description={
                query.trim() === "" ? "Refresh them below, or add another one." : "Try another word, or add another marketplace."
              }
            />
          ) : (
            <CatalogGrid key={query.trim()} entries={catalog.data} onInstall={setChosen} />
          )}
          <Section title="Marketplaces" actions={add}>
            <MarketplaceList marketplaces={marketplaces.data} />
          </Section>
        </>
      )}
      <AddMarketplaceDialog open={isAdding} onOpenChange={setAdding} />
      <InstallDialog
        open={chosen !== null}
        onOpenChange={(isOpen) => !isOpen && setChosen(null)}
        {...(chosen === null ? {} : { initial: chosen })}
      />
    </>
  );
}

/** How many cards stand at first, and come with each click: thousands at once keep the window from answering. */
const kCards = 60;

function CatalogGrid({ entries, onInstall }: { entries: CatalogEntry[]; onInstall(entry: CatalogEntry): void }) {
  const [shown, setShown] = useState(kCards);
  return (
    <>
      <ul className="grid grid-cols-1 gap-3 md:grid-cols-2">
        {entries.slice(0, shown).map((entry) => (
          <CatalogCard key={`${entry.entryId}@${entry.marketplace}`} entry={entry} onInstall={() => onInstall(entry)} />
        ))}
      </ul>
      {entries.length > shown && (
        <Button variant="secondary" size="sm" className="self-center" onClick={() => setShown(shown + kCards)}>
          Show more: {entries.length - shown} are left
        </Button>
      )}
    </>
  );
}

function CatalogCard({ entry, onInstall }: { entry: CatalogEntry; onInstall(): void }) {
  const plugins = usePlugins();
  const installed = plugins.data?.find(
    (record) =>
      (record.catalogEntryId === entry.entryId && record.catalogMarketplaceName === entry.marketplace) ||
      (entry.installed && record.id === entry.pluginId),
  );
  return (
    <li className="min-w-0">
      <Card className="flex h-full flex-col gap-2 p-4">
        <div className="flex min-w-0 items-start justify-between gap-3">
          <PluginIcon record={{ name: entry.displayName, icon: entry.icon }} className="size-8" />
          <div className="min-w-0 flex-1">
            <h2 className="text-sm font-semibold wrap-anywhere">
              <Link to={paths.pluginAbout(`${entry.entryId}@${entry.marketplace}`)} state={kSourceChosen} className="hover:underline">
                {entry.displayName}
              </Link>
            </h2>
            <p className="text-xs text-muted-foreground wrap-anywhere">
              {entry.author.name} · {entry.marketplace}
            </p>
          </div>
          {installed === undefined ? (
            <Button size="sm" aria-label={`Install ${entry.displayName}`} onClick={onInstall}>
              Install
            </Button>
          ) : (
            <Button size="sm" variant="ghost" asChild>
              <Link to={paths.pluginDetail(installed.id)} aria-label={`${entry.displayName} is installed: details`}>
                Installed
              </Link>
            </Button>
          )}
        </div>
        <p className="text-sm text-pretty text-muted-foreground wrap-anywhere">{entry.description}</p>
        {entry.incompatibleReason !== null && (
          <p className="text-xs text-destructive-text wrap-anywhere">Cannot run here: it {entry.incompatibleReason}</p>
        )}
        <div className="mt-auto flex flex-wrap items-baseline justify-between gap-x-3">
          <p className="font-mono text-2xs wrap-anywhere text-muted-foreground">{entry.source}</p>
          {entry.sourcePage !== null && (
            <Button size="sm" variant="link" asChild>
              <a href={entry.sourcePage} target="_blank" rel="noopener" aria-label={`View source of ${entry.displayName}`}>
                View source
              </a>
            </Button>
          )}
        </div>
        {entry.tags.length > 0 && (
          <div className="flex flex-wrap gap-1">
            {entry.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </div>
        )}
      </Card>
    </li>
  );
}
