import { useState } from "react";

import { removeSkill, type Skill } from "@/api/skills";
import { counted } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { AlertDialog, ErrorNotice } from "@/ui";

interface RemoveSkillDialogProps {
  skill: Skill;
  open: boolean;
  onOpenChange(open: boolean): void;
  onRemoved(): void;
}

/** Asks before the folder of a skill is removed. */
export function RemoveSkillDialog({ skill, open, onOpenChange, onRemoved }: RemoveSkillDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const remove = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await removeSkill(skill);
      notify({ kind: "success", title: `Removed ${skill.name}` });
      onOpenChange(false);
      onRemoved();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog
      open={open}
      onOpenChange={(isOpen) => {
        setFailure(null);
        onOpenChange(isOpen);
      }}
      title={`Remove ${skill.name}?`}
      description={`Its folder is deleted with ${counted(skill.tree.files.length, "file")}. This cannot be undone.`}
      confirmLabel="Remove"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void remove()}
    >
      {failure !== null && <ErrorNotice title="It could not be removed" error={failure} />}
    </AlertDialog>
  );
}
