import { type ReactNode, useState } from "react";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { createSection, moveToSection, reorderPinned, useThreadSections } from "@/api/thread_sections";
import { notify } from "@/lib/notifications";
import { useIsCompact } from "@/lib/viewport";
import { split } from "@/plugins/split";
import { kThreadActions } from "@/sdk_app/thread_actions";
import { threadName } from "@/sdk_app/thread_records";
import { usePinOrder } from "@/sdk_app/threads_data";
import { NameDialog } from "@/ui/name_dialog";
import { pinNeighbours } from "./thread_groups";

/** `ThreadSection.name`. */
export const kMaxSectionName = 80;
const kMaxTitle = 200;

export const checkName = (name: string): string | null => (name.trim() === "" ? "A name needs at least one character." : null);

/** What failed is told by the action itself. */
const quietly = (change: Promise<void>): void => void change.catch(() => undefined);

/** Says that a change of the list did not happen. */
export function telling(title: string, change: Promise<unknown>): void {
  change.catch((failure: unknown) =>
    notify({ kind: "error", title, description: failure instanceof Error ? failure.message : String(failure) }),
  );
}

/** What the menu asks for before it acts. */
export type ThreadDialog = "rename" | "new-section";

/** Beside the menu, which closes before its dialog opens. */
export function ThreadDialogs({ thread, dialog, onClose }: { thread: PluginSidebarThread; dialog: ThreadDialog | null; onClose(): void }) {
  if (dialog === "rename") {
    return (
      <NameDialog
        title="Rename the thread"
        label="Title"
        initial={threadName(thread)}
        confirmLabel="Rename"
        maxLength={kMaxTitle}
        check={checkName}
        onClose={onClose}
        onName={(title) => kThreadActions.rename(thread.id, title.trim())}
      />
    );
  }
  return dialog === "new-section" ? (
    <NameDialog
      title="New section"
      label="Name"
      initial=""
      confirmLabel="Create and move"
      maxLength={kMaxSectionName}
      check={checkName}
      onClose={onClose}
      onName={async (name) => moveToSection(thread.id, (await createSection(name.trim())).id)}
    />
  ) : null;
}

/** Which dialog of a thread is open, for those who show its menu. */
export const useThreadDialog = () => useState<ThreadDialog | null>(null);

type ItemComponent = (props: { disabled?: boolean; isDestructive?: boolean; onSelect(): void; children: ReactNode }) => ReactNode;

interface ThreadMenuItemsProps {
  thread: PluginSidebarThread;
  Item: ItemComponent;
  separator: ReactNode;
  onDialog(dialog: ThreadDialog): void;
}

/** What can be done with a thread, in a menu of either kind. */
export function ThreadMenuItems({ thread, Item, separator, onDialog }: ThreadMenuItemsProps) {
  const { id, isPinned, isArchived, isUnread, sectionId } = thread;
  const sections = useThreadSections().data ?? [];
  const order = usePinOrder();
  const move = (by: -1 | 1) => {
    const place = pinNeighbours(order, id, by);
    if (place !== null) {
      telling("The pinned thread could not be moved", reorderPinned(id, place.previousThreadId, place.nextThreadId));
    }
  };
  const toSection = (target: string | null) => telling("The thread could not be moved", moveToSection(id, target));
  const isCompact = useIsCompact();
  return (
    <>
      {!isCompact && <Item onSelect={() => split.openThread(id)}>Open in split</Item>}
      <Item onSelect={() => onDialog("rename")}>Rename…</Item>
      <Item onSelect={() => quietly(kThreadActions.setRead(id, isUnread))}>{isUnread ? "Mark as read" : "Mark as unread"}</Item>
      {!isArchived && (
        <>
          <Item onSelect={() => quietly(kThreadActions.setPinned(id, !isPinned))}>{isPinned ? "Unpin" : "Pin"}</Item>
          {isPinned && order.length > 1 && (
            <>
              <Item disabled={pinNeighbours(order, id, -1) === null} onSelect={() => move(-1)}>
                Move up
              </Item>
              <Item disabled={pinNeighbours(order, id, 1) === null} onSelect={() => move(1)}>
                Move down
              </Item>
            </>
          )}
          {separator}
          {sections
            .filter((section) => section.id !== sectionId)
            .map((section) => (
              <Item key={section.id} onSelect={() => toSection(section.id)}>
                Move to {section.name}
              </Item>
            ))}
          {sectionId !== null && <Item onSelect={() => toSection(null)}>Take out of its section</Item>}
          <Item onSelect={() => onDialog("new-section")}>Move to a new section…</Item>
        </>
      )}
      {separator}
      <Item onSelect={() => quietly(isArchived ? kThreadActions.unarchive(id) : kThreadActions.archive(id))}>
        {isArchived ? "Take out of the archive" : "Archive"}
      </Item>
      <Item isDestructive onSelect={() => quietly(Promise.resolve(kThreadActions.requestDelete(id)))}>
        Delete…
      </Item>
    </>
  );
}
