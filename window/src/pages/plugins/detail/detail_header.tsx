import ArrowUpRight from "lucide-react/icons/arrow-up-right";
import Ellipsis from "lucide-react/icons/ellipsis";
import RotateCw from "lucide-react/icons/rotate-cw";
import ScrollText from "lucide-react/icons/scroll-text";
import Settings from "lucide-react/icons/settings";
import { useState } from "react";
import { Link } from "react-router";

import type { PluginRecord } from "@/api/records";
import { useRegistrations } from "@/plugins/registry";
import { navigation, paths } from "@/lib/navigation";
import {
  Badge,
  Button,
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
  IconButton,
  PluginIcon,
} from "@/ui";

import { reloadPlugin, useAction } from "@/pages/plugins/actions";
import { CopyButton } from "@/ui/copy_button";
import { PageTitle } from "@/ui/page";
import { EnableSwitch } from "@/pages/plugins/plugin_row";
import { RemoveDialog } from "@/pages/plugins/remove_dialog";
import { isRemovable, statusBadge } from "@/pages/plugins/status";
import { StatusBadge } from "@/pages/plugins/status_badge";
import { TokenDialog } from "./token_dialog";

/** Who the plugin is, and what can be done with it. */
export function DetailHeader({ record }: { record: PluginRecord }) {
  const badge = statusBadge(record.status);
  const author =
    record.publisherLabel ??
    (record.provenance !== "builtin"
      ? null
      : record.isOrphanedBuiltin
        ? "Was part of an earlier version of the service"
        : "Part of the service");
  return (
    <header className="flex flex-col gap-4">
      <div className="flex min-w-0 items-start gap-4">
        <PluginIcon record={record} className="mt-0.5 size-10" />
        <div className="min-w-0 flex-1">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
            <PageTitle>{record.name}</PageTitle>
            {badge !== null && <StatusBadge badge={badge} />}
            {!record.enabled && <Badge>Disabled</Badge>}
            {record.enabled && record.status === "disabled" && <Badge>Held</Badge>}
          </div>
          <p className="text-sm text-muted-foreground wrap-anywhere">
            {[`Version ${record.version}`, author, record.id].filter(Boolean).join(" · ")}
          </p>
          {record.description !== "" && <p className="mt-1 text-sm text-pretty wrap-anywhere">{record.description}</p>}
          <p className="mt-1 flex min-w-0 items-center gap-1 text-xs text-muted-foreground">
            <code className="min-w-0 truncate" title={record.rootDir}>
              {record.rootDir}
            </code>
            <CopyButton text={record.rootDir} label="Copy the directory" />
          </p>
        </div>
        <EnableSwitch record={record} />
      </div>
      <HeaderActions record={record} />
    </header>
  );
}

function HeaderActions({ record }: { record: PluginRecord }) {
  const [isRemoving, setRemoving] = useState(false);
  const [isTokenOpen, setTokenOpen] = useState(false);
  const action = useAction(record.id);
  const panels = useRegistrations("navPanels").filter(({ plugin }) => plugin.pluginId === record.id);
  const reload = () => action.run("reload", `${record.name} could not be reloaded`, () => reloadPlugin(record.id, record.name));
  return (
    <div className="flex flex-wrap gap-2">
      {panels.map(({ registration }) => (
        <Button key={registration.id} asChild>
          <Link to={paths.pluginPanel(record.id, registration.path)}>
            <ArrowUpRight aria-hidden />
            Open {registration.title}
          </Link>
        </Button>
      ))}
      <Button disabled={!record.enabled} isBusy={action.busy !== null} onClick={() => void reload()}>
        {action.busy === null && <RotateCw aria-hidden />}
        Reload
      </Button>
      <Button asChild>
        <Link to={paths.pluginSettings(record.id)}>
          <Settings aria-hidden />
          Settings
        </Link>
      </Button>
      <Button asChild>
        <Link to={paths.pluginLogs(record.id)}>
          <ScrollText aria-hidden />
          Logs
        </Link>
      </Button>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton label="More actions" tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuItem onSelect={() => setTokenOpen(true)}>Token…</DropdownMenuItem>
          {isRemovable(record) && (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuItem isDestructive onSelect={() => setRemoving(true)}>
                Remove…
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      <TokenDialog record={record} open={isTokenOpen} onOpenChange={setTokenOpen} />
      <RemoveDialog record={record} open={isRemoving} onOpenChange={setRemoving} onRemoved={() => navigation.toPlugins()} />
    </div>
  );
}
