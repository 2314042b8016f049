// Run by ../vitest.test.mjs: what authors do with the fake host in Vitest, faked timers and mock functions included.
import { createFakePluginHost, makeThreadResponse } from "@get-svc/plugin-sdk/testing";
import type { SvcPluginApi } from "@get-svc/plugin-sdk";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";

function plugin(svc: SvcPluginApi): void {
  svc.rpc.register(
    { remind: { input: z.object({ text: z.string().min(1) }), output: z.object({ threadId: z.string() }) } },
    {
      async remind({ text }) {
        await svc.storage.kv.set("last", text);
        const thread = await svc.sdk.threads.spawn({ projectId: "proj_1", prompt: text });
        setTimeout(() => svc.realtime.publish("reminded", { text }), 60_000);
        return { threadId: thread.id };
      },
    },
  );
  svc.background.service("later", { start: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())) });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a plugin on the fake host", async () => {
  const spawn = vi.fn(async () => makeThreadResponse({ id: "thr_7" }));
  const { svc, harness } = createFakePluginHost({ pluginId: "remind", sdk: { threads: { spawn } } });
  plugin(svc);
  expect(await harness.callRpc("remind", { text: "milk" })).toEqual({ threadId: "thr_7" });
  expect(spawn).toHaveBeenCalledWith({ projectId: "proj_1", prompt: "milk" });
  expect(harness.realtimeSignals).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(harness.realtimeSignals).toEqual([{ channel: "reminded", payload: { text: "milk" } }]);
  await expect(harness.callRpc("remind", { text: "" })).rejects.toThrow(/^rpc input validation failed/);
  const run = harness.runService("later");
  await harness.lifecycle.dispose();
  await run.done;
  await expect(harness.callRpc("remind", { text: "x" })).rejects.toMatchObject({ code: "plugin_not_running" });
});
