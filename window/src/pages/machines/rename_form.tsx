import { useId, useState } from "react";

import { type Host, renameHost } from "@/api/hosts";
import { failureText } from "@/pages/plugins/actions";
import { Button, Input } from "@/ui";

/** `L:host-name`, in characters. */
export const kNameMax = 100;

/** The name of a machine in an input. Enter saves, Escape leaves it as it was. */
export function RenameForm({ host, onDone }: { host: Host; onDone(): void }) {
  const issueId = useId();
  const [name, setName] = useState(host.name);
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const save = async () => {
    const wanted = name.trim();
    if (wanted === "") {
      setIssue("Enter a name.");
      return;
    }
    if (wanted === host.name) {
      onDone();
      return;
    }
    setBusy(true);
    setIssue(null);
    try {
      await renameHost(host.id, wanted);
      onDone();
    } catch (error) {
      setIssue(failureText(error));
      setBusy(false);
    }
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
          aria-label={`New name of ${host.name}`}
          aria-invalid={issue !== null || undefined}
          aria-describedby={issue === null ? undefined : issueId}
          className="max-w-72 flex-1 basis-40"
          value={name}
          maxLength={kNameMax}
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
