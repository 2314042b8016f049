import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "../../../support/js/bundle.mjs";
import { FakeApi, FakeCall, FakeRuntime, outcomeOf } from "../../../support/js/part_harness.mjs";

const { buildSchedule } = load("modules/plugins/js/background_schedule.ts");

let runtime;
let api;
let schedule;
beforeEach(() => {
  runtime = new FakeRuntime();
  api = new FakeApi();
  runtime.callSync = (name, argument) => {
    runtime.hostCalls.push({ name, argument });
    if (name === "schedule.check" && argument.includes("61")) {
      throw Object.assign(new Error('minute "61" is not a number from 0 to 59 (position 1)'), { code: "invalid_argument" });
    }
    return undefined;
  };
  schedule = buildSchedule(runtime, api);
});

const run = (meta, call = new FakeCall()) => runtime.handlers.get("schedule")(JSON.stringify(meta), "", call);

test("a registration tells the host every name and expression so far", () => {
  schedule("digest", "@daily", () => {});
  schedule("sweep", "*/5 * * * *", () => {});
  assert.deepEqual(api.registrations.get("schedules"), [
    { name: "digest", cron: "@daily" },
    { name: "sweep", cron: "*/5 * * * *" },
  ]);
  assert.deepEqual(runtime.argumentsOf("schedule.check"), ["@daily", "*/5 * * * *"]);
  assert.deepEqual(runtime.argumentsOf("schedule.registered"), []);
});

test("a registration after the factory asks the host to store it", () => {
  api.inFactory = false;
  schedule("late", "@daily", () => {});
  assert.equal(runtime.argumentsOf("schedule.registered").length, 1);
});

for (const [what, args, message] of [
  ["a name that is not text", [7, "@daily", () => {}], "background.schedule: the name must be a string, is a number"],
  ["a name with other characters", ["a b", "@daily", () => {}], /^background.schedule: the name "a b" must be/],
  ["a missing expression", ["a", undefined, () => {}], "background.schedule: the cron expression must be a string, is undefined"],
  ["an expression that is not text", ["a", 5, () => {}], "background.schedule: the cron expression must be a string, is a number"],
  [
    "a wrong expression, with the position",
    ["a", "61 * * * *", () => {}],
    'background.schedule: cron "61 * * * *": minute "61" is not a number from 0 to 59 (position 1)',
  ],
  ["a missing function", ["a", "@daily"], "background.schedule: the third argument must be a function, is undefined"],
]) {
  test(`refuses ${what}`, () => {
    assert.throws(() => schedule(...args), { name: "TypeError", message });
    assert.equal(api.registrations.has("schedules"), false);
  });
}

test("refuses a second schedule of one name", () => {
  schedule("digest", "@daily", () => {});
  assert.throws(() => schedule("digest", "@hourly", () => {}), {
    name: "TypeError",
    message: 'background.schedule: duplicate name "digest"',
  });
  assert.deepEqual(api.registrations.get("schedules"), [{ name: "digest", cron: "@daily" }]);
});

test("a stale svc object registers nothing", () => {
  api.stale = true;
  assert.throws(() => schedule("digest", "@daily", () => {}), { name: "PluginContextStaleError" });
});

test("a run gets its tick and whether it was missed, and ends when the function does", async () => {
  let seen;
  let finish;
  schedule("digest", "@daily", (given) => {
    seen = given;
    return new Promise((resolve) => (finish = resolve));
  });
  const answer = run({ name: "digest", scheduledAt: 1_700_000_000_000, missed: true });
  assert.equal(seen.scheduledAt, 1_700_000_000_000);
  assert.equal(seen.missed, true);
  finish("ignored");
  assert.equal(await answer, undefined);
});

test("the signal of a run is that of the call, and is only made when it is asked for", async () => {
  const call = new FakeCall();
  let signal;
  schedule("plain", "@daily", () => {});
  schedule("careful", "@daily", (given) => void (signal = given.signal));
  await run({ name: "plain", scheduledAt: 0, missed: false }, call);
  assert.equal(call.signalReads, 0);
  await run({ name: "careful", scheduledAt: 0, missed: false }, call);
  assert.equal(signal, call.controller.signal);
});

test("a failing run fails its call with what was thrown", async () => {
  const thrown = new Error("no luck");
  schedule("sync", "@daily", () => {
    throw thrown;
  });
  schedule("async", "@daily", async () => {
    throw thrown;
  });
  for (const name of ["sync", "async"]) {
    const { error } = await outcomeOf(() => run({ name, scheduledAt: 0, missed: false }));
    assert.equal(error, thrown);
  }
});

test("a run of a schedule nobody registered is refused", async () => {
  const { error } = await outcomeOf(() => run({ name: "gone", scheduledAt: 0, missed: false }));
  assert.equal(error.wireCode, "not_found");
});

test("plugin code that replaces globals changes nothing", async () => {
  const { parse } = JSON;
  let ran = false;
  schedule("digest", "@daily", () => void (ran = true));
  JSON.parse = () => assert.fail("the replaced JSON.parse was used");
  try {
    await runtime.handlers.get("schedule")('{"name":"digest","scheduledAt":0,"missed":false}', "", new FakeCall());
  } finally {
    JSON.parse = parse;
  }
  assert.equal(ran, true);
});
