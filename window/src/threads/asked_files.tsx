import ChevronRight from "lucide-react/icons/chevron-right";
import { useId, useState } from "react";

import type { Interaction } from "#sdk/records.js";

import { type AskedChange, useAskedChanges } from "@/api/threads";
import { Diff } from "@/sdk_app/diff";
import { TextFile } from "@/sdk_app/text_file";
import { cn } from "@/ui/cn";
import { Loading } from "@/ui/spinner";
import { linesOf } from "./patch_lines";

const kVerbs: Record<AskedChange["kind"], string> = { add: "Add", delete: "Delete", update: "Change" };

function Lines({ diff }: { diff: string }) {
  const { added, removed } = linesOf(diff);
  return (
    <span
      className="shrink-0 text-xs text-muted-foreground tabular-nums"
      aria-label={`${added} lines added, ${removed} removed`}
      role="img"
    >
      +{added} −{removed}
    </span>
  );
}

function AskedFile({ change: { path, kind, movePath, diff }, isAlone }: { change: AskedChange; isAlone: boolean }) {
  const [isOpen, setOpen] = useState(isAlone);
  const bodyId = useId();
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="shrink-0 text-muted-foreground">{movePath === null ? (kVerbs[kind] ?? "Change") : "Move"}</span>
        <TextFile text={path} className="min-w-0 cursor-pointer text-left text-link hover:underline">
          <span className="min-w-0 font-mono text-xs wrap-anywhere">{movePath === null ? path : `${path} → ${movePath}`}</span>
        </TextFile>
        {diff !== null && (
          <>
            <Lines diff={diff} />
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? bodyId : undefined}
              aria-label={`Lines of ${path}`}
              onClick={() => setOpen(!isOpen)}
              className="inline-flex shrink-0 cursor-pointer items-center gap-0.5 rounded-sm text-xs text-muted-foreground hover:text-foreground pointer-coarse:min-h-11"
            >
              Lines
              <ChevronRight
                aria-hidden
                className={cn("size-3.5 transition-transform motion-reduce:transition-none", isOpen && "rotate-90")}
              />
            </button>
          </>
        )}
      </div>
      {isOpen && diff !== null && (
        <div id={bodyId} className="max-h-72 min-w-0 overflow-y-auto">
          <Diff patch={diff} path={movePath ?? path} />
        </div>
      )}
    </li>
  );
}

/** The files that an agent asks to change, with the lines that differ: that of a single file is open at once. */
export function AskedFiles({ interaction, itemId }: { interaction: Interaction; itemId: string }) {
  const { data: changes, isLoading } = useAskedChanges(interaction.threadId, itemId, interaction.id);
  if (isLoading) {
    return <Loading label="Loading which files…" />;
  }
  if (changes === undefined || changes.length === 0) {
    return <p className="text-sm text-muted-foreground">The agent does not say which files.</p>;
  }
  return (
    <ul aria-label="Files" className="flex max-h-96 flex-col gap-1 overflow-y-auto text-sm">
      {changes.map((change) => (
        <AskedFile key={`${change.kind} ${change.path}`} change={change} isAlone={changes.length === 1} />
      ))}
    </ul>
  );
}
