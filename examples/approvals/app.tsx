// What belongs to a thread: a question above the composer, a panel beside it, a control in its header, actions of its messages.
import {
  definePluginApp,
  experimental_useRpcQuery,
  type PluginPendingInteractionProps,
  type PluginThreadHeaderActionProps,
  type PluginThreadPanelProps,
  useSvcNavigate,
} from "@get-svc/plugin-sdk/app";
import { useId, useState } from "react";

import type { Decision } from "./server";

const kButton = "rounded-md border border-border px-3 py-1.5 text-sm hover:bg-state-hover";

export default definePluginApp((app) => {
  // Its id is the `rendererId` of the server entry.
  app.slots.pendingInteraction({ id: "approval", component: Approval });
  app.slots.threadPanelAction({ id: "decisions", title: "Decisions", icon: "ClipboardCheck", component: DecisionsPanel });
  app.slots.experimental_threadHeaderAction({ id: "open", title: "Open decisions", component: OpenDecisions });
  app.slots.messageAction({
    id: "quote",
    title: "Question this",
    icon: "MessageCircleQuestion",
    run: ({ composer, message, selectedText }) => {
      composer.addQuote(selectedText ?? message.text);
      composer.focus();
    },
  });
});

/** The payload comes from the server entry and is checked as anything from outside. */
function commandOf(payload: PluginPendingInteractionProps["interaction"]["payload"]): string | undefined {
  const command = typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload.command : undefined;
  return typeof command === "string" ? command : undefined;
}

function Approval({ interaction, submit, cancel }: PluginPendingInteractionProps) {
  const [note, setNote] = useState("");
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const label = useId();
  const command = commandOf(interaction.payload);

  // The service may refuse an answer, for example because the question is no longer asked.
  async function send(answer: Promise<void>) {
    setPending(true);
    setFailure(
      await answer.then(
        () => undefined,
        (error: Error) => error.message,
      ),
    );
    setPending(false);
  }

  return (
    <div className="flex flex-col gap-3">
      {command !== undefined && <pre className="overflow-x-auto rounded-md bg-muted p-3 font-mono text-xs">{command}</pre>}
      <label htmlFor={label} className="text-sm">
        Note for the agent (optional)
      </label>
      <input
        id={label}
        className="rounded-md border border-input bg-background px-3 py-2 text-sm"
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      {failure !== undefined && (
        <p role="alert" className="text-sm text-destructive-text">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <button type="button" className={kButton} disabled={pending} onClick={() => void send(submit({ approved: true, note }))}>
          Approve
        </button>
        <button type="button" className={kButton} disabled={pending} onClick={() => void send(submit({ approved: false, note }))}>
          Refuse
        </button>
        <button type="button" className={kButton} disabled={pending} onClick={() => void send(cancel())}>
          Decide later
        </button>
      </div>
    </div>
  );
}

function DecisionsPanel({ threadId }: PluginThreadPanelProps) {
  const { data, error, isLoading } = experimental_useRpcQuery<Decision[]>({
    method: "decisions",
    input: { threadId },
    realtime: [{ channel: "decided", affects: (payload) => (payload as { threadId?: unknown }).threadId === threadId }],
  });
  if (isLoading) {
    return <p className="text-sm text-muted-foreground">Loading…</p>;
  }
  if (data === undefined || data.length === 0) {
    return <p className="text-sm text-muted-foreground">{error?.message ?? "Nothing was decided in this thread yet."}</p>;
  }
  return (
    <ul aria-label="Decisions" className="flex flex-col gap-2">
      {data.map(({ id, question, approved, note }) => (
        <li key={id} className="rounded-lg border border-border p-3 text-sm">
          <p className="font-medium">{question}</p>
          <p className="text-muted-foreground">
            {approved ? "Approved" : "Refused"}
            {note !== "" && `: ${note}`}
          </p>
        </li>
      ))}
    </ul>
  );
}

function OpenDecisions({ isCompactViewport }: PluginThreadHeaderActionProps) {
  const { openThreadPanel } = useSvcNavigate();
  return (
    <button type="button" aria-label="Open decisions" className={kButton} onClick={() => openThreadPanel({ actionId: "decisions" })}>
      {isCompactViewport ? <span aria-hidden="true">✓</span> : "Decisions"}
    </button>
  );
}
