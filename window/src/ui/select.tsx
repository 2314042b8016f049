import ChevronDown from "lucide-react/icons/chevron-down";

import { cn } from "./cn";

export interface SelectOption {
  value: string;
  label: string;
  disabled?: boolean;
}

export interface SelectProps {
  value: string;
  onValueChange(value: string): void;
  options: readonly SelectOption[];
  /** Shown while `value` is none of the options. */
  placeholder?: string;
  id?: string;
  disabled?: boolean;
  className?: string;
  "aria-label"?: string;
  "aria-labelledby"?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

/** The browser's own list: it is at home on phones and with assistive technology, where a drawn one hides the page while it is open. */
export function Select({ value, onValueChange, options, placeholder = "Choose…", className, ...select }: SelectProps) {
  const isKnown = options.some((option) => option.value === value);
  return (
    <span className={cn("relative inline-flex base:w-full base:min-w-0", className)}>
      <select
        value={isKnown ? value : kUnknown}
        onChange={(event) => onValueChange(event.target.value)}
        className={cn(
          "h-8 w-full min-w-0 cursor-pointer appearance-none truncate rounded-md border border-input bg-surface-raised-solid pr-8 pl-2.5 text-left text-sm shadow-2xs transition-colors duration-100 pointer-coarse:h-11",
          "hover:bg-state-hover aria-invalid:border-destructive disabled:cursor-not-allowed disabled:opacity-60",
          isKnown ? "text-foreground" : "text-subtle-foreground",
        )}
        {...select}
      >
        {!isKnown && (
          <option value={kUnknown} disabled hidden>
            {placeholder}
          </option>
        )}
        {options.map((option) => (
          <option
            key={option.value}
            value={option.value}
            disabled={option.disabled ?? false}
            className="bg-popover text-popover-foreground"
          >
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted-foreground" />
    </span>
  );
}

// No value of a setting has this form, and the empty one is a choice like any other.
const kUnknown = "\u0000";
