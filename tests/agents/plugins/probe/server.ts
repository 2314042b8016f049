import { setTimeout as pause } from "node:timers/promises";

import type { SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

/** A test that changes this file changes the list of tools. */
const kGeneration = "probe_first";
const kDot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Tools that do what clients find hard: pictures, failures, calls that take long or are given up. */
export default function probe(svc: SvcPluginApi): void {
  let aborted = 0;
  svc.agents.registerTool({
    name: "probe_echo",
    description: "Says what it was told.",
    parameters: z.object({ text: z.string() }),
    execute: ({ text }) => `echo: ${text}`,
  });
  svc.agents.registerTool({
    name: "probe_thread",
    description: "Says which thread it is called in.",
    parameters: z.object({}),
    execute: (_parameters, { threadId }) => `thread: ${threadId ?? "none"}`,
  });
  svc.agents.registerTool({
    name: "probe_picture",
    description: "Shows a picture.",
    parameters: z.object({}),
    execute: () => ({
      content: [
        { type: "text", text: "a dot" },
        { type: "image", data: kDot, mimeType: "image/png" },
      ],
    }),
  });
  svc.agents.registerTool({
    name: "probe_fail",
    description: "Fails.",
    parameters: z.object({}),
    execute: () => {
      throw new Error("as asked");
    },
  });
  svc.agents.registerTool({
    name: "probe_wait",
    description: "Takes its time.",
    parameters: z.object({ seconds: z.number(), reports: z.boolean().optional() }),
    execute: async ({ seconds, reports }, { signal, experimental_progress: report }) => {
      if (reports) {
        report?.({ progress: 1, total: 2, message: "half of it" });
      }
      svc.realtime.publish("waiting", { seconds });
      signal.addEventListener("abort", () => (aborted += 1));
      await pause(seconds * 1_000, undefined, { signal });
      return `waited for ${seconds} s`;
    },
  });
  svc.agents.registerTool({
    name: "probe_aborted",
    description: "Says how many calls were given up.",
    parameters: z.object({}),
    execute: () => String(aborted),
  });
  svc.agents.registerTool({ name: kGeneration, description: "Is there.", parameters: z.object({}), execute: () => kGeneration });
}
