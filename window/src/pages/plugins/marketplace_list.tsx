import { useState } from "react";

import type { MarketplaceRefresh } from "#sdk/sdk_plugins.js";

import { api } from "@/api/http";
import { invalidatePlugins } from "@/api/queries";
import { notify } from "@/lib/notifications";
import { AlertDialog, Button, Card } from "@/ui";

import { useAction } from "./actions";
import type { Marketplace } from "./data";
import { counted, formatRelative } from "@/lib/format";

const pathOf = (name: string, rest = "") => `/marketplaces/${encodeURIComponent(name)}${rest}`;

export function MarketplaceList({ marketplaces }: { marketplaces: readonly Marketplace[] }) {
  return (
    <Card>
      <ul className="divide-y divide-border-hairline">
        {marketplaces.map((marketplace) => (
          <MarketplaceRow key={marketplace.name} marketplace={marketplace} />
        ))}
      </ul>
    </Card>
  );
}

function MarketplaceRow({ marketplace }: { marketplace: Marketplace }) {
  const [isRemoving, setRemoving] = useState(false);
  const action = useAction();
  const { name, source, entryCount, dropped, lastRefreshAt, lastError } = marketplace;
  const isShipped = marketplace.sourceKind === "builtin";

  const refresh = () =>
    action.run("refresh", `${name} could not be refreshed`, async () => {
      try {
        const { results } = await api<{ results: MarketplaceRefresh[] }>("POST", pathOf(name, "/refresh"), { timeoutMs: 0 });
        const error = results[0]?.error ?? null;
        if (error !== null) {
          throw new Error(error);
        }
      } finally {
        invalidatePlugins();
      }
    });
  const remove = async () => {
    const isDone = await action.run("remove", `${name} could not be removed`, async () => {
      await api("DELETE", pathOf(name));
      invalidatePlugins();
    });
    if (isDone) {
      notify({ kind: "success", title: `Removed the marketplace ${name}`, description: "Plugins that came from it stay installed." });
    }
    setRemoving(false);
  };
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5 text-sm">
      <div className="min-w-40 flex-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="font-mono text-xs text-muted-foreground wrap-anywhere">{source}</p>
        <p className="text-xs text-muted-foreground">
          {counted(entryCount, "plugin")},{" "}
          {isShipped
            ? "comes with the service"
            : lastRefreshAt === null
              ? "not refreshed yet"
              : `refreshed ${formatRelative(lastRefreshAt, Date.now())}`}
        </p>
        {lastError !== null && (
          <p className="text-xs text-destructive-text wrap-anywhere">The last refresh failed, the copy before it is shown: {lastError}</p>
        )}
        {dropped.length > 0 && (
          <details className="text-xs">
            <summary className="cursor-pointer py-0.5 text-warning-text">
              {counted(dropped.length, "entry", "entries")} cannot be used
            </summary>
            <ul className="list-disc pl-5 text-muted-foreground">
              {dropped.map(({ id, reason }) => (
                <li key={id} className="wrap-anywhere">
                  {id}: {reason}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      {!isShipped && (
        <div className="flex gap-2">
          <Button size="sm" aria-label={`Refresh ${name}`} isBusy={action.busy === "refresh"} onClick={() => void refresh()}>
            Refresh
          </Button>
          <Button size="sm" aria-label={`Remove ${name}`} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </div>
      )}
      <AlertDialog
        open={isRemoving}
        onOpenChange={setRemoving}
        title={`Remove the marketplace ${name}?`}
        description="Its plugins are not listed any more. Those that are installed stay."
        confirmLabel="Remove"
        isDestructive
        isBusy={action.busy === "remove"}
        onConfirm={() => void remove()}
      />
    </li>
  );
}
