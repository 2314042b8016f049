import { type ComponentProps, createContext, type KeyboardEvent, type ReactNode, useContext, useId, useState } from "react";

import { cn } from "@/lib/utils";

interface TabsState {
  id: string;
  value: string;
  select(value: string): void;
}

const TabsContext = createContext<TabsState | null>(null);

function useTabs(): TabsState {
  const state = useContext(TabsContext);
  if (state === null) {
    throw new Error("TabsList, TabsTrigger and TabsContent belong into Tabs");
  }
  return state;
}

/** A list of ids is separated by blanks, so that none may have one. */
const idOf = (tabs: TabsState, part: string, value: string) => `${tabs.id}-${part}-${encodeURIComponent(value)}`;

interface TabsProps {
  /** The tab that is open at first. */
  defaultValue: string;
  /** The tab that is open, where the page keeps it; with `onValueChange`. */
  value?: string;
  onValueChange?(value: string): void;
  className?: string;
  children: ReactNode;
}

export function Tabs({ defaultValue, value, onValueChange, className, children }: TabsProps) {
  const [own, setOwn] = useState(defaultValue);
  const state = {
    id: useId(),
    value: value ?? own,
    select: (next: string) => {
      setOwn(next);
      onValueChange?.(next);
    },
  };
  return (
    <TabsContext value={state}>
      <div className={cn("flex min-w-0 flex-col gap-4", className)}>{children}</div>
    </TabsContext>
  );
}

const kSteps: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

interface TabsListProps extends ComponentProps<"div"> {
  /** What the tabs are about. */
  "aria-label": string;
}

/** One stop of the tab key; the arrow keys go from tab to tab and open it. Tabs without room scroll sideways. */
export function TabsList({ className, ...props }: TabsListProps) {
  const { select } = useTabs();
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const tabs = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('[role="tab"]:not(:disabled)')];
    const at = tabs.findIndex((tab) => tab === document.activeElement);
    const next = tabs[kSteps[event.key]?.(at, tabs.length) ?? -1];
    if (next !== undefined) {
      event.preventDefault();
      next.focus();
      select(next.value);
    }
  };
  return (
    <div
      role="tablist"
      onKeyDown={onKeyDown}
      className={cn("flex min-w-0 gap-1 overflow-x-auto border-b border-border p-1 pb-0", className)}
      {...props}
    />
  );
}

interface TabsTriggerProps extends ComponentProps<"button"> {
  value: string;
}

export function TabsTrigger({ value, className, ...props }: TabsTriggerProps) {
  const tabs = useTabs();
  const isOpen = tabs.value === value;
  return (
    <button
      type="button"
      role="tab"
      id={idOf(tabs, "tab", value)}
      value={value}
      aria-selected={isOpen}
      aria-controls={isOpen ? idOf(tabs, "panel", value) : undefined}
      tabIndex={isOpen ? 0 : -1}
      onClick={() => tabs.select(value)}
      className={cn(
        "-mb-px h-9 shrink-0 cursor-pointer border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-muted-foreground pointer-coarse:h-11",
        "rounded-t-sm outline-hidden hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring",
        "aria-selected:border-primary aria-selected:text-foreground disabled:cursor-default disabled:opacity-50",
        className,
      )}
      {...props}
    />
  );
}

interface TabsContentProps extends ComponentProps<"div"> {
  value: string;
}

/** Mounted while its tab is open. */
export function TabsContent({ value, className, ...props }: TabsContentProps) {
  const tabs = useTabs();
  return tabs.value !== value ? null : (
    <div
      role="tabpanel"
      id={idOf(tabs, "panel", value)}
      aria-labelledby={idOf(tabs, "tab", value)}
      // A panel without a control of its own is reached by the keyboard, too.
      tabIndex={0}
      className={cn("min-w-0 rounded-sm outline-hidden focus-visible:ring-2 focus-visible:ring-ring", className)}
      {...props}
    />
  );
}
