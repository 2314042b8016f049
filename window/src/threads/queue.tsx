import X from "lucide-react/icons/x";

import type { InputBlock, QueuedMessage } from "#sdk/records.js";

import { removeQueued, sendQueued, useQueue } from "@/api/threads";
import { formatTime } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { Badge } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";

/** The text of a message, without what only the agent reads. */
export function textOfInput(input: readonly InputBlock[]): string {
  return input.flatMap((block) => (block.type === "text" && block.visibility === undefined ? [block.text] : [])).join("\n");
}

/** Why a message has not left. */
export function waitText({ waitingOn, sendAt, payload }: QueuedMessage): string {
  switch (waitingOn?.kind) {
    case "time":
      return sendAt === null ? "Waits for its time" : `Is sent at ${formatTime(sendAt)}`;
    case "thread-busy":
      return "Waits until the agent is done";
    case "provisioning":
      return "Waits for the workspace";
    case "interaction":
      return "Waits for your answer";
    case "plugin":
      return `Held by ${waitingOn.pluginId}: ${waitingOn.reason}`;
    default:
      return payload.kind === "retry" ? `Attempt ${payload.attempt} is next` : "Is sent next";
  }
}

function run(what: string, action: Promise<void>): void {
  action.catch((failure: unknown) =>
    notify({
      kind: "error",
      title: `The message could not be ${what}`,
      description: failure instanceof Error ? failure.message : String(failure),
    }),
  );
}

/** What waits to be sent; nothing at all while nothing does. */
export function Queue({ threadId }: { threadId: string }) {
  const rows = useQueue(threadId).data ?? [];
  if (rows.length === 0) {
    return null;
  }
  return (
    <ul aria-label="Messages that wait" className="flex max-h-40 flex-col gap-1 overflow-y-auto">
      {rows.map((row) => (
        <li
          key={row.id}
          className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-border-hairline bg-surface-raised-solid px-3 py-1.5 text-sm"
        >
          <span className="min-w-40 flex-1 truncate">{textOfInput(row.content)}</span>
          <Badge>{waitText(row)}</Badge>
          {row.waitingOn?.kind === "thread-busy" && (
            <Button size="sm" variant="ghost" onClick={() => run("sent", sendQueued(row, "steer"))}>
              Send now
            </Button>
          )}
          {row.editable && (
            <IconButton size="sm" label="Take the message back" onClick={() => run("taken back", removeQueued(row))}>
              <X aria-hidden />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  );
}
