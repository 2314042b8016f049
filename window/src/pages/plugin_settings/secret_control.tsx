import { memo, useId, useRef, useState } from "react";

import { Badge, Button, Input } from "@/ui";

import { useStore } from "@/lib/store";
import { FieldFrame, partsOf } from "./field_frame";
import type { SecretField } from "./secret_field";

/** The control of one secret: its own Save and Clear, and only whether it is set. */
export const SecretControl = memo(function SecretControl({ field }: { field: SecretField }) {
  const id = useId();
  // Not a controlled input: React would write what is typed into the `value` attribute.
  const input = useRef<HTMLInputElement>(null);
  const [hasDraft, setHasDraft] = useState(false);
  const { isSet, save } = useStore(field.store);

  const empty = () => {
    if (input.current !== null) {
      input.current.value = "";
    }
    setHasDraft(false);
  };
  const write = async () => {
    if (await field.write(input.current?.value ?? "")) {
      empty();
    }
  };
  const clear = async () => {
    if (await field.clear()) {
      empty();
      input.current?.focus();
    }
  };
  return (
    <FieldFrame
      id={id}
      fieldKey={field.key}
      descriptor={field.descriptor}
      save={save}
      control={
        <form
          noValidate
          autoComplete="off"
          className="flex min-w-0 flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void write();
          }}
        >
          <Input
            {...partsOf(id, field.descriptor, save)}
            ref={input}
            type="password"
            // "off" is ignored by password managers, which would offer the password of this address.
            autoComplete="new-password"
            spellCheck={false}
            placeholder={isSet ? "Enter a new value to replace it" : "Enter a value"}
            className="max-w-xs min-w-40 flex-1"
            onInput={(event) => {
              setHasDraft(event.currentTarget.value !== "");
              field.edit();
            }}
          />
          <Badge tone={isSet ? "success" : "neutral"}>{isSet ? "Set" : "Not set"}</Badge>
          <Button type="submit" aria-describedby={`${id}-label`} disabled={!hasDraft} isBusy={save.kind === "saving"}>
            Save
          </Button>
          {isSet && (
            <Button aria-describedby={`${id}-label`} disabled={save.kind === "saving"} onClick={() => void clear()}>
              Clear
            </Button>
          )}
        </form>
      }
    />
  );
});
