import { useId } from "react";

import { useSafeMode } from "@/api/queries";
import { Spinner, Switch } from "@/ui";

import { askForSafeMode, switchSafeMode, useSafeModeState } from "./safe_mode";

/** The switch of safe mode. */
export function SafeModeCard() {
  const labelId = useId();
  const safeMode = useSafeMode();
  const { changingTo } = useSafeModeState();
  return (
    <section aria-labelledby={labelId} className="flex items-center gap-4 rounded-lg border border-border-hairline px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <h2 id={labelId} className="text-sm font-medium">
          Safe mode
        </h2>
        <p className="text-xs text-muted-foreground">
          {changingTo === true
            ? "Stopping plugins…"
            : changingTo === false
              ? "Starting plugins…"
              : "Stops every plugin that is not part of the service, to find out which one causes trouble."}
        </p>
      </div>
      {changingTo !== null && <Spinner className="size-4 shrink-0" />}
      <Switch
        aria-labelledby={labelId}
        checked={changingTo ?? safeMode.data?.enabled ?? false}
        disabled={safeMode.data === undefined}
        onCheckedChange={(enabled) => (enabled ? askForSafeMode() : void switchSafeMode(false))}
      />
    </section>
  );
}
