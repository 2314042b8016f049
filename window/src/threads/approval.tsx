import { useState } from "react";

import type { ApprovalDecision, ApprovalSubject, Interaction, InteractionPayload, PermissionGrant } from "#sdk/records.js";

import { resolveInteraction } from "@/api/threads";
import { Markdown } from "@/sdk_app/markdown";
import { Button } from "@/ui/button";
import { InteractionCard, useAnswer } from "./interaction_card";

type Approval = InteractionPayload & { kind: "approval" };

const kTitles: Record<ApprovalSubject["kind"], string> = {
  command: "Run this command?",
  file_change: "Change files?",
  permission_grant: "Allow more?",
  plan: "Go ahead with this plan?",
  tool_use: "Use this tool?",
};

const kDecisions: Record<ApprovalDecision, string> = {
  allow_once: "Allow once",
  allow_for_session: "Allow for this session",
  deny: "Deny",
};

/** What a grant opens, in words. */
export function grantTexts(grant: PermissionGrant | null): string[] {
  const { fileSystem, network } = grant ?? { fileSystem: null, network: null };
  return [
    ...(fileSystem?.read.map((path) => `Read ${path}`) ?? []),
    ...(fileSystem?.write.map((path) => `Write ${path}`) ?? []),
    ...(network?.enabled === true ? ["Use the network"] : []),
  ];
}

const kCode = "rounded-md border border-border bg-surface-recessed-solid px-3 py-2 font-mono text-xs/5 wrap-anywhere whitespace-pre-wrap";

function Grants({ grant }: { grant: PermissionGrant | null }) {
  const texts = grantTexts(grant);
  return texts.length === 0 ? null : (
    <ul className="list-disc pl-5 text-sm">
      {texts.map((text) => (
        <li key={text} className="wrap-anywhere">
          {text}
        </li>
      ))}
    </ul>
  );
}

function Subject({ subject }: { subject: ApprovalSubject }) {
  switch (subject.kind) {
    case "command":
      return (
        <pre tabIndex={0} className={kCode}>
          {subject.command}
          {subject.cwd !== null && <span className="block text-muted-foreground">in {subject.cwd}</span>}
        </pre>
      );
    case "file_change":
      return <p className="text-sm text-muted-foreground">The changes are shown in the conversation above.</p>;
    case "permission_grant":
      return (
        <>
          {subject.toolName !== null && <p className="font-mono text-sm">{subject.toolName}</p>}
          <Grants grant={subject.permissions} />
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

const grantOf = (subject: ApprovalSubject): PermissionGrant | null =>
  subject.kind === "permission_grant" ? subject.permissions : "sessionGrant" in subject ? subject.sessionGrant : null;

/** An agent asks whether it may. Nothing is chosen beforehand: Enter alone allows nothing. */
export function ApprovalForm({ interaction, payload }: { interaction: Interaction; payload: Approval }) {
  const { isBusy, failure, answer } = useAnswer(interaction);
  const [chosen, setChosen] = useState<ApprovalDecision | null>(null);
  const decide = (decision: ApprovalDecision) => {
    setChosen(decision);
    const grantedPermissions = payload.subject.kind === "permission_grant" ? payload.subject.permissions : null;
    void answer(() => resolveInteraction(interaction, decision === "deny" ? { decision } : { decision, grantedPermissions }));
  };
  return (
    <InteractionCard interaction={interaction} title={kTitles[payload.subject.kind] ?? "The agent asks"} failure={failure}>
      {payload.reason !== null && <p className="text-sm wrap-anywhere text-muted-foreground">{payload.reason}</p>}
      <Subject subject={payload.subject} />
      {payload.availableDecisions.includes("allow_for_session") && payload.subject.kind !== "permission_grant" && (
        <Grants grant={grantOf(payload.subject)} />
      )}
      <div className="flex flex-wrap gap-2">
        {payload.availableDecisions.map((decision) => (
          <Button
            key={decision}
            variant={decision === "allow_once" ? "primary" : "secondary"}
            isBusy={isBusy && (chosen ?? decision) === decision}
            disabled={isBusy && chosen !== null && chosen !== decision}
            onClick={() => decide(decision)}
          >
            {kDecisions[decision] ?? decision}
          </Button>
        ))}
      </div>
    </InteractionCard>
  );
}
