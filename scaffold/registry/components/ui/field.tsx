import { type ReactNode, useId } from "react";

import { cn } from "@/lib/utils";

/** What a control needs to belong to its field: spread it on the `Input` or `Select`. */
export interface FieldControl {
  id: string;
  required?: true;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

interface FieldProps {
  label: string;
  /** What to write there. */
  description?: ReactNode;
  /** What is wrong with what is written there. */
  error?: string | undefined;
  /** The browser asks for a value before the form is sent. */
  required?: boolean;
  className?: string;
  children(control: FieldControl): ReactNode;
}

/** A control with its label above it, and what describes it or is wrong with it below. */
export function Field({ label, description, error, required = false, className, children }: FieldProps) {
  const id = useId();
  const described = [description !== undefined && `${id}-description`, error !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={cn("flex min-w-0 flex-col gap-1.5", className)}>
      <label htmlFor={id} className="text-sm font-medium text-foreground">
        {label}
        {!required && <span className="font-normal text-muted-foreground"> (optional)</span>}
      </label>
      {children({
        id,
        ...(required ? { required: true } : {}),
        ...(described === "" ? {} : { "aria-describedby": described }),
        ...(error === undefined ? {} : { "aria-invalid": true }),
      })}
      {description !== undefined && (
        <p id={`${id}-description`} className="text-sm text-muted-foreground">
          {description}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-destructive-text wrap-anywhere">
          {error}
        </p>
      )}
    </div>
  );
}
