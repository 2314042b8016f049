import { type ReactNode, useId } from "react";

import { Input } from "./input";

interface TextFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  issue: string | null;
  placeholder?: string;
  /** Where a dialog's focus starts. */
  autoFocus?: boolean;
  hint?: ReactNode;
}

/** A labelled line with a hint and an issue below it. */
export function TextField({ label, value, onChange, issue, placeholder, autoFocus = false, hint }: TextFieldProps) {
  const id = useId();
  const described = [issue !== null && `${id}-issue`, hint !== undefined && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <Input
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={issue !== null}
        {...(described === "" ? {} : { "aria-describedby": described })}
        {...(placeholder === undefined ? {} : { placeholder })}
        autoFocus={autoFocus}
        autoCapitalize="none"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        className="font-mono text-xs"
      />
      {issue !== null && (
        <p id={`${id}-issue`} role="alert" className="text-sm text-destructive-text">
          {issue}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted-foreground wrap-anywhere">
          {hint}
        </p>
      )}
    </div>
  );
}
