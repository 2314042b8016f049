import Ellipsis from "lucide-react/icons/ellipsis";
import FolderOpen from "lucide-react/icons/folder-open";
import Monitor from "lucide-react/icons/monitor";
import Server from "lucide-react/icons/server";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { useRef, useState } from "react";
import { Link } from "react-router";

import type { Host } from "@/api/hosts";
import { TimeAgo } from "@/ui/time_ago";
import { navigation, paths } from "@/lib/navigation";
import { focusMain } from "@/lib/main_region";
import {
  Badge,
  Button,
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
  IconButton,
} from "@/ui";

import { JoinDialog } from "./join_dialog";
import { RemoveMachineDialog } from "./remove_machine_dialog";
import { RenameForm } from "./rename_form";
import { machineBadge, platformName, roleOf } from "./state";
import { StateText } from "./state_text";

/** One machine of the list, with the ways to its files and to a terminal on it. */
export function MachineRow({ host, onOpenTerminal }: { host: Host; onOpenTerminal(): void }) {
  const [isRenaming, setRenaming] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const [isJoining, setJoining] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const badge = machineBadge(host);
  const Icon = host.role === "server" ? Server : Monitor;
  return (
    <div className="flex min-w-0 items-start gap-3 px-3 py-2.5">
      <Icon aria-hidden className="mt-1 size-4 shrink-0 text-muted-foreground" />
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          {isRenaming ? (
            <RenameForm
              host={host}
              onDone={() => {
                setRenaming(false);
                menu.current?.focus();
              }}
            />
          ) : (
            <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
              <Link to={paths.machine(host.id)} className="min-w-0 py-0.5 text-sm font-medium wrap-anywhere hover:underline">
                {host.name}
              </Link>
              <Badge tone={badge.tone}>{badge.label}</Badge>
            </div>
          )}
          <p className="text-xs text-muted-foreground wrap-anywhere">
            <MachineFacts host={host} />
          </p>
          {host.stateMessage !== null && (
            <p className="mt-1 text-xs text-pretty wrap-anywhere">
              <StateText message={host.stateMessage} />
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" asChild>
            <Link to={paths.files({ hostId: host.id })} aria-label={`Files of ${host.name}`}>
              <FolderOpen aria-hidden />
              Files
            </Link>
          </Button>
          <Button size="sm" disabled={host.status !== "connected"} aria-label={`Open terminal on ${host.name}`} onClick={onOpenTerminal}>
            <SquareTerminal aria-hidden />
            Open terminal
          </Button>
        </div>
      </div>
      <DropdownMenu>
        <DropdownMenuTrigger asChild ref={menu}>
          <IconButton label={`Actions for ${host.name}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent
          onCloseAutoFocus={(event) => {
            // The form has the focus already.
            if (isRenaming) {
              event.preventDefault();
            }
          }}
        >
          <DropdownMenuItem onSelect={() => navigation.toMachine(host.id)}>Details</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => setRenaming(true)}>Rename…</DropdownMenuItem>
          {host.role === "machine" && (
            <>
              <DropdownMenuItem onSelect={() => setJoining(true)}>New join code…</DropdownMenuItem>
              <DropdownMenuSeparator />
              <DropdownMenuItem isDestructive onSelect={() => setRemoving(true)}>
                Remove…
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      <JoinDialog open={isJoining} onOpenChange={setJoining} host={host} />
      <RemoveMachineDialog host={host} open={isRemoving} onOpenChange={setRemoving} onRemoved={focusMain} />
    </div>
  );
}

/** What it is, and when it was there last. */
function MachineFacts({ host }: { host: Host }) {
  const facts = [roleOf(host), platformName(host.platform)].filter((fact) => fact !== null).join(" · ");
  return (
    <>
      {facts}
      {host.status === "disconnected" && host.lastSeenAt !== null && (
        <>
          {" "}
          · last seen <TimeAgo at={host.lastSeenAt} />
        </>
      )}
    </>
  );
}
