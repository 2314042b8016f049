import ArrowLeft from "lucide-react/icons/arrow-left";
import Download from "lucide-react/icons/download";
import X from "lucide-react/icons/x";
import { useState } from "react";
import { Link } from "react-router";

import { FileView } from "@/files/file_view";
import { OpenWith, useChosenOpener } from "@/files/open_with";
import { joinPath } from "@/files/path";
import { hasSource } from "@/files/preview_kind";
import { paths } from "@/lib/navigation";
import { Button, IconButton } from "@/ui";

import { downloadFile } from "./download";

interface FilePaneProps {
  hostId: string;
  folder: string;
  name: string;
  line: number | null;
  /** Stands in place of the folder. */
  isAlone: boolean;
}

/** The file that is shown, and how. */
export function FilePane({ hostId, folder, name, line, isAlone }: FilePaneProps) {
  const path = joinPath(folder, name);
  const chosen = useChosenOpener(path);
  const [isSource, setSource] = useState(line !== null);
  const back = paths.files({ hostId, folder });
  return (
    <section aria-label={`File ${name}`} className="flex min-w-0 flex-1 basis-3/5 flex-col border-l border-border-hairline">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-border-hairline px-3 py-1.5">
        {isAlone && (
          <Button size="sm" asChild>
            <Link to={back}>
              <ArrowLeft aria-hidden />
              Folder
            </Link>
          </Button>
        )}
        <h2 className="min-w-24 flex-1 truncate text-sm font-semibold" title={path}>
          {name}
        </h2>
        <div className="flex items-center gap-1">
          {chosen.opener === undefined && hasSource(name) && (
            <Button size="sm" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
              Source
            </Button>
          )}
          <OpenWith {...chosen} />
          <IconButton size="sm" label="Download" onClick={() => void downloadFile(hostId, folder, name)}>
            <Download aria-hidden />
          </IconButton>
          {!isAlone && (
            <Button size="sm" variant="ghost" asChild>
              <Link to={back} aria-label={`Close ${name}`}>
                <X aria-hidden />
              </Link>
            </Button>
          )}
        </div>
      </header>
      <div role="region" aria-label={`Content of ${name}`} tabIndex={0} className="@container min-h-0 flex-1 overflow-auto">
        <FileView hostId={hostId} path={path} line={line} isSource={isSource} opener={chosen.opener} />
      </div>
    </section>
  );
}
