import type { ComponentProps } from "react";

import { cn } from "@/lib/utils";

// Where the table has less than 32rem each row is a card whose cells have their column's name before them. Boxes that are laid out
// otherwise lose the roles of a table, so each part names its own.

/** Give it a `TableCaption`, or an `aria-label`: that is the name of the table. */
export function Table({ className, ...props }: ComponentProps<"table">) {
  return (
    <div className="@container/table w-full min-w-0">
      <table role="table" className={cn("w-full text-left text-sm @max-lg/table:block", className)} {...props} />
    </div>
  );
}

export function TableCaption({ className, ...props }: ComponentProps<"caption">) {
  return <caption className={cn("pb-2 text-left text-sm text-muted-foreground @max-lg/table:block", className)} {...props} />;
}

export function TableHeader({ className, ...props }: ComponentProps<"thead">) {
  return <thead role="rowgroup" className={cn("border-b border-border @max-lg/table:sr-only", className)} {...props} />;
}

export function TableBody({ className, ...props }: ComponentProps<"tbody">) {
  return (
    <tbody
      role="rowgroup"
      className={cn("divide-y divide-border-hairline @max-lg/table:flex @max-lg/table:flex-col @max-lg/table:gap-2", className)}
      {...props}
    />
  );
}

export function TableRow({ className, ...props }: ComponentProps<"tr">) {
  return (
    <tr
      role="row"
      className={cn(
        "@max-lg/table:block @max-lg/table:rounded-lg @max-lg/table:border @max-lg/table:border-border @max-lg/table:p-1",
        className,
      )}
      {...props}
    />
  );
}

export function TableHead({ className, ...props }: ComponentProps<"th">) {
  return <th role="columnheader" scope="col" className={cn("px-3 py-2 font-medium text-muted-foreground", className)} {...props} />;
}

interface TableCellProps extends ComponentProps<"td"> {
  /** The name of the column, shown before the cell of a card. Leave it out for buttons. */
  label?: string;
}

export function TableCell({ className, label, children, ...props }: TableCellProps) {
  return (
    <td
      role="cell"
      className={cn(
        "px-3 py-2 align-middle wrap-anywhere @max-lg/table:flex @max-lg/table:items-baseline @max-lg/table:justify-between @max-lg/table:gap-4 @max-lg/table:py-1 @max-lg/table:text-right",
        label === undefined && "@max-lg/table:justify-end",
        className,
      )}
      {...props}
    >
      {label !== undefined && (
        // The header says it to those who hear the page.
        <span aria-hidden="true" className="hidden shrink-0 font-normal text-muted-foreground @max-lg/table:inline">
          {label}
        </span>
      )}
      {children}
    </td>
  );
}
