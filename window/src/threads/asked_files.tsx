import type { Interaction } from "#sdk/records.js";

import { type AskedChange, useAskedChanges } from "@/api/threads";
import { TextFile } from "@/sdk_app/text_file";
import { Loading } from "@/ui/spinner";

const kVerbs: Record<AskedChange["kind"], string> = { add: "Add", delete: "Delete", update: "Change" };

/** The files that an agent asks to change. */
export function AskedFiles({ interaction, itemId }: { interaction: Interaction; itemId: string }) {
  const { data: changes, isLoading } = useAskedChanges(interaction.threadId, itemId, interaction.id);
  if (isLoading) {
    return <Loading label="Loading which files…" />;
  }
  if (changes === undefined || changes.length === 0) {
    return <p className="text-sm text-muted-foreground">The agent does not say which files.</p>;
  }
  return (
    <ul aria-label="Files" className="flex max-h-48 flex-col gap-1 overflow-y-auto text-sm">
      {changes.map(({ path, kind, movePath }) => (
        <li key={`${kind} ${path}`} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="shrink-0 text-muted-foreground">{movePath === null ? (kVerbs[kind] ?? "Change") : "Move"}</span>
          <TextFile text={path} className="min-w-0 cursor-pointer text-left text-link hover:underline">
            <span className="min-w-0 font-mono text-xs wrap-anywhere">{movePath === null ? path : `${path} → ${movePath}`}</span>
          </TextFile>
        </li>
      ))}
    </ul>
  );
}
