import File from "lucide-react/icons/file";
import Folder from "lucide-react/icons/folder";
import { Fragment, useEffect, useState } from "react";
import { Link } from "react-router";

import { type PathEntry, useFoundPaths } from "@/api/files";
import { folderOf, joinPath } from "@/files/path";
import { counted } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { EmptyState, ErrorNotice, Loading } from "@/ui";
import { VirtualList } from "@/ui/virtual_list";

import { kRowHeight, kRowLink } from "./entry_list";
import { moveFocus } from "./row_keys";

/** Milliseconds without typing after which is searched. */
const kQuietMs = 200;

/** What has been the same for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), kQuietMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What lies below a folder and matches. */
export function FoundList({ hostId, folder, query }: { hostId: string; folder: string; query: string }) {
  const settled = useSettled(query);
  const found = useFoundPaths(hostId, folder, settled);
  if (found.data === undefined) {
    return found.isError ? (
      <ErrorNotice className="m-4" title="The search failed" error={found.error} onRetry={() => void found.refetch()} />
    ) : (
      <Loading label="Searching…" />
    );
  }
  const { paths: entries, truncated } = found.data;
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- its rows have the focus
    <div className="flex min-h-0 flex-1 flex-col" aria-busy={found.isPlaceholderData || settled !== query} onKeyDown={moveFocus}>
      <p role="status" className="px-3 pt-2 text-xs text-muted-foreground">
        {truncated
          ? `The best ${counted(entries.length, "match", "matches")}. Type more to find fewer.`
          : counted(entries.length, "match", "matches")}
      </p>
      {entries.length === 0 ? (
        <EmptyState title="Nothing matches" description={`No name below ${folder} has these letters in this order.`} />
      ) : (
        <VirtualList
          key={settled}
          label="Found files"
          items={entries}
          keyOf={({ path }) => path}
          estimatedHeight={kRowHeight}
          className="p-1"
        >
          {(entry) => <FoundRow hostId={hostId} folder={folder} entry={entry} />}
        </VirtualList>
      )}
    </div>
  );
}

function FoundRow({ hostId, folder, entry }: { hostId: string; folder: string; entry: PathEntry }) {
  const path = joinPath(folder, entry.path);
  const isFolder = entry.kind === "directory";
  const Icon = isFolder ? Folder : File;
  return (
    <Link
      to={paths.files(isFolder ? { hostId, folder: path } : { hostId, folder: folderOf(path), file: entry.name })}
      data-row-link=""
      className={kRowLink}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      <span className="min-w-0 truncate">
        <Marked text={entry.path} positions={entry.positions} />
      </span>
      <span className="sr-only">{isFolder ? ", folder" : ", file"}</span>
    </Link>
  );
}

/** A text with the characters at `positions` marked, those in a row together. */
export function Marked({ text, positions }: { text: string; positions: readonly number[] }) {
  const marked = new Set(positions);
  const runs: { text: string; isMarked: boolean }[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const last = runs.at(-1);
    if (last !== undefined && last.isMarked === marked.has(index)) {
      last.text += text[index];
    } else {
      runs.push({ text: text[index]!, isMarked: marked.has(index) });
    }
  }
  return runs.map((run, index) =>
    run.isMarked ? (
      <mark key={index} className="rounded-xs bg-surface-selected font-semibold text-foreground">
        {run.text}
      </mark>
    ) : (
      <Fragment key={index}>{run.text}</Fragment>
    ),
  );
}
