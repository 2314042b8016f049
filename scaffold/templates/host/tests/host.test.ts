import { experimental_createHostEntryHarness } from "@get-svc/plugin-sdk/testing/host";
import { expect, test } from "vitest";

import entry from "../host";

test("a machine says what it has", async () => {
  const host = experimental_createHostEntryHarness(entry);
  const answer = await host.experimental_call("load", undefined);
  expect(answer).toMatchObject({ system: expect.stringMatching(/\w/), cores: expect.any(Number) });
});
