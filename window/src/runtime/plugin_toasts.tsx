import type { ReactNode } from "react";
import * as sonner from "sonner";

import { activePluginsNow, subscribeActivePlugins } from "@/plugins/active";

/** Toasts of one plugin that stand at once: a further one takes the place of the oldest. */
const kStanding = 5;
/** How many it may show in a burst, and after how many milliseconds one more. The rest is in the notification centre only. */
const kBurst = 8;
const kRefillMs = 1_000;
/** How often people are told that a plugin says too much. */
const kToldEveryMs = 10_000;

export type ToastId = string | number;

/** What is kept of who shows toasts: a plugin by its id, or `null` for code that no bundle was found for. */
interface Sender {
  standing: ToastId[];
  budget: number;
  filledAt: number;
  toldAt: number;
}

const senders = new Map<string | null, Sender>();
/** Plugins that were in use in this window and are not any more: their timers may still run. */
const gone = new Set<string>();
let inUse = new Set<string>();

/** The toaster takes in a toast by a timer, and forgets a dismissal of one that it does not have yet. */
function dismiss(id: ToastId): void {
  setTimeout(() => sonner.toast.dismiss(id));
}

subscribeActivePlugins(() => {
  const now = new Set(activePluginsNow().map(({ pluginId }) => pluginId));
  for (const id of inUse) {
    if (!now.has(id)) {
      gone.add(id);
      senders.get(id)?.standing.forEach(dismiss);
      senders.delete(id);
    }
  }
  now.forEach((id) => gone.delete(id));
  inUse = now;
});

export const isGone = (pluginId: string | null): boolean => pluginId !== null && gone.has(pluginId);

function nameOf(pluginId: string): string {
  return activePluginsNow().find((plugin) => plugin.pluginId === pluginId)?.name ?? pluginId;
}

function senderOf(pluginId: string | null): Sender {
  const known = senders.get(pluginId) ?? { standing: [], budget: kBurst, filledAt: performance.now(), toldAt: -Infinity };
  senders.set(pluginId, known);
  const filled = Math.floor((performance.now() - known.filledAt) / kRefillMs);
  if (filled > 0) {
    known.budget = Math.min(kBurst, known.budget + filled);
    known.filledAt += filled * kRefillMs;
  }
  return known;
}

/** Whether the toaster shows one more toast of it: one that stands already is always changed. */
export function mayShow(pluginId: string | null, id: ToastId | undefined): boolean {
  const sender = senderOf(pluginId);
  if (id !== undefined && sender.standing.includes(id)) {
    return true;
  }
  if (sender.budget > 0) {
    sender.budget -= 1;
    return true;
  }
  const now = performance.now();
  if (now - sender.toldAt >= kToldEveryMs) {
    sender.toldAt = now;
    sonner.toast.warning(`${pluginId === null ? "A plugin" : nameOf(pluginId)} shows too many notifications`, {
      id: `svc-too-many-${pluginId ?? ""}`,
      description: "The rest of them is in the notification centre.",
    });
  }
  return false;
}

export function stands(pluginId: string | null, id: ToastId): void {
  const { standing } = senderOf(pluginId);
  if (!standing.includes(id)) {
    standing.push(id);
    if (standing.length > kStanding) {
      dismiss(standing.shift()!);
    }
  }
}

export function fell(pluginId: string | null, id: ToastId): void {
  const sender = senders.get(pluginId);
  if (sender !== undefined) {
    sender.standing = sender.standing.filter((standing) => standing !== id);
  }
}

/** The name of who says it above what it says: a toast is nobody else's word. */
export function withName(pluginId: string | null, said: ReactNode): ReactNode {
  return pluginId === null ? (
    said
  ) : (
    <>
      <span className="block truncate text-xs text-subtle-foreground" data-svc-toast-sender="">
        {nameOf(pluginId)}
      </span>
      {said}
    </>
  );
}
