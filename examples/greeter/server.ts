import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

export const rpcContract = defineRpcContract({
  greet: { input: z.object({ name: z.string().min(1) }), output: z.object({ text: z.string(), signedWith: z.string() }) },
  changes: { input: null, output: z.array(z.object({ key: z.string() })) },
});

export default function greeter(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    apiKey: { type: "string", secret: true, label: "API key" },
    greeting: { type: "string", default: "Hello", experimental_schema: z.string().min(1).max(40) },
    language: { type: "select", options: ["en", "de", "nl"], default: "en" },
    shout: { type: "boolean", default: false },
    repeat: { type: "number", default: 1, experimental_schema: z.number().int().min(1).max(3) },
  });
  const changes: { key: string }[] = [];
  settings.onChange((next, previous) => {
    for (const key of Object.keys(next) as (keyof typeof next)[]) {
      // The key that changed, never the value: it may be the secret.
      if (next[key] !== previous[key]) {
        changes.push({ key });
      }
    }
  });

  svc.rpc.register(rpcContract, {
    greet: async ({ name }) => {
      const { greeting, shout, repeat, apiKey } = await settings.get();
      const line = Array.from({ length: repeat }, () => `${greeting}, ${name}!`).join(" ");
      return { text: shout ? line.toUpperCase() : line, signedWith: apiKey ? "a key" : "nothing" };
    },
    changes: () => changes,
  });
}
