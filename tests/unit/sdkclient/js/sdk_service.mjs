// The part over a service that a test answers for.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { partLoader } from "../../../support/js/part_harness.mjs";

// Before the part takes its timers.
mock.timers.enable({ apis: ["setTimeout"] });
const loadPart = partLoader("modules/sdkclient/js/sdk.ts");

/** The part over a service that answers with `answer(request)`. */
export function load(answer = () => ({ status: 200, body: { ok: true } })) {
  const part = loadPart();
  const requests = [];
  part.runtime.call = async (name, argument) => {
    assert.equal(name, "sdk.request");
    const [id, verb, target, ...body] = argument.split("\n");
    const request = { id, verb, target, body: body.join("\n") };
    requests.push(request);
    const { status, body: answered } = await answer(request);
    return `${status}\n${typeof answered === "string" ? answered : JSON.stringify(answered)}`;
  };
  return { ...part, sdk: part.svc.sdk, requests };
}

export const failing = (status, error) => () => ({ status, body: { ok: false, error } });
