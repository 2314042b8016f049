/** Shared by dropdown and context menus. */
export const kMenuClass =
  "z-60 max-h-[min(24rem,var(--radix-popper-available-height))] base:min-w-44 max-w-[calc(100vw-16px)] overflow-y-auto rounded-lg border border-border bg-popover p-1 text-popover-foreground shadow-lg data-[state=open]:animate-pop motion-reduce:animate-none";

export const kMenuItemClass =
  "relative flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 text-sm outline-hidden select-none data-disabled:cursor-not-allowed data-disabled:opacity-50 base:data-highlighted:bg-accent base:data-highlighted:text-accent-foreground pointer-coarse:min-h-11 forced-colors:data-highlighted:outline-2 [&>svg]:size-4 [&>svg]:shrink-0";

export const kMenuDestructiveClass = "text-destructive-text data-highlighted:bg-surface-destructive data-highlighted:text-destructive-text";
export const kMenuLabelClass = "px-2 py-1.5 text-xs font-medium text-muted-foreground";
export const kMenuSeparatorClass = "-mx-1 my-1 h-px bg-border-hairline";
