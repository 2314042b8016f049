// Calls the host entry on the machine that somebody looks at, and passes on what comes back.
import { cliCommand, defineCli, defineRpcContract, PluginCliError, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

import { type Disk, hostContract, hostSignals, usage } from "./contract";

const machine = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(["available", "setup-required", "unavailable"]),
  message: z.string().nullable(),
});
export type Machine = z.infer<typeof machine>;

const viewer = z.object({ hostId: z.string(), viewer: z.string() });

export const rpcContract = defineRpcContract({
  machines: { input: null, output: z.array(machine) },
  /** Call it again before `forMs` is over, or nothing comes any more. */
  follow: { input: viewer, output: usage.extend({ forMs: z.number() }) },
  unfollow: { input: viewer, output: z.null() },
});

/** How often the worker tells, and how long it does so for a page that does not renew. */
const kEveryMs = 3_000;
const kForMs = 30_000;

export default function diskUsage(svc: SvcPluginApi): void {
  const hosts = svc.hosts.experimental_client({ contract: hostContract, experimental_signals: hostSignals });

  hosts.experimental_onSignal("usage", ({ hostId, payload }) => svc.realtime.publish("usage", { hostId, usage: payload }));
  // Its followers are gone with the worker: pages renew at once, which starts another one.
  hosts.experimental_onWorkerExit(({ hostId }) => {
    svc.log.warn(`the worker on ${hostId} has ended unexpectedly`);
    svc.realtime.publish("worker-lost", { hostId });
  });

  svc.rpc.register(rpcContract, {
    machines: async () => {
      const all = await svc.sdk.hosts.list();
      return all.map(({ id, name, state, stateMessage }) => ({ id, name, state, message: stateMessage }));
    },
    follow: async ({ hostId, viewer: id }, { signal }) => {
      const now = await hosts.call("follow", { id, everyMs: kEveryMs, forMs: kForMs }, { hostId, signal });
      return { ...now, forMs: kForMs };
    },
    unfollow: async ({ hostId, viewer: id }) => {
      // A machine that is away has no followers either.
      await hosts
        .call("unfollow", { id }, { hostId, timeoutMs: 5_000 })
        .catch((error: Error) => svc.log.debug(`unfollow: ${error.message}`));
      return null;
    },
  });

  const show = cliCommand({
    summary: "Show how full the disks of a machine are",
    positionals: [{ name: "machine", description: "Name or id; default: the server's own machine" }],
    async run({ positionals, options }, { signal }) {
      const all = await svc.sdk.hosts.list();
      const wanted = positionals.machine;
      const found = wanted === undefined ? all[0] : all.find(({ id, name }) => id === wanted || name === wanted);
      if (found === undefined) {
        throw new PluginCliError(wanted === undefined ? "there is no machine" : `there is no machine ${wanted}`, {
          code: "unknown_host",
          hint: "svc machine list shows the machines there are",
        });
      }
      try {
        const { disks } = await hosts.call("read", undefined, { hostId: found.id, signal });
        return options.json ? JSON.stringify({ machine: found.name, disks }) : table(disks);
      } catch (error) {
        const { name, code, message } = error as Error & { code?: string };
        if (name !== "HostCallError") {
          throw error;
        }
        throw new PluginCliError(`${found.name}: ${message}`, {
          code: code ?? "host_error",
          hint: "svc machine show tells the machine's state",
        });
      }
    },
  });
  svc.cli.register(defineCli({ name: "disk-usage", summary: "How full the disks of your machines are", root: show, commands: {} }));
}

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function amount(bytes: number): string {
  const unit = bytes < 1024 ? 0 : Math.min(kUnits.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${kUnits[unit]}`;
}

function table(disks: readonly Disk[]): string {
  const rows = disks.map(({ path, totalBytes, usedBytes, freeBytes }) => {
    const used = usedBytes + freeBytes === 0 ? 0 : usedBytes / (usedBytes + freeBytes);
    return [path, `${Math.round(used * 100)} %`, amount(freeBytes), amount(totalBytes)];
  });
  const lines = [["DISK", "USED", "FREE", "SIZE"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
