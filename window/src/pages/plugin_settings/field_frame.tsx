import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";

import type { SettingDescriptor } from "@/api/records";
import { Button, Spinner } from "@/ui";

import type { SaveState } from "./field_state";

/** A label the plugin did not give is its key in lower case; a given one stays as it is. */
export function labelOf({ label }: SettingDescriptor): string {
  return label === label.toLowerCase() ? label.charAt(0).toUpperCase() + label.slice(1) : label;
}

/** Ids of the parts of a field: the control names them. */
export function partsOf(id: string, descriptor: SettingDescriptor, save: SaveState) {
  const isInvalid = save.kind === "failed";
  const described = [isInvalid && `${id}-issue`, descriptor.description !== undefined && `${id}-description`].filter(Boolean).join(" ");
  return {
    id,
    "aria-invalid": isInvalid,
    ...(described === "" ? {} : { "aria-describedby": described }),
  };
}

export interface FieldFrameProps {
  id: string;
  fieldKey: string;
  descriptor: SettingDescriptor;
  save: SaveState;
  /** The control stands beside its label instead of below it. */
  isInline?: boolean;
  /** For controls that a `label` element cannot name. */
  isLabelled?: boolean;
  control: ReactNode;
  actions?: ReactNode;
  onRetry?(): void;
}

/** Label, description, control, and what became of the last save. */
export function FieldFrame({
  id,
  fieldKey,
  descriptor,
  save,
  isInline = false,
  isLabelled = false,
  control,
  actions,
  onRetry,
}: FieldFrameProps) {
  const label = (
    <div className="min-w-0 flex-1">
      {isLabelled ? (
        <span id={`${id}-label`} className="text-sm font-medium wrap-anywhere">
          {labelOf(descriptor)}
        </span>
      ) : (
        <label htmlFor={id} id={`${id}-label`} className="text-sm font-medium wrap-anywhere">
          {labelOf(descriptor)}
        </label>
      )}
      {descriptor.description !== undefined && (
        <p id={`${id}-description`} className="text-sm text-pretty text-muted-foreground wrap-anywhere">
          {descriptor.description}
        </p>
      )}
    </div>
  );
  return (
    <div data-setting={fieldKey} className="flex min-w-0 flex-col gap-1.5 py-3">
      {isInline ? (
        <div className="flex min-w-0 items-start gap-4">
          {label}
          {control}
        </div>
      ) : (
        <>
          {label}
          {control}
        </>
      )}
      <div className="flex min-h-6 min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted-foreground empty:hidden">
        <SaveText id={id} save={save} />
        {save.kind === "failed" && save.canRetry && onRetry !== undefined && (
          <Button size="sm" variant="link" className="min-h-6 text-xs pointer-coarse:min-h-11" onClick={onRetry}>
            Try again
          </Button>
        )}
        {actions}
      </div>
    </div>
  );
}

function SaveText({ id, save }: { id: string; save: SaveState }) {
  switch (save.kind) {
    case "saving":
      return (
        <span role="status" className="inline-flex items-center gap-1">
          <Spinner className="size-3" />
          Saving…
        </span>
      );
    case "saved":
      return (
        <span role="status" className="inline-flex items-center gap-1 text-success-text">
          <Check aria-hidden className="size-3" />
          Saved
        </span>
      );
    case "failed":
      return (
        <span id={`${id}-issue`} role="alert" className="min-w-0 text-sm text-destructive-text wrap-anywhere">
          {save.message}
        </span>
      );
    default:
      return null;
  }
}
