import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { beforeEach, expect, test } from "vitest";

import plugin from "../server";

let host: ReturnType<typeof createFakePluginHost>;
beforeEach(() => {
  host = createFakePluginHost({ pluginId: "{{id}}" });
  plugin(host.svc);
});

test("what an agent remembers is recalled, and shown to people", async () => {
  await host.harness.callAgentTool("{{tool}}_remember", { fact: "Tea, no sugar." });
  await host.harness.callAgentTool("{{tool}}_remember", { fact: "Monday is free." });
  expect(JSON.stringify(await host.harness.callAgentTool("{{tool}}_recall", {}))).toContain("Tea, no sugar.");
  expect(await host.harness.runCli(["list"])).toMatchObject({ exitCode: 0, stdout: "Tea, no sugar.\nMonday is free.\n" });
});

test("there is nothing at first, and an empty fact is refused", async () => {
  expect(JSON.stringify(await host.harness.callAgentTool("{{tool}}_recall", {}))).toContain("Nothing was kept yet.");
  expect(await host.harness.callAgentTool("{{tool}}_remember", { fact: "" })).toMatchObject({ isError: true });
  expect(await host.harness.runCli([])).toMatchObject({ exitCode: 2 });
});
