import { type ReactNode, useId, useState } from "react";

import type { JsonValue } from "#sdk/json.js";
import type { ApprovalDecision, ApprovalSubject, Interaction, InteractionPayload, PermissionGrant } from "#sdk/records.js";

import { resolveInteraction } from "@/api/threads";
import { Markdown } from "@/sdk_app/markdown";
import { Button } from "@/ui/button";
import { AskedCommand } from "./asked_command";
import { AskedFiles } from "./asked_files";
import { InteractionCard, useAnswer } from "./interaction_card";
import { actionTexts, approvalTitle, grantTexts, sessionScopeText } from "./interaction_text";

type Approval = InteractionPayload & { kind: "approval" };

const kDecisions: Record<ApprovalDecision, string> = {
  allow_once: "Allow once",
  allow_for_session: "Allow for this session",
  deny: "Deny",
};

function Texts({ texts, label }: { texts: readonly string[]; label: string }) {
  return texts.length === 0 ? null : (
    <ul className="list-disc pl-5 text-sm" aria-label={label}>
      {texts.map((text, index) => (
        <li key={`${index} ${text}`} className="wrap-anywhere">
          {text}
        </li>
      ))}
    </ul>
  );
}

/** Where the agent would write, as far as it is a path. */
const scopesOf = (scope: JsonValue): string[] =>
  (Array.isArray(scope) ? scope : [scope]).flatMap((path) => (typeof path === "string" ? [`Write below ${path}`] : []));

function Subject({ interaction, subject }: { interaction: Interaction; subject: ApprovalSubject }) {
  switch (subject.kind) {
    case "command":
      return (
        <>
          <AskedCommand command={subject.command} cwd={subject.cwd} />
          <Texts texts={actionTexts(subject.actions ?? [])} label="What the command does" />
        </>
      );
    case "file_change":
      return (
        <>
          <AskedFiles interaction={interaction} itemId={subject.itemId} />
          <Texts texts={scopesOf(subject.writeScope)} label="Where it writes" />
        </>
      );
    case "permission_grant":
      return (
        <>
          {subject.toolName !== null && <p className="font-mono text-sm">{subject.toolName}</p>}
          <Texts texts={grantTexts(subject.permissions)} label="What is asked for" />
        </>
      );
    case "plan":
      return <Markdown content={subject.plan} className="max-h-72 overflow-y-auto text-sm/relaxed" />;
    case "tool_use":
      return (
        <p className="text-sm wrap-anywhere">
          {subject.title} <code className="text-xs text-muted-foreground">{subject.toolName}</code>
        </p>
      );
    default:
      return <p className="text-sm text-muted-foreground">{(subject as { kind: string }).kind}</p>;
  }
}

const sessionGrantOf = (subject: ApprovalSubject): PermissionGrant | null => ("sessionGrant" in subject ? subject.sessionGrant : null);

/** What is allowed beyond this once, before somebody allows it. */
function SessionScope({ id, subject }: { id: string; subject: ApprovalSubject }): ReactNode {
  const text = sessionScopeText(subject);
  const grants = grantTexts(sessionGrantOf(subject));
  return text === null && grants.length === 0 ? null : (
    <div id={id} className="flex flex-col gap-1 text-xs text-muted-foreground">
      {text !== null && <p className="wrap-anywhere">{text}</p>}
      <Texts texts={grants} label="Allowed for this session" />
    </div>
  );
}

/** An agent asks whether it may. Nothing is chosen beforehand: Enter alone allows nothing. */
export function ApprovalForm({ interaction, payload }: { interaction: Interaction; payload: Approval }) {
  const { isBusy, failure, answer } = useAnswer(interaction);
  const [chosen, setChosen] = useState<ApprovalDecision | null>(null);
  const scopeId = useId();
  const { subject, reason, availableDecisions } = payload;
  const decide = (decision: ApprovalDecision) => {
    setChosen(decision);
    const grantedPermissions = subject.kind === "permission_grant" ? subject.permissions : null;
    void answer(() => resolveInteraction(interaction, decision === "deny" ? { decision } : { decision, grantedPermissions }));
  };
  return (
    <InteractionCard interaction={interaction} title={approvalTitle(subject)} failure={failure}>
      {reason !== null && <p className="text-sm wrap-anywhere text-muted-foreground">{reason}</p>}
      <Subject interaction={interaction} subject={subject} />
      <div className="flex flex-wrap gap-2">
        {availableDecisions.map((decision) => (
          <Button
            key={decision}
            variant={decision === "allow_once" ? "primary" : "secondary"}
            isBusy={isBusy && (chosen ?? decision) === decision}
            disabled={isBusy && chosen !== null && chosen !== decision}
            aria-describedby={decision === "allow_for_session" ? scopeId : undefined}
            onClick={() => decide(decision)}
          >
            {kDecisions[decision] ?? decision}
          </Button>
        ))}
      </div>
      {availableDecisions.includes("allow_for_session") && <SessionScope id={scopeId} subject={subject} />}
    </InteractionCard>
  );
}
