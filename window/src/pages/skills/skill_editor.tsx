import { useId, useState } from "react";

import { saveSkill, type Skill, type SkillContent, useSkillContent } from "@/api/skills";
import { ApiError } from "@/lib/api_error";
import { notify } from "@/lib/notifications";
import { AlertDialog, Banner, Button, ErrorNotice, Loading, Section, Textarea } from "@/ui";

import { kMainFile } from "./skill_files";

/** SKILL.md in a text field. What somebody else has saved meanwhile is never overwritten without being asked. */
export function SkillEditor({ skill, onDone }: { skill: Skill; onDone(): void }) {
  const content = useSkillContent(skill, kMainFile);
  const [start, setStart] = useState<SkillContent | null>(null);
  // The text that is edited stays, whatever becomes of the file.
  const from = start ?? content.data;
  if (from === undefined) {
    return content.isError ? (
      <ErrorNotice title="The text could not be read" error={content.error} />
    ) : (
      <Loading label="Loading the text…" />
    );
  }
  if (start === null) {
    setStart(from);
  }
  return <Form skill={skill} from={from} onDone={onDone} />;
}

function revisionIn(error: ApiError): string | null {
  const details = error.details as { revision?: unknown } | null | undefined;
  return typeof details?.revision === "string" ? details.revision : null;
}

function Form({ skill, from, onDone }: { skill: Skill; from: SkillContent; onDone(): void }) {
  const id = useId();
  const [text, setText] = useState(from.content);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [isLeaving, setLeaving] = useState(false);
  const conflict = failure instanceof ApiError && failure.code === "conflict" ? revisionIn(failure) : null;
  const issue = failure instanceof ApiError && failure.code === "invalid_input" ? failure.message : null;

  const save = async (revision: string) => {
    setBusy(true);
    setFailure(null);
    try {
      await saveSkill(skill, text, revision);
      notify({ kind: "success", title: `Saved ${skill.name}` });
      onDone();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Section title="Edit SKILL.md">
      <form
        className="flex min-w-0 flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) {
            void save(from.revision);
          }
        }}
      >
        <Textarea
          aria-label={`SKILL.md of ${skill.name}`}
          aria-invalid={issue !== null}
          {...(issue === null ? {} : { "aria-describedby": `${id}-issue` })}
          className="min-h-80 font-mono text-xs"
          value={text}
          spellCheck={false}
          autoFocus
          onChange={(event) => setText(event.target.value)}
        />
        {issue !== null && (
          <p id={`${id}-issue`} role="alert" className="text-sm text-destructive-text wrap-anywhere">
            {issue}
          </p>
        )}
        {conflict !== null && (
          <Banner
            tone="warning"
            role="alert"
            title="The file has been changed meanwhile"
            actions={
              <>
                <Button size="sm" onClick={onDone}>
                  Discard mine
                </Button>
                <Button size="sm" onClick={() => void save(conflict)}>
                  Overwrite it
                </Button>
              </>
            }
          >
            Your text is still here and has not been saved.
          </Banner>
        )}
        {failure !== null && issue === null && conflict === null && <ErrorNotice title="It could not be saved" error={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Save
          </Button>
          <Button onClick={() => (text === from.content ? onDone() : setLeaving(true))}>Cancel</Button>
        </div>
      </form>
      <AlertDialog
        open={isLeaving}
        onOpenChange={setLeaving}
        title="Discard your changes?"
        description="What you have written here is lost. The file stays as it was saved last."
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        isDestructive
        onConfirm={onDone}
      />
    </Section>
  );
}
