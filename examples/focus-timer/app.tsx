// What belongs to no page: commands of the palette, a disclosure in the sidebar's footer, an overlay above everything, and a
// content script beside the window's own code.
import { definePluginApp, experimental_useRpcQuery, useRpc } from "@get-svc/plugin-sdk/app";
import { useEffect, useState, useSyncExternalStore } from "react";
import { toast } from "sonner";

import type { rpcContract, Total } from "./server";
import { remaining, timer } from "./timer";

const kButton = "rounded-md border border-border px-3 py-1.5 text-sm hover:bg-state-hover";

export default definePluginApp((app) => {
  app.commands.register({
    id: "start",
    title: "Start a focus session",
    defaultShortcut: { key: "f", mod: true, alt: true },
    isAvailable: () => timer.get().endsAt === undefined,
    run: () => timer.start(timer.get().minutes),
  });
  app.commands.register({
    id: "stop",
    title: "Stop the focus session",
    isAvailable: () => timer.get().endsAt !== undefined,
    run: timer.stop,
  });

  app.experimental_sidebarFooter.register({ kind: "disclosure", id: "session", label: "Focus timer", icon: "Timer", component: Session });

  app.slots.experimental_appOverlay({ id: "clock", component: Clock });

  // Beside the window's own code, once per window: marks the page while a session runs, and takes the mark away with the plugin.
  app.contentScripts.register({
    id: "mark",
    mount: () => {
      const mark = () => document.documentElement.toggleAttribute("data-focus-session", timer.get().endsAt !== undefined);
      mark();
      const stopListening = timer.subscribe(mark);
      return () => {
        stopListening();
        document.documentElement.removeAttribute("data-focus-session");
      };
    },
  });
});

function useTimer() {
  return useSyncExternalStore(timer.subscribe, timer.get);
}

function Session({ dismiss }: { dismiss(): void }) {
  const { endsAt, minutes } = useTimer();
  const [length, setLength] = useState(minutes);
  const { data } = experimental_useRpcQuery<Total>({ method: "total", realtime: [{ channel: "total-changed" }] });
  return (
    <div className="flex flex-col gap-3 p-3 text-sm">
      {endsAt === undefined ? (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            timer.start(length);
            dismiss();
          }}
        >
          <label className="flex items-center justify-between gap-2">
            Minutes
            <input
              type="number"
              min={1}
              max={180}
              required
              className="w-20 rounded-md border border-input bg-background px-2 py-1"
              value={length}
              onChange={(event) => setLength(event.target.valueAsNumber)}
            />
          </label>
          <button type="submit" className={kButton}>
            Start
          </button>
        </form>
      ) : (
        <button type="button" className={kButton} onClick={timer.stop}>
          Stop the session
        </button>
      )}
      {data !== undefined && (
        <p className="text-muted-foreground">
          {data.sessions === 0 ? "No sessions yet." : `${data.sessions} sessions, ${data.minutes} minutes.`}
        </p>
      )}
    </div>
  );
}

/** In the corner of the window while a session runs. */
function Clock() {
  const rpc = useRpc<typeof rpcContract>();
  const { endsAt, minutes } = useTimer();
  const [now, setNow] = useState(() => Date.now());

  useEffect(() => {
    if (endsAt === undefined) {
      return;
    }
    const tick = () => {
      setNow(Date.now());
      if (Date.now() >= endsAt) {
        timer.stop();
        toast.success("Session finished", { description: `${minutes} minutes of focus.` });
        rpc
          .call("finished", { minutes })
          .catch((failure: Error) => void toast.error("The session was not counted", { description: failure.message }));
      }
    };
    tick();
    const interval = setInterval(tick, 1_000);
    return () => clearInterval(interval);
  }, [endsAt, minutes, rpc]);

  return endsAt === undefined ? null : (
    <p
      role="timer"
      aria-label="Focus session"
      className="pointer-events-none fixed right-4 bottom-4 rounded-full border border-border bg-popover px-3 py-1 text-sm text-popover-foreground shadow-lg tabular-nums"
    >
      {remaining(endsAt, now)}
    </p>
  );
}
