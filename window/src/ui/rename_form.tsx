import { useId, useState } from "react";

import { Button } from "./button";
import { Input } from "./input";

interface RenameFormProps {
  /** As it is called now. */
  name: string;
  /** Characters. */
  maxLength: number;
  /** Resolves to what is wrong with the name; null when it is the name now. */
  onSave(name: string): Promise<string | null>;
  onDone(): void;
}

/** A name in an input. Enter saves, Escape leaves it as it was. */
export function RenameForm({ name: current, maxLength, onSave, onDone }: RenameFormProps) {
  const issueId = useId();
  const [name, setName] = useState(current);
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const save = async () => {
    const wanted = name.trim();
    if (wanted === "") {
      setIssue("Enter a name.");
      return;
    }
    if (wanted === current) {
      onDone();
      return;
    }
    setBusy(true);
    setIssue(null);
    const refused = await onSave(wanted);
    if (refused === null) {
      onDone();
      return;
    }
    setIssue(refused);
    setBusy(false);
  };
  return (
    <form
      className="flex min-w-0 flex-1 flex-col gap-1"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) {
          void save();
        }
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onDone();
        }
      }}
    >
      <div className="flex min-w-0 flex-wrap gap-2">
        <Input
          aria-label={`New name of ${current}`}
          aria-invalid={issue !== null || undefined}
          aria-describedby={issue === null ? undefined : issueId}
          className="max-w-72 flex-1 basis-40"
          value={name}
          maxLength={maxLength}
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
      {issue !== null && (
        <p id={issueId} role="alert" className="text-xs text-destructive-text wrap-anywhere">
          {issue}
        </p>
      )}
    </form>
  );
}
