import { useSyncExternalStore } from "react";

import type { ContextWindowUsage, PendingTodos } from "#sdk/records.js";

import { cn } from "@/ui/cn";
import { useThreadView } from "./thread_view";

/** How much of what the agent can keep in mind is used; null when it does not say. */
export function usageText({ usedTokens, modelContextWindow, estimated }: ContextWindowUsage): string | null {
  if (usedTokens === null || usedTokens < 0) {
    return null;
  }
  const used = `${estimated ? "about " : ""}${usedTokens.toLocaleString("en")} tokens`;
  // Logs of old threads have what an agent said that did not know.
  return modelContextWindow === null || modelContextWindow <= 0
    ? used
    : `${used}, ${Math.round((usedTokens / modelContextWindow) * 100)} % of the context`;
}

function Todos({ todos: { items } }: { todos: PendingTodos }) {
  const done = items.filter(({ status }) => status === "completed").length;
  const current = items.find(({ status }) => status === "in_progress") ?? items.find(({ status }) => status === "pending");
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer truncate">
        {done} of {items.length} done{current === undefined ? "" : ` · ${current.text}`}
      </summary>
      <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
        {items.map(({ id, text, status }) => (
          <li key={id} className={cn(status === "completed" && "line-through", status === "in_progress" && "font-medium text-foreground")}>
            {text}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What stands around the conversation: the goal, what is left to do, what is used. */
export function TimelineStatus() {
  const { store } = useThreadView();
  const { state } = useSyncExternalStore(store.subscribe, store.snapshot);
  if (state === null) {
    return null;
  }
  const { goal, pendingTodos, contextWindowUsage, modelFallback } = state;
  const usage = contextWindowUsage === undefined ? null : usageText(contextWindowUsage);
  const hasTodos = pendingTodos !== null && pendingTodos.items.length > 0;
  if (goal === null && !hasTodos && usage === null && modelFallback === null) {
    return null;
  }
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-0.5 px-5 py-1.5 text-xs text-muted-foreground">
      {goal !== null && <p className="truncate">Goal: {goal.objective}</p>}
      {hasTodos && <Todos todos={pendingTodos} />}
      {modelFallback !== null && <p>{modelFallback.message}</p>}
      {usage !== null && <p className="tabular-nums">{usage}</p>}
    </div>
  );
}
