import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { outcomeOf } from "../../../support/js/part_harness.mjs";
import { load } from "./sdk_service.mjs";

describe("svc.sdk.plugins.callRpc", () => {
  it("sends the input alone and returns the result", async () => {
    const { sdk, requests: sent } = load(() => ({ status: 200, body: { ok: true, result: { n: 1 } } }));
    assert.deepEqual(await sdk.plugins.callRpc({ pluginId: "other", method: "notes.add", input: [1] }), { n: 1 });
    await sdk.plugins.callRpc({ pluginId: "other", method: "list" });
    assert.deepEqual(
      sent.map(({ verb, target, body }) => [verb, target, body]),
      [
        ["POST", "/api/v1/plugins/other/rpc/notes.add", "[1]"],
        ["POST", "/api/v1/plugins/other/rpc/list", ""],
      ],
    );
  });

  it("checks the result with outputSchema", async () => {
    const { sdk } = load(() => ({ status: 200, body: { ok: true, result: { n: "1" } } }));
    const call = (outputSchema) => outcomeOf(() => sdk.plugins.callRpc({ pluginId: "o", method: "m", outputSchema }));
    assert.deepEqual((await call(z.object({ n: z.coerce.number() }))).value, { n: 1 });
    const { error } = await call(z.object({ n: z.number() }));
    assert.deepEqual([error.name, error.code], ["HttpError", "invalid_output"]);
    assert.match((await call({})).error.message, /outputSchema must be a Standard Schema/);
  });
});
