import type { Terminal } from "@/api/terminals";
import { cn } from "@/ui";

import { sortTerminals } from "./state";
import { TerminalRow } from "./terminal_row";

/** Terminals as a list; nothing where there are none. */
export function TerminalRows({ label, terminals, className }: { label: string; terminals: readonly Terminal[]; className?: string }) {
  return (
    terminals.length > 0 && (
      <ul aria-label={label} className={cn("divide-y divide-border-hairline", className)}>
        {sortTerminals(terminals).map((terminal) => (
          <TerminalRow key={terminal.id} terminal={terminal} />
        ))}
      </ul>
    )
  );
}
