import Ellipsis from "lucide-react/icons/ellipsis";
import File from "lucide-react/icons/file";
import FileX from "lucide-react/icons/file-x";
import Folder from "lucide-react/icons/folder";
import { useMemo, useState } from "react";
import { Link } from "react-router";

import type { DirectoryEntry } from "@/api/files";
import { formatBytes } from "@/lib/format";
import { navigation, paths } from "@/lib/navigation";
import { OpenTerminalDialog } from "@/terminals/open_terminal_dialog";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger, IconButton } from "@/ui";
import { TimeAgo } from "@/ui/time_ago";
import { VirtualList } from "@/ui/virtual_list";

import { DeleteDialog, MoveDialog, RenameDialog } from "./file_dialogs";
import { downloadFile } from "./download";
import { inOrder, useFileOrder } from "./order";
import { moveFocus } from "./row_keys";

/** About the height of a row, in pixels. */
export const kRowHeight = 34;
export const kRowLink =
  "flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-sm px-1 text-sm hover:underline aria-[current=true]:font-medium pointer-coarse:min-h-11";

interface EntryListProps {
  hostId: string;
  folder: string;
  entries: readonly DirectoryEntry[];
  file: string | null;
}

interface Asked {
  what: "rename" | "move" | "delete" | "terminal";
  entry: DirectoryEntry;
}

/** What is in a folder; arrow keys go from row to row. */
export function EntryList({ hostId, folder, entries, file }: EntryListProps) {
  const [order] = useFileOrder();
  const rows = useMemo(() => inOrder(entries, order), [entries, order]);
  const [asked, setAsked] = useState<Asked | null>(null);
  const dialog = (what: Asked["what"]) => ({
    hostId,
    folder,
    entry: asked?.entry ?? null,
    open: asked?.what === what,
    onOpenChange: (open: boolean) => open || setAsked(null),
  });
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- its rows have the focus
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={moveFocus}>
      <VirtualList
        label={`Files in ${folder}`}
        items={rows}
        keyOf={({ path }) => path}
        estimatedHeight={kRowHeight}
        className="@container p-1"
      >
        {(entry) => (
          <EntryRow
            hostId={hostId}
            folder={folder}
            entry={entry}
            isShown={entry.name === file}
            onAsk={(what) => setAsked({ what, entry })}
          />
        )}
      </VirtualList>
      <RenameDialog {...dialog("rename")} />
      <MoveDialog {...dialog("move")} />
      <DeleteDialog {...dialog("delete")} />
      <OpenTerminalDialog
        open={asked?.what === "terminal"}
        onOpenChange={(open) => open || setAsked(null)}
        hostId={hostId}
        folder={asked?.entry.path}
        onOpened={({ id }) => navigation.toTerminal(id)}
      />
    </div>
  );
}

interface EntryRowProps {
  hostId: string;
  folder: string;
  entry: DirectoryEntry;
  isShown: boolean;
  onAsk(what: Asked["what"]): void;
}

/** Why it can neither be shown nor changed here; null for what can. */
function untouchable({ isSpecial, isNameBroken }: DirectoryEntry): string | null {
  return isNameBroken === true
    ? "Its name is not UTF-8: use a terminal"
    : isSpecial === true
      ? "A pipe, socket or device: there is nothing to show"
      : null;
}

const kNameClass = "flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-x-2 px-1 text-sm text-muted-foreground pointer-coarse:min-h-11";

function Facts({ entry: { sizeBytes, modifiedAt } }: { entry: DirectoryEntry }) {
  return (
    <span className="flex shrink-0 items-center gap-3 text-xs text-muted-foreground tabular-nums">
      {modifiedAt !== undefined && (
        <span className="@max-md:hidden">
          <TimeAgo at={modifiedAt} />
        </span>
      )}
      <span className="min-w-16 text-right">{sizeBytes !== undefined && formatBytes(sizeBytes)}</span>
    </span>
  );
}

function EntryRow({ hostId, folder, entry, isShown, onAsk }: EntryRowProps) {
  const { name, path, kind, isSymlink } = entry;
  const isFolder = kind === "directory";
  const Icon = isFolder ? Folder : File;
  const reason = untouchable(entry);
  if (reason !== null) {
    return (
      <div className="flex items-center gap-1 rounded-md px-1">
        <p className={kNameClass}>
          <FileX aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 truncate">{name}</span>
          <span className="text-xs">{reason}</span>
        </p>
        <Facts entry={entry} />
        {/* In place of the actions that others have. */}
        <span aria-hidden className="w-8 shrink-0 pointer-coarse:w-11" />
      </div>
    );
  }
  return (
    <div className="flex items-center gap-1 rounded-md px-1 hover:bg-state-hover has-[[aria-current=true]]:bg-state-active">
      <Link
        to={paths.files(isFolder ? { hostId, folder: path } : { hostId, folder, file: name })}
        data-row-link=""
        {...(isShown ? { "aria-current": "true" as const } : {})}
        className={kRowLink}
      >
        <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <span className="min-w-0 truncate">{name}</span>
        <span className="sr-only">{isFolder ? ", folder" : ", file"}</span>
        {isSymlink === true && <span className="shrink-0 text-xs text-muted-foreground">link</span>}
      </Link>
      <Facts entry={entry} />
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton size="sm" label={`Actions for ${name}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          {isFolder ? (
            <DropdownMenuItem onSelect={() => onAsk("terminal")}>Open terminal here…</DropdownMenuItem>
          ) : (
            <DropdownMenuItem onSelect={() => void downloadFile(hostId, folder, name)}>Download</DropdownMenuItem>
          )}
          <DropdownMenuItem onSelect={() => onAsk("rename")}>Rename…</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => onAsk("move")}>Move…</DropdownMenuItem>
          <DropdownMenuSeparator />
          <DropdownMenuItem isDestructive onSelect={() => onAsk("delete")}>
            Delete…
          </DropdownMenuItem>
        </DropdownMenuContent>
      </DropdownMenu>
    </div>
  );
}
