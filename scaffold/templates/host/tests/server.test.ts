import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { expect, test } from "vitest";

import plugin from "../server";

const { svc, harness } = createFakePluginHost({
  pluginId: "{{id}}",
  sdk: { hosts: { list: () => [{ id: "host_0", name: "home" }] } },
  experimental_callHostRpc: () => ({ system: "Linux 6.1", cores: 4, freeBytes: 2 * 1024 ** 3, totalBytes: 8 * 1024 ** 3 }),
});
plugin(svc);

test("the command asks the machine", async () => {
  for (const argv of [["load"], ["load", "home"], ["load", "host_0"]]) {
    expect(await harness.runCli(argv)).toMatchObject({ exitCode: 0, stdout: "home: Linux 6.1, 4 cores, 2.0 of 8.0 GiB free\n" });
  }
});

test("the command says which machine is not there, and how to use it", async () => {
  expect(await harness.runCli(["load", "mars"])).toMatchObject({ exitCode: 1, stderr: "There is no machine mars: svc machine list\n" });
  expect(await harness.runCli([])).toMatchObject({ exitCode: 2 });
});
