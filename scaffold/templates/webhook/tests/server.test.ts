import { createHmac } from "node:crypto";

import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { expect, test } from "vitest";

import plugin from "../server";

function load(settings: Record<string, string> = { signingSecret: "s3cret" }) {
  const { svc, harness } = createFakePluginHost({ pluginId: "{{id}}", settings });
  plugin(svc);
  const send = (body: string, signature: string) => harness.fetchHttp("POST", "/hook", { body, headers: { "x-signature": signature } });
  return { harness, send };
}

test("what is signed is received", async () => {
  const { harness, send } = load();
  const signature = createHmac("sha256", "s3cret").update("hello").digest("hex");
  expect((await send("hello", `sha256=${signature}`)).status).toBe(204);
  expect(harness.realtimeSignals).toMatchObject([{ channel: "delivered", payload: { bytes: 5 } }]);
  expect((await harness.runCli(["last"])).stdout).toMatch(/^5 bytes at /);
});

test("anything else is refused", async () => {
  const { harness, send } = load();
  expect((await send("hello", "sha256=00")).status).toBe(401);
  expect((await load({}).send("hello", "")).status).toBe(503);
  expect(await harness.runCli(["last"])).toMatchObject({ exitCode: 0, stdout: "Nothing was received yet.\n" });
  expect(await harness.runCli([])).toMatchObject({ exitCode: 2 });
});
