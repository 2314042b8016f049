import * as Radix from "@radix-ui/react-select";
import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";

import { cn } from "./cn";

export interface SelectOption {
  value: string;
  label: string;
  description?: string;
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

// The primitive keeps the empty value for "nothing chosen", but here it is a choice like any other.
const encode = (value: string) => `=${value}`;
const decode = (value: string) => value.slice(1);

export function Select({ value, onValueChange, options, placeholder = "Choose…", disabled = false, className, ...trigger }: SelectProps) {
  const isKnown = options.some((option) => option.value === value);
  return (
    <Radix.Root value={isKnown ? encode(value) : ""} onValueChange={(next) => next !== "" && onValueChange(decode(next))} disabled={disabled}>
      <Radix.Trigger
        className={cn(
          "inline-flex h-8 w-full min-w-0 cursor-pointer items-center justify-between gap-2 rounded-md border border-input bg-surface-raised-solid px-2.5 text-left text-sm text-foreground shadow-2xs transition-colors duration-100 pointer-coarse:h-11",
          "hover:bg-state-hover aria-invalid:border-destructive disabled:cursor-not-allowed disabled:opacity-60 data-placeholder:text-subtle-foreground",
          className,
        )}
        {...trigger}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <Radix.Icon>
          <ChevronDown aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-60 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-[calc(100vw-16px)] overflow-hidden rounded-lg border border-border bg-popover text-popover-foreground shadow-lg data-[state=open]:animate-pop motion-reduce:animate-none"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={encode(option.value)}
                disabled={option.disabled ?? false}
                className="relative flex min-h-8 cursor-pointer flex-col justify-center rounded-md py-1 pr-3 pl-8 text-sm outline-hidden select-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-accent data-highlighted:text-accent-foreground pointer-coarse:min-h-11 forced-colors:data-highlighted:outline-2"
              >
                <Radix.ItemIndicator className="absolute left-2 inline-flex">
                  <Check aria-hidden className="size-4" />
                </Radix.ItemIndicator>
                <Radix.ItemText>{option.label}</Radix.ItemText>
                {option.description !== undefined && <span className="text-xs text-muted-foreground">{option.description}</span>}
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
