import { type KeyboardEvent, useEffect, useRef, useState } from "react";

import type { Binding } from "@/sdk_app/key_bindings";
import { chooseShortcut, choiceOf } from "@/lib/shortcut_choices";
import type { Shortcut } from "@/lib/shortcuts";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Kbd } from "@/ui/kbd";

export const kBindingRow = "flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-sm";

/** A command with its keys; the button takes the next press as others. */
export function BindingRow({ binding: { id, title, plugin, shortcut, isChosen, takenBy } }: { binding: Binding }) {
  const [isAsking, setAsking] = useState(false);
  const change = useRef<HTMLButtonElement>(null);
  const hasAsked = useRef(false);
  useEffect(() => {
    // The field that had the focus is gone.
    if (!isAsking && hasAsked.current) {
      change.current?.focus();
    }
    hasAsked.current = isAsking;
  }, [isAsking]);
  const name = plugin === null ? title : `${title} of ${plugin.name}`;
  return (
    <li className={kBindingRow}>
      <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
        {title}
        {plugin !== null && <span className="text-muted-foreground"> · {plugin.name}</span>}
        {takenBy !== null && <span className="block text-xs text-warning-text">Not bound: these keys belong to {takenBy}.</span>}
      </span>
      {isAsking ? (
        <KeysField
          name={name}
          canRemove={shortcut !== null}
          onDone={(choice) => {
            if (choice !== undefined) {
              chooseShortcut(id, choice);
            }
            setAsking(false);
          }}
        />
      ) : (
        <span className="ml-auto flex flex-wrap items-center justify-end gap-2">
          {takenBy !== null && <Badge tone="warning">Not bound</Badge>}
          {shortcut !== null && <Kbd shortcut={shortcut} />}
          {isChosen && (
            <Button size="sm" variant="ghost" aria-label={`Reset the keys of ${name}`} onClick={() => chooseShortcut(id, undefined)}>
              Reset
            </Button>
          )}
          <Button ref={change} size="sm" variant="ghost" aria-label={`Change the keys of ${name}`} onClick={() => setAsking(true)}>
            {shortcut === null ? "Add keys" : "Change"}
          </Button>
        </span>
      )}
    </li>
  );
}

/** Told undefined when the keys stay as they are, null when there are to be none. */
function KeysField({ name, canRemove, onDone }: { name: string; canRemove: boolean; onDone(choice: Shortcut | null | undefined): void }) {
  const [refused, setRefused] = useState<string | null>(null);
  const field = useRef<HTMLButtonElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    // Tab leads on, as everywhere.
    if (event.key === "Tab") {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") {
      onDone(undefined);
      return;
    }
    const choice = choiceOf(event.nativeEvent);
    if (choice !== undefined && "refused" in choice) {
      setRefused(choice.refused);
    } else if (choice !== undefined) {
      onDone(choice.shortcut);
    }
  };
  return (
    <span className="ml-auto flex flex-wrap items-center justify-end gap-2">
      {refused !== null && (
        <span role="alert" className="text-xs text-destructive-text">
          {refused}
        </span>
      )}
      <button
        ref={field}
        type="button"
        aria-label={`Press the new keys of ${name}. Escape leaves them as they are.`}
        onKeyDown={onKeyDown}
        className="h-7 cursor-text rounded-md border border-dashed border-input px-2.5 text-xs text-muted-foreground pointer-coarse:h-11"
      >
        Press the new keys…
      </button>
      {canRemove && (
        <Button size="sm" variant="ghost" aria-label={`Remove the keys of ${name}`} onClick={() => onDone(null)}>
          Remove
        </Button>
      )}
      <Button size="sm" variant="ghost" aria-label={`Leave the keys of ${name}`} onClick={() => onDone(undefined)}>
        Cancel
      </Button>
    </span>
  );
}
