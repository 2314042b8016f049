import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { expect, test } from "vitest";

import plugin from "../server";

const { svc, harness } = createFakePluginHost({ pluginId: "{{id}}" });
plugin(svc);

test("the command says hello", async () => {
  expect(await harness.runCli(["hello"])).toMatchObject({ exitCode: 0, stdout: "Hello, world!\n" });
  expect(await harness.runCli(["hello", "Ada"])).toMatchObject({ stdout: "Hello, Ada!\n" });
});

test("anything else shows how to use it", async () => {
  expect(await harness.runCli(["goodbye"])).toMatchObject({ exitCode: 2, stderr: "Usage: svc {{id}} hello [name]\n" });
});
