import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { outcomeOf } from "../../../support/js/part_harness.mjs";
import { load } from "./sdk_service.mjs";

const attachment = { type: "localFile", path: "/data/a", name: "a", sizeBytes: 1 };
const created = () => ({ status: 201, body: { ok: true, attachment } });

describe("projects.attachments", () => {
  it("uploads bytes of every kind with their name and type", async () => {
    const { sdk, requests } = load(created);
    const bytes = new Uint8Array([1, 0, 255]);
    const projectId = "p/1";
    assert.deepEqual(await sdk.projects.attachments.upload({ projectId, clientFile: bytes, filename: "a b.txt" }), attachment);
    await sdk.projects.attachments.upload({ projectId, clientFile: bytes.buffer, mimeType: "image/png" });
    await sdk.projects.attachments.upload({ projectId, clientFile: bytes.subarray(1, 2) });
    await sdk.projects.attachments.upload({ projectId, clientFile: new Blob([bytes], { type: "text/plain" }) });
    const file = { name: "../f.md", type: "text/markdown", arrayBuffer: async () => bytes.buffer };
    await sdk.projects.attachments.upload({ projectId, clientFile: file });
    const route = "/api/v1/projects/p%2F1/attachments";
    assert.deepEqual(
      requests.map(({ verb, target, body }) => [verb, target, body]),
      [
        ["POST application/octet-stream", `${route}?filename=a%20b.txt`, "AQD/"],
        ["POST image/png", route, "AQD/"],
        ["POST application/octet-stream", route, "AA=="],
        ["POST text/plain", route, "AQD/"],
        ["POST text/markdown", `${route}?filename=..%2Ff.md`, "AQD/"],
      ],
    );
  });

  it("lets no type break out of its line", async () => {
    const { sdk, requests } = load(created);
    await sdk.projects.attachments.upload({ projectId: "p", clientFile: new Uint8Array(), mimeType: "text/plain\nDELETE /x" });
    assert.equal(requests[0].verb, "POST application/octet-stream");
  });

  it("refuses what is no file before anything is sent", async () => {
    const { sdk, requests } = load(created);
    const { upload, read } = sdk.projects.attachments;
    for (const call of [
      () => upload({ projectId: "p" }),
      () => upload({ projectId: "p", clientFile: "text" }),
      () => upload({ projectId: "p", clientFile: null }),
      () => upload({ projectId: "p", clientFile: { arrayBuffer: async () => "text" } }),
      () => upload({ projectId: 7, clientFile: new Uint8Array() }),
      () => upload({ projectId: "p", clientFile: new Uint8Array(), filename: 7 }),
      () => read({ projectId: "p" }),
      () => read({ projectId: "p", path: 7 }),
    ]) {
      const { error } = await outcomeOf(call);
      assert.ok(error instanceof Error, String(call));
    }
    assert.deepEqual(requests, []);
  });

  it("reads bytes with their type and size", async () => {
    const { sdk, runtime } = load();
    runtime.call = async () => "200 image/png\nAQD/";
    const read = await sdk.projects.attachments.read({ projectId: "p", path: "/data/a b" });
    assert.deepEqual(read, { bytes: new Uint8Array([1, 0, 255]), mimeType: "image/png", sizeBytes: 3 });
  });

  it("rejects with what the service says", async () => {
    const { sdk, requests } = load(() => ({ status: 404, body: { ok: false, error: { code: "not_found", message: "no attachment" } } }));
    const { error } = await outcomeOf(() => sdk.projects.attachments.read({ projectId: "p", path: "/x" }));
    assert.deepEqual([error.status, error.code, error.message], [404, "not_found", "no attachment"]);
    assert.equal(requests[0].target, "/api/v1/projects/p/attachments/content?path=%2Fx");
  });
});
