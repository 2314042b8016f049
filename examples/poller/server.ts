import { setTimeout as sleep } from "node:timers/promises";
import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const answer = z.object({ status: z.number(), body: z.string(), at: z.number() });

export const rpcContract = defineRpcContract({
  latest: { input: null, output: answer.nullable() },
});

export default function poller(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    url: { type: "string", label: "Address", description: "Asked again and again." },
    intervalMs: { type: "number", default: 5_000, description: "Pause between two requests." },
  });
  let latest: z.infer<typeof answer> | null = null;

  svc.rpc.register(rpcContract, { latest: () => latest });

  svc.background.service("poll", {
    async start(signal) {
      const { url, intervalMs } = await settings.get();
      if (!url) {
        // Recognised by its name: the plugin shows `needs-configuration` and loads again when settings are saved.
        throw Object.assign(new Error("set the address with `svc plugin config poller set url <address>`"), {
          name: "NeedsConfigurationError",
        });
      }
      while (!signal.aborted) {
        // A throw ends this run; the service starts it again after 1 s, 2 s, 4 s … up to a minute.
        const response = await fetch(url, { signal });
        if (!response.ok) {
          throw new Error(`${url} answered ${response.status}`);
        }
        latest = { status: response.status, body: await response.text(), at: Date.now() };
        svc.realtime.publish("answered", { at: latest.at });
        await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
      }
    },
  });
}
