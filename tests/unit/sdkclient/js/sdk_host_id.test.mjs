import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load as loadBundle } from "../../../support/js/bundle.mjs";
import { FakeApi, FakeRuntime } from "../../../support/js/part_harness.mjs";

describe("svc.server.experimental_hostId", () => {
  const part = loadBundle("modules/sdkclient/js/sdk.ts").default;

  function serverWith(answers) {
    const runtime = new FakeRuntime();
    const asked = [];
    runtime.callSync = (name) => {
      asked.push(name);
      return answers.shift();
    };
    const api = new FakeApi();
    api.svc.server = { experimental_hostId: null };
    part(runtime, api);
    return { server: api.svc.server, asked };
  }

  it("is the id of the server's own machine, asked for once", () => {
    const { server, asked } = serverWith(['"host_a"']);
    assert.equal(server.experimental_hostId, "host_a");
    assert.equal(server.experimental_hostId, "host_a");
    assert.deepEqual(asked, ["sdk.hostId"]);
  });

  it("is null while the service knows no machines", () => {
    const { server } = serverWith(["null", undefined, '"host_a"']);
    assert.equal(server.experimental_hostId, null);
    assert.equal(server.experimental_hostId, null);
    assert.equal(server.experimental_hostId, "host_a");
  });
});
