import { useId } from "react";

export interface RadioListProps {
  legend: string;
  value: string;
  onValueChange(value: string): void;
  options: readonly { value: string; label: string; hint?: string }[];
}

/** One choice among some that are worth reading side by side; arrow keys move it. */
export function RadioList({ legend, value, onValueChange, options }: RadioListProps) {
  const name = useId();
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {options.map((option, index) => (
        <label
          key={`${option.value}-${index}`}
          className="flex min-w-0 cursor-pointer items-start gap-2.5 rounded-md border border-border-hairline px-3 py-2 text-sm has-checked:border-primary has-focus-visible:ring-2 has-focus-visible:ring-ring pointer-coarse:py-3"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValueChange(option.value)}
            className="mt-0.5 size-4 shrink-0 accent-primary outline-hidden"
          />
          <span className="min-w-0 wrap-anywhere">
            {option.label}
            {option.hint !== undefined && <code className="block text-xs text-muted-foreground">{option.hint}</code>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
