import Ellipsis from "lucide-react/icons/ellipsis";
import { useState } from "react";

import { createSection, deleteSection, renameSection } from "@/api/thread_sections";
import { IconButton } from "@/ui/button";
import { ConfirmDialog } from "@/ui/confirm_dialog";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from "@/ui/dropdown_menu";
import { NameDialog } from "@/ui/name_dialog";
import { checkName, kMaxSectionName } from "./thread_menu";

/** What can be done with a section. */
export function SectionMenu({ id, name }: { id: string; name: string }) {
  const [dialog, setDialog] = useState<"rename" | "delete" | null>(null);
  const close = () => setDialog(null);
  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton size="sm" label={`More for the section ${name}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuItem onSelect={() => setDialog("rename")}>Rename…</DropdownMenuItem>
          <DropdownMenuItem isDestructive onSelect={() => setDialog("delete")}>
            Delete…
          </DropdownMenuItem>
        </DropdownMenuContent>
      </DropdownMenu>
      {dialog === "rename" && (
        <NameDialog
          title="Rename the section"
          label="Name"
          initial={name}
          confirmLabel="Rename"
          maxLength={kMaxSectionName}
          check={checkName}
          onClose={close}
          onName={(next) => renameSection(id, next.trim())}
        />
      )}
      <ConfirmDialog
        open={dialog === "delete"}
        onOpenChange={(open) => open || close()}
        title={`Delete the section “${name}”?`}
        description="Its threads stay; they stand with those of their projects again."
        confirmLabel="Delete section"
        failureTitle="The section could not be deleted"
        onConfirm={() => deleteSection(id)}
      />
    </>
  );
}

/** Asks for the name of a new section. */
export function NewSectionDialog({ onClose }: { onClose(): void }) {
  return (
    <NameDialog
      title="New section"
      label="Name"
      initial=""
      confirmLabel="Create"
      maxLength={kMaxSectionName}
      check={checkName}
      onClose={onClose}
      onName={async (name) => void (await createSection(name.trim()))}
    />
  );
}
