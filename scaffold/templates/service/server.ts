import { setTimeout as sleep } from "node:timers/promises";

import type { SvcPluginApi } from "@get-svc/plugin-sdk";

type Look = { count: number; at: number };

export default function plugin(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    everySeconds: { type: "number", default: 60, label: "Seconds between two looks" },
  });

  /** What is to be done again and again. */
  async function look(): Promise<void> {
    const before = await svc.storage.kv.get<Look>("look");
    const now: Look = { count: (before?.count ?? 0) + 1, at: Date.now() };
    await svc.storage.kv.set("look", now);
    svc.realtime.publish("looked", now);
  }

  // One that throws is started again after a pause that grows; `svc plugin list` shows its state.
  svc.background.service("look", {
    async start(signal) {
      while (!signal.aborted) {
        await look();
        const { everySeconds } = await settings.get();
        // The signal ends the pause when the plugin is reloaded or disabled.
        await sleep(Math.max(1, everySeconds) * 1000, undefined, { signal }).catch(() => undefined);
      }
    },
  });

  svc.cli.register({
    name: "{{id}}",
    summary: "Work in the background",
    commands: [{ name: "status", summary: "Say what was done", usage: "svc {{id}} status" }],
    async run([command]) {
      if (command !== "status") {
        return { exitCode: 2, stderr: "Usage: svc {{id}} status\n" };
      }
      const last = await svc.storage.kv.get<Look>("look");
      const text = last ? `Looks: ${last.count}, the last at ${new Date(last.at).toLocaleString()}` : "Nothing was done yet.";
      return { exitCode: 0, stdout: `${text}\n` };
    },
  });
}
