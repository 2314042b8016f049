/** Rows of the sidebar: links and buttons alike. */
export const kRowClass =
  "group/row relative flex h-8 w-full min-w-0 cursor-pointer items-center gap-2.5 rounded-md px-2 text-left text-sm text-sidebar-foreground transition-colors duration-75 pointer-coarse:h-11 " +
  "hover:bg-state-hover aria-[current=page]:bg-sidebar-accent aria-[current=page]:font-medium aria-[current=page]:text-sidebar-accent-foreground forced-colors:aria-[current=page]:outline-2 " +
  "[&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground aria-[current=page]:[&>svg]:text-foreground";
