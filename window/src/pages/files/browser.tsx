import FolderX from "lucide-react/icons/folder-x";
import { useState } from "react";
import { Link } from "react-router";

import { type Directory, isMissing, useDirectory } from "@/api/files";
import type { Host } from "@/api/hosts";
import { joinPath } from "@/files/path";
import { ToldMachines } from "@/files/told_machines";
import { paths } from "@/lib/navigation";
import { usePreference } from "@/lib/preferences";
import { useIsCompact } from "@/lib/viewport";
import { Button, EmptyState, ErrorNotice, Loading } from "@/ui";

import { BrowserHead } from "./browser_head";
import { EntryList } from "./entry_list";
import { FilePane } from "./file_pane";
import { FoundList } from "./found_list";

export interface BrowserProps {
  hosts: readonly Host[];
  host: Host;
  /** Null: the home of the machine's user. */
  folder: string | null;
  /** The name of the file that is shown. */
  file: string | null;
  line: number | null;
}

/** Folders of one machine, and a file beside them; on compact viewports in their place. */
export function Browser({ hosts, host, folder, file, line }: BrowserProps) {
  const isAway = host.status !== "connected";
  const listed = useDirectory(host.id, folder, { enabled: !isAway });
  const [showsHidden] = usePreference<boolean>("files.hidden", false);
  const [query, setQuery] = useState("");
  const isCompact = useIsCompact();
  const directory = listed.data;
  const shownFile = directory === undefined || file === null ? null : file;
  const isListShown = shownFile === null || !isCompact;
  return (
    <div className="flex h-full min-h-80 flex-col">
      <ToldMachines hosts={[host]} />
      <BrowserHead
        hosts={hosts}
        host={host}
        directory={directory}
        folder={folder}
        query={query}
        onQuery={setQuery}
        isCompact={isCompact && shownFile !== null}
      />
      <div className="flex min-h-0 flex-1">
        {isListShown && (
          <section aria-label="Folder" className="flex min-w-0 flex-1 basis-2/5 flex-col">
            {isAway ? (
              <Away host={host} />
            ) : directory === undefined ? (
              <NoFolder
                host={host}
                folder={folder}
                isPending={listed.isPending}
                error={listed.error}
                onRetry={() => void listed.refetch()}
              />
            ) : query.trim() !== "" ? (
              <FoundList hostId={host.id} folder={directory.directory} query={query.trim()} />
            ) : (
              <Entries host={host} directory={directory} file={shownFile} showsHidden={showsHidden} />
            )}
          </section>
        )}
        {shownFile !== null && directory !== undefined && (
          <FilePane
            key={joinPath(directory.directory, shownFile)}
            hostId={host.id}
            folder={directory.directory}
            name={shownFile}
            line={line}
            isAlone={isCompact}
          />
        )}
      </div>
    </div>
  );
}

interface EntriesProps {
  host: Host;
  directory: Directory;
  file: string | null;
  showsHidden: boolean;
}

function Entries({ host, directory, file, showsHidden }: EntriesProps) {
  const { entries } = directory;
  const shown = showsHidden ? entries : entries.filter(({ name }) => !name.startsWith("."));
  if (shown.length === 0) {
    const hidden = entries.length;
    return (
      <EmptyState
        title={hidden === 0 ? "This folder is empty" : "Only hidden files are in this folder"}
        description={
          hidden === 0
            ? "Make a folder with the button above. What programs put here appears when the folder is read again."
            : "Their names begin with a dot. Show them with the menu above."
        }
      />
    );
  }
  return <EntryList key={directory.directory} hostId={host.id} folder={directory.directory} entries={shown} file={file} />;
}

function Away({ host }: { host: Host }) {
  return (
    <EmptyState
      icon={<FolderX />}
      title={`${host.name} is not connected`}
      description={
        <>
          Start <code>svc-hostd</code> on it to see its files.
        </>
      }
      actions={
        <Button asChild>
          <Link to={paths.machine(host.id)}>About {host.name}</Link>
        </Button>
      }
    />
  );
}

interface NoFolderProps {
  host: Host;
  folder: string | null;
  isPending: boolean;
  error: unknown;
  onRetry(): void;
}

function NoFolder({ host, folder, isPending, error, onRetry }: NoFolderProps) {
  if (isPending) {
    return <Loading label="Reading the folder…" />;
  }
  if (isMissing(error)) {
    return (
      <EmptyState
        icon={<FolderX />}
        title="This folder is not there"
        description={
          <>
            <code className="wrap-anywhere">{folder}</code> may have been moved or deleted.
          </>
        }
        actions={
          <Button asChild>
            <Link to={paths.files({ hostId: host.id })}>Go to the home folder</Link>
          </Button>
        }
      />
    );
  }
  return <ErrorNotice className="m-4" title="The folder could not be read" error={error} onRetry={onRetry} />;
}
