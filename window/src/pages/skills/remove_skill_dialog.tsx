import { removeSkill, type Skill } from "@/api/skills";
import { counted } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { ConfirmDialog } from "@/ui";

interface RemoveSkillDialogProps {
  skill: Skill;
  open: boolean;
  onOpenChange(open: boolean): void;
  onRemoved(): void;
}

/** Asks before the folder of a skill is removed. */
export function RemoveSkillDialog({ skill, open, onOpenChange, onRemoved }: RemoveSkillDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Remove ${skill.name}?`}
      description={`Its folder is deleted with ${counted(skill.tree.files.length, "file")}. This cannot be undone.`}
      confirmLabel="Remove"
      failureTitle="It could not be removed"
      onConfirm={async () => {
        await removeSkill(skill);
        notify({ kind: "success", title: `Removed ${skill.name}` });
      }}
      onDone={onRemoved}
    />
  );
}
