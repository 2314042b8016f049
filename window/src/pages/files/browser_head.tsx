import ChevronRight from "lucide-react/icons/chevron-right";
import Ellipsis from "lucide-react/icons/ellipsis";
import FolderPlus from "lucide-react/icons/folder-plus";
import RefreshCw from "lucide-react/icons/refresh-cw";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { useState } from "react";
import { Link } from "react-router";

import { type Directory, invalidateDirectories } from "@/api/files";
import type { Host } from "@/api/hosts";
import { crumbsOf } from "@/files/path";
import { navigation, paths } from "@/lib/navigation";
import { usePreference } from "@/lib/preferences";
import { OpenTerminalDialog } from "@/terminals/open_terminal_dialog";
import { CopyButton } from "@/ui/copy_button";
import { PageTitle } from "@/ui/page";
import { Button, DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger, IconButton, Input, Select } from "@/ui";

import { NewFolderDialog } from "./file_dialogs";
import { type FileOrder, kFileOrders, useFileOrder } from "./order";

interface BrowserHeadProps {
  hosts: readonly Host[];
  host: Host;
  directory: Directory | undefined;
  folder: string | null;
  query: string;
  onQuery(query: string): void;
  /** Only the way to the file is shown. */
  isCompact: boolean;
}

/** Where one is, and what can be done there. */
export function BrowserHead({ hosts, host, directory, folder, query, onQuery, isCompact }: BrowserHeadProps) {
  const [isMaking, setMaking] = useState(false);
  const [isOpening, setOpening] = useState(false);
  const [showsHidden, setShowsHidden] = usePreference<boolean>("files.hidden", false);
  const [order, setOrder] = useFileOrder();
  const here = directory?.directory ?? folder;
  return (
    <header className="flex flex-col gap-2 border-b border-border-hairline px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <PageTitle className="sr-only">Files of {host.name}</PageTitle>
        {hosts.length > 1 && (
          <Select
            aria-label="Machine"
            className="w-auto max-w-48"
            value={host.id}
            onValueChange={(hostId) => navigation.toFiles({ hostId })}
            options={hosts.map(({ id, name, status }) => ({ value: id, label: status === "connected" ? name : `${name} (not connected)` }))}
          />
        )}
        {here !== null && <Way hostId={host.id} folder={here} />}
        {here !== null && <CopyButton text={here} label="Copy the path" />}
      </div>
      {!isCompact && directory !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          <Input
            type="search"
            aria-label="Search below this folder"
            placeholder="Search below this folder"
            className="max-w-sm flex-1 basis-40"
            value={query}
            onChange={(event) => onQuery(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && onQuery("")}
            autoComplete="off"
            spellCheck={false}
          />
          <Select
            aria-label="Order"
            className="w-auto"
            value={order}
            onValueChange={(value) => setOrder(value as FileOrder)}
            options={kFileOrders}
          />
          <Button onClick={() => setOpening(true)}>
            <SquareTerminal aria-hidden />
            Open terminal here
          </Button>
          <IconButton label="New folder" onClick={() => setMaking(true)}>
            <FolderPlus aria-hidden />
          </IconButton>
          <IconButton label="Read the folder again" onClick={() => invalidateDirectories(host.id)}>
            <RefreshCw aria-hidden />
          </IconButton>
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <IconButton label="More for this folder" tooltip={false}>
                <Ellipsis aria-hidden />
              </IconButton>
            </DropdownMenuTrigger>
            <DropdownMenuContent>
              <DropdownMenuItem onSelect={() => setShowsHidden(!showsHidden)}>
                {showsHidden ? "Hide hidden files" : "Show hidden files"}
              </DropdownMenuItem>
              <DropdownMenuItem onSelect={() => navigation.toFiles({ hostId: host.id })}>Go to the home folder</DropdownMenuItem>
              <DropdownMenuItem onSelect={() => navigation.toMachine(host.id)}>About this machine</DropdownMenuItem>
            </DropdownMenuContent>
          </DropdownMenu>
          <NewFolderDialog hostId={host.id} folder={directory.directory} open={isMaking} onOpenChange={setMaking} />
          <OpenTerminalDialog
            open={isOpening}
            onOpenChange={setOpening}
            hostId={host.id}
            folder={directory.directory}
            onOpened={({ id }) => navigation.toTerminal(id)}
          />
        </div>
      )}
    </header>
  );
}

/** The folders from the root to here, each to be gone to. */
function Way({ hostId, folder }: { hostId: string; folder: string }) {
  const crumbs = crumbsOf(folder);
  return (
    <nav aria-label="Folders above" className="min-w-0">
      <ol className="flex min-w-0 flex-wrap items-center gap-x-0.5 font-mono text-xs">
        {crumbs.map(({ name, path }, index) => (
          <li key={path} className="flex min-w-0 items-center gap-0.5">
            {index > 1 && <ChevronRight aria-hidden className="size-3 shrink-0 text-subtle-foreground" />}
            <Link
              to={paths.files({ hostId, folder: path })}
              {...(index === crumbs.length - 1 ? { "aria-current": "true" as const } : {})}
              className="inline-flex min-h-6 min-w-6 items-center justify-center rounded-sm px-0.5 text-muted-foreground wrap-anywhere hover:text-foreground hover:underline aria-[current=true]:text-foreground pointer-coarse:min-h-11"
            >
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
