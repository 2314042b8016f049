// The page: which machine, and how full its disks are. While it is open, it keeps the worker on that machine talking.
import { definePluginApp, experimental_useRpcQuery, useRealtime, useRpc, useSvcNavigate } from "@get-svc/plugin-sdk/app";
import { useEffect, useId, useRef, useState } from "react";

import type { Disk, Usage } from "./contract";
import type { Machine, rpcContract } from "./server";

const kNearlyFull = 0.9;
/** Milliseconds until a machine that did not answer is asked again. */
const kRetryMs = 5_000;
const kButton = "rounded-md border border-border px-3 py-1.5 text-sm hover:bg-state-hover";

export default definePluginApp((app) => {
  app.slots.navPanel({ id: "disks", title: "Disk usage", icon: "HardDrive", path: "disks", component: DisksPage });
});

/** `/plugins/disk-usage/disks` shows the server's own machine, `…/disks/<id>` another one. */
function DisksPage({ subPath }: { subPath: string }) {
  const selectId = useId();
  const { toPluginPanel } = useSvcNavigate();
  const { data: machines, error, refetch } = experimental_useRpcQuery<Machine[]>({ method: "machines", staleTime: 0 });
  const hostId = subPath === "" ? machines?.[0]?.id : subPath;
  const machine = machines?.find(({ id }) => id === hostId);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-8">
      {error !== null && <Failure message={error.message} onRetry={() => void refetch()} />}
      {machines === undefined ? (
        error === null && <p className="text-sm text-muted-foreground">Loading…</p>
      ) : machines.length === 0 ? (
        <p className="py-12 text-center text-sm text-muted-foreground">There is no machine to look at.</p>
      ) : (
        <div className="flex flex-wrap items-center gap-3 text-sm">
          <label htmlFor={selectId}>Machine</label>
          <select
            id={selectId}
            className="min-w-0 rounded-md border border-input bg-background px-3 py-2"
            value={hostId}
            onChange={(event) => toPluginPanel("disks", { subPath: event.target.value, replace: true })}
          >
            {machine === undefined && <option value={hostId}>{hostId} (unknown)</option>}
            {machines.map(({ id, name, state }) => (
              <option key={id} value={id}>
                {state === "available" ? name : `${name} (${state})`}
              </option>
            ))}
          </select>
        </div>
      )}
      {machine?.message && <p className="text-sm text-muted-foreground">{machine.message}</p>}
      {hostId !== undefined && machines !== undefined && <Disks key={hostId} hostId={hostId} />}
    </div>
  );
}

/** Follows a machine for as long as it is on screen. */
function useUsage(hostId: string): { usage: Usage | undefined; error: string | undefined; retry(): void } {
  const rpc = useRpc<typeof rpcContract>();
  const [usage, setUsage] = useState<Usage>();
  const [error, setError] = useState<string>();
  const renew = useRef<() => void>(() => undefined);

  useEffect(() => {
    const viewer = crypto.randomUUID();
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Each round replaces the one before it, so that an early renewal does not double them.
    let round = 0;
    renew.current = () => {
      clearTimeout(timer);
      const own = ++round;
      const next = (ms: number) => {
        if (!isOver && own === round) {
          timer = setTimeout(() => renew.current(), ms);
        }
      };
      rpc.call("follow", { hostId, viewer }).then(
        ({ forMs, ...now }) => {
          if (isOver) {
            return;
          }
          setUsage(now);
          setError(undefined);
          next(forMs / 3);
        },
        (failure: Error) => {
          if (isOver) {
            return;
          }
          setError(failure.message);
          next(kRetryMs);
        },
      );
    };
    renew.current();
    return () => {
      isOver = true;
      clearTimeout(timer);
      // When this does not arrive, the worker stops by itself a little later.
      rpc.call("unfollow", { hostId, viewer }).catch(() => undefined);
    };
  }, [hostId, rpc]);

  useRealtime("usage", (payload) => {
    const signal = payload as { hostId: string; usage: Usage };
    if (signal.hostId !== hostId) {
      return;
    }
    setUsage(signal.usage);
    setError(undefined);
  });
  useRealtime("worker-lost", (payload) => {
    if ((payload as { hostId: string }).hostId === hostId) {
      renew.current();
    }
  });
  return { usage, error, retry: () => renew.current() };
}

function Disks({ hostId }: { hostId: string }) {
  const { usage, error, retry } = useUsage(hostId);
  return (
    <>
      {error !== undefined && <Failure message={error} onRetry={retry} />}
      {usage === undefined ? (
        error === undefined && <p className="text-sm text-muted-foreground">Asking the machine…</p>
      ) : (
        <ul
          aria-label="Disks"
          className={`divide-y divide-border rounded-lg border border-border bg-card ${error === undefined ? "" : "opacity-60"}`}
        >
          {usage.disks.map((disk) => (
            <DiskRow key={disk.device} disk={disk} />
          ))}
        </ul>
      )}
      {usage !== undefined && (
        <p className="text-xs text-muted-foreground">
          {error === undefined ? "Measured" : "Last measured"} at {new Date(usage.at).toLocaleTimeString()}
        </p>
      )}
    </>
  );
}

function DiskRow({ disk: { path, device, totalBytes, usedBytes, freeBytes } }: { disk: Disk }) {
  const used = usedBytes + freeBytes === 0 ? 0 : usedBytes / (usedBytes + freeBytes);
  const percent = Math.round(used * 100);
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 font-medium wrap-anywhere">{path}</span>
        <span className="tabular-nums">
          {percent} %{used >= kNearlyFull && <strong className="text-destructive-text"> nearly full</strong>}
        </span>
      </div>
      <div
        role="meter"
        aria-label={`Used of ${path}`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-full bg-muted"
      >
        <div className={`h-full ${used >= kNearlyFull ? "bg-destructive" : "bg-primary"}`} style={{ width: `${percent}%` }} />
      </div>
      <span className="text-xs text-muted-foreground wrap-anywhere">
        {gigabytes(freeBytes)} free of {gigabytes(totalBytes)}, {device}
      </span>
    </li>
  );
}

function Failure({ message, onRetry }: { message: string; onRetry(): void }) {
  return (
    <p role="alert" className="flex flex-wrap items-center gap-3 text-sm text-destructive-text">
      <span className="min-w-0 wrap-anywhere">{message}</span>
      <button type="button" className={kButton} onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
