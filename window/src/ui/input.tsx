import type { ComponentProps } from "react";

import { cn } from "./cn";

const field = [
  "w-full base:min-w-0 rounded-md border border-input bg-surface-raised-solid base:text-sm text-foreground shadow-2xs",
  "placeholder:text-subtle-foreground transition-[border-color,box-shadow] duration-100",
  "aria-invalid:border-destructive disabled:cursor-not-allowed disabled:opacity-60 read-only:bg-surface-recessed-solid",
  // Below 16 px, phones zoom into the field when it is focused.
  "pointer-coarse:text-[1rem]",
];

export function Input({ className, type = "text", ...props }: ComponentProps<"input">) {
  return <input type={type} className={cn(field, "h-8 px-2.5 pointer-coarse:h-11", className)} {...props} />;
}

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea className={cn(field, "base:min-h-16 px-2.5 py-1.5 base:field-sizing-content", className)} {...props} />;
}
