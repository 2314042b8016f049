import { Slot } from "@radix-ui/react-slot";
import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps, ReactNode } from "react";

import { cn } from "./cn";
import { Spinner } from "./spinner";
import { Tooltip } from "./tooltip";

const button = cva(
  [
    "inline-flex shrink-0 cursor-pointer items-center justify-center gap-1.5 base:rounded-md base:text-sm font-medium whitespace-nowrap select-none",
    "transition-[background-color,border-color,color,box-shadow,transform] duration-100 active:translate-y-px",
    "disabled:cursor-not-allowed disabled:opacity-50 disabled:active:translate-y-0 aria-busy:cursor-progress",
    // Of the icon itself: what plugins render inside has its own size.
    "[&>svg]:size-4 [&>svg]:shrink-0",
  ],
  {
    variants: {
      variant: {
        primary: "bg-primary text-primary-foreground shadow-xs hover:bg-primary-hover",
        secondary: "border border-border bg-surface-raised-solid text-foreground shadow-2xs hover:bg-state-hover",
        ghost: "text-foreground hover:bg-state-hover",
        destructive: "bg-destructive text-destructive-foreground shadow-xs hover:bg-destructive-hover",
        link: "h-auto! px-0! text-link underline decoration-link/40 underline-offset-4 hover:decoration-link",
      },
      size: {
        sm: "h-7 px-2.5 pointer-coarse:h-11",
        md: "h-8 px-3 pointer-coarse:h-11",
        lg: "h-10 px-4 text-base pointer-coarse:h-12",
      },
    },
    defaultVariants: { variant: "secondary", size: "md" },
  },
);

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof button> {
  /** Renders the only child, a link for example, with the looks of a button. */
  asChild?: boolean;
  /** Shows a spinner and refuses clicks; the button keeps the focus, unlike a disabled one. */
  isBusy?: boolean | undefined;
}

export function Button({ asChild = false, isBusy = false, variant, size, className, children, onClick, type, ...props }: ButtonProps) {
  const classes = cn(button({ variant, size }), className);
  if (asChild) {
    return (
      <Slot className={classes} {...(onClick === undefined ? {} : { onClick })} {...props}>
        {children}
      </Slot>
    );
  }
  return (
    <button
      type={type ?? "button"}
      className={classes}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) {
          event.preventDefault(); // Also keeps a submit button from submitting twice.
          return;
        }
        onClick?.(event);
      }}
      {...props}
    >
      {isBusy && <Spinner className="size-4" />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label"> {
  /** Accessible name, and the tooltip unless `tooltip` is false. */
  label: string;
  size?: "sm" | "md";
  tooltip?: boolean | ReactNode;
  tooltipSide?: "top" | "right" | "bottom" | "left";
}

/** A button that shows an icon only. */
export function IconButton({ label, size = "md", tooltip = true, tooltipSide, className, children, type, ...props }: IconButtonProps) {
  const element = (
    <button
      type={type ?? "button"}
      aria-label={label}
      className={cn(
        "inline-flex shrink-0 cursor-pointer items-center justify-center base:rounded-md base:text-muted-foreground transition-colors duration-100",
        "base:hover:bg-state-hover base:hover:text-foreground aria-expanded:bg-state-active aria-expanded:text-foreground aria-pressed:bg-state-active aria-pressed:text-foreground",
        "disabled:cursor-not-allowed disabled:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0",
        size === "md" ? "size-8" : "size-7",
        "pointer-coarse:size-11",
        className,
      )}
      {...props}
    >
      {children}
    </button>
  );
  if (tooltip === false) {
    return element;
  }
  return (
    <Tooltip content={tooltip === true ? label : tooltip} {...(tooltipSide === undefined ? {} : { side: tooltipSide })}>
      {element}
    </Tooltip>
  );
}
