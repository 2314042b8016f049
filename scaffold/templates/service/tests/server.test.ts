import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { beforeEach, expect, test, vi } from "vitest";

import plugin from "../server";

let host: ReturnType<typeof createFakePluginHost>;
beforeEach(() => {
  host = createFakePluginHost({ pluginId: "{{id}}" });
  plugin(host.svc);
});

test("the service does its work and ends when it is stopped", async () => {
  const service = host.harness.runService("look");
  await vi.waitFor(() => expect(host.harness.realtimeSignals).toHaveLength(1));
  await service.stop();
  await service.done;
  expect(host.harness.realtimeSignals).toMatchObject([{ channel: "looked", payload: { count: 1 } }]);
  expect((await host.harness.runCli(["status"])).stdout).toMatch(/^Looks: 1, the last at /);
});

test("the command says that there is nothing yet, and how to use it", async () => {
  expect(await host.harness.runCli(["status"])).toMatchObject({ exitCode: 0, stdout: "Nothing was done yet.\n" });
  expect(await host.harness.runCli([])).toMatchObject({ exitCode: 2, stderr: "Usage: svc {{id}} status\n" });
});
