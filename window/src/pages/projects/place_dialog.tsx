import { type ReactNode, useId, useState } from "react";

import type { Place } from "@/api/projects";
import { failureText } from "@/pages/plugins/actions";
import { Button, Dialog } from "@/ui";

import { PlaceFields, useFirstMachine } from "./place_fields";

interface PlaceDialogProps {
  onOpenChange(open: boolean): void;
  title: string;
  description: string;
  submitLabel: string;
  /** What it is now; without it a new place is asked for. */
  place?: Place;
  onSubmit(place: Place): Promise<void>;
  /** Above the place. */
  children?: ReactNode;
}

/** Asks for a folder of a machine. Mounted while it is open. */
export function PlaceDialog({ onOpenChange, title, description, submitLabel, place, onSubmit, children }: PlaceDialogProps) {
  const formId = useId();
  const first = useFirstMachine();
  const [chosen, setChosen] = useState<Place>(place ?? { hostId: "", path: "" });
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const wanted = { hostId: chosen.hostId === "" ? first : chosen.hostId, path: chosen.path };

  const submit = async () => {
    if (wanted.path.trim() === "") {
      setIssue("Enter the path of a folder.");
      return;
    }
    setBusy(true);
    setIssue(null);
    try {
      await onSubmit({ ...wanted, path: wanted.path.trim() });
      onOpenChange(false);
    } catch (error) {
      setIssue(failureText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" isBusy={isBusy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex min-w-0 flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) {
            void submit();
          }
        }}
      >
        {children}
        <PlaceFields
          place={wanted}
          issue={issue}
          isMachineFixed={place !== undefined}
          onChange={(changed) => {
            setIssue(null);
            setChosen(changed);
          }}
        />
      </form>
    </Dialog>
  );
}
