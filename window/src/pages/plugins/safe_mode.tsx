import type { SafeMode } from "@/api/records";
import { navigation } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { createStore, useStore } from "@/lib/store";
import { AlertDialog } from "@/ui";

import { failureText, setSafeMode } from "./actions";
import { counted } from "@/lib/format";

type Problems = NonNullable<SafeMode["problems"]>;

interface SafeModeState {
  /** The question before it is switched on is open. */
  readonly isAsking: boolean;
  /** What it is being switched to. */
  readonly changingTo: boolean | null;
  /** Plugins that did not start when it was switched off. */
  readonly problems: Problems;
}

const state = createStore<SafeModeState>({ isAsking: false, changingTo: null, problems: [] });
const change = (next: Partial<SafeModeState>) => state.update((now) => ({ ...now, ...next }));

export function useSafeModeState(): SafeModeState {
  return useStore(state);
}

export function dismissSafeModeProblems(): void {
  change({ problems: [] });
}

/** Opens the question; the palette and the plugins page share it. */
export function askForSafeMode(): void {
  change({ isAsking: true });
}

/** Switches it; what happened is told by a notification, and problems stay listed above every page. */
export async function switchSafeMode(enabled: boolean): Promise<void> {
  if (state.get().changingTo !== null) {
    return;
  }
  change({ changingTo: enabled, problems: [] });
  try {
    const { problems = [] } = await setSafeMode(enabled);
    change({ problems });
    if (enabled) {
      notify({ kind: "info", title: "Safe mode is on", description: "No plugin runs except those that are part of the service." });
    } else if (problems.length === 0) {
      notify({ kind: "success", title: "Safe mode is off", description: "Every enabled plugin runs again." });
    } else {
      notify({
        kind: "warning",
        title: `Safe mode is off, ${counted(problems.length, "plugin")} did not start`,
        description: problems.map(({ id }) => id).join(", "),
        action: { label: "Show", run: () => navigation.toPlugins() },
      });
    }
  } catch (error) {
    notify({ kind: "error", title: `Safe mode could not be switched ${enabled ? "on" : "off"}`, description: failureText(error) });
  } finally {
    change({ changingTo: null, isAsking: false });
  }
}

/** What switching it on means, before it happens. */
export function SafeModeQuestion() {
  const { isAsking, changingTo } = useSafeModeState();
  return (
    <AlertDialog
      open={isAsking}
      onOpenChange={(isOpen) => change({ isAsking: isOpen })}
      title="Turn safe mode on?"
      description="Every plugin is stopped, except those that are part of the service. Use it when a plugin makes the service unusable."
      confirmLabel="Turn on"
      isBusy={changingTo !== null}
      onConfirm={() => void switchSafeMode(true)}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>Calls, pages, services, schedules and commands of plugins stop at once; their data stays.</li>
        <li>You can enable, disable and remove plugins meanwhile. Installs, updates and reloads wait.</li>
        <li>It stays on when the service restarts, until you turn it off.</li>
      </ul>
    </AlertDialog>
  );
}
