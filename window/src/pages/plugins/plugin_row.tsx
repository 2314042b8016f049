import Ellipsis from "lucide-react/icons/ellipsis";
import Settings from "lucide-react/icons/settings";
import { useRef, useState } from "react";
import { Link } from "react-router";

import type { PluginRecord } from "@/api/records";
import { navigation, paths } from "@/lib/navigation";
import { focusMain } from "@/lib/main_region";
import {
  Button,
  cn,
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
  IconButton,
  PluginIcon,
  Switch,
  Tooltip,
} from "@/ui";

import { reloadPlugin, setEnabled, useAction } from "./actions";
import { RemoveDialog } from "./remove_dialog";
import { isRemovable, type RowSignal, rowSignal, type UiHealth } from "./status";
import { StatusBadge } from "./status_badge";

/** One plugin of the list. */
export function PluginRow({ record, ui }: { record: PluginRecord; ui: UiHealth | undefined }) {
  const [isRemoving, setRemoving] = useState(false);
  const signal = rowSignal(record, ui);
  return (
    <li className="flex min-w-0 items-center gap-3 px-3 py-2.5" data-plugin-row={record.id}>
      <PluginIcon record={record} className="size-6 shrink-0" />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to={paths.pluginDetail(record.id)}
            className={cn("min-w-0 py-0.5 text-sm font-medium wrap-anywhere hover:underline", !record.enabled && "text-muted-foreground")}
          >
            {record.name}
          </Link>
          <span className="text-xs text-muted-foreground">{record.version}</span>
          {signal !== null && <StatusBadge badge={signal} title={signal.detail ?? undefined} />}
        </div>
        <p className={cn("truncate text-xs", signal?.tone === "error" ? "text-destructive-text" : "text-muted-foreground")}>
          {subtitleOf(record, signal)}
        </p>
      </div>
      {record.hasSettings && (
        <Tooltip content="Settings">
          <Button variant="ghost" size="sm" className="px-1.5 text-muted-foreground" asChild>
            <Link to={paths.pluginSettings(record.id)} aria-label={`Settings of ${record.name}`}>
              <Settings aria-hidden />
            </Link>
          </Button>
        </Tooltip>
      )}
      <EnableSwitch record={record} />
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton label={`Actions for ${record.name}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <RowMenu record={record} onRemove={() => setRemoving(true)} />
      </DropdownMenu>
      <RemoveDialog record={record} open={isRemoving} onOpenChange={setRemoving} onRemoved={focusMain} />
    </li>
  );
}

function subtitleOf(record: PluginRecord, signal: RowSignal | null): string {
  if (signal !== null && signal.detail !== null && signal.kind !== "update") {
    return signal.detail;
  }
  if (record.status === "disabled" && record.enabled) {
    return record.statusDetail ?? "Held";
  }
  return record.description === "" ? record.sourceDisplay : record.description;
}

function RowMenu({ record, onRemove }: { record: PluginRecord; onRemove(): void }) {
  const action = useAction(record.id);
  return (
    <DropdownMenuContent>
      <DropdownMenuItem onSelect={() => navigation.toPluginDetail(record.id)}>Details</DropdownMenuItem>
      <DropdownMenuItem onSelect={() => navigation.toPluginSettings(record.id)}>Settings</DropdownMenuItem>
      <DropdownMenuItem onSelect={() => navigation.toPluginLogs(record.id)}>Logs</DropdownMenuItem>
      <DropdownMenuItem
        disabled={!record.enabled}
        onSelect={() => void action.run("reload", `${record.name} could not be reloaded`, () => reloadPlugin(record.id, record.name))}
      >
        Reload
      </DropdownMenuItem>
      {isRemovable(record) && (
        <>
          <DropdownMenuSeparator />
          <DropdownMenuItem isDestructive onSelect={onRemove}>
            Remove…
          </DropdownMenuItem>
        </>
      )}
    </DropdownMenuContent>
  );
}

/** Shows where the plugin is going while the service works on it. Who changes their mind meanwhile is heard when that is done. */
export function EnableSwitch({ record }: { record: PluginRecord }) {
  const action = useAction(record.id);
  const asked = useRef(record.enabled);
  const running = useRef(false);
  const [wanted, setWanted] = useState<boolean | null>(null);
  const change = async (enabled: boolean) => {
    asked.current = enabled;
    setWanted(enabled);
    if (running.current) {
      return;
    }
    running.current = true;
    await action.run(enabled ? "enable" : "disable", `${record.name} could not be ${enabled ? "enabled" : "disabled"}`, async () => {
      for (let done: boolean | null = null; done !== asked.current;) {
        done = asked.current;
        await setEnabled(record.id, done);
      }
    });
    running.current = false;
    setWanted(null);
  };
  return (
    <Switch
      aria-label={`Enable ${record.name}`}
      checked={wanted ?? record.enabled}
      aria-busy={action.busy !== null}
      onCheckedChange={(enabled) => void change(enabled)}
    />
  );
}
