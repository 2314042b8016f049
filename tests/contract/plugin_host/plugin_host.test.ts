// Every case on the fake host of the SDK and on a real server. Both must give what is written down here.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { cases, type Case } from "./cases.ts";
import { startFakeHost } from "./fake_host.ts";
import type { ContractHost } from "./host.ts";
import { randomCrons } from "./random_crons.ts";
import { areas, type Area } from "./plugin/server.ts";
import type { Attempt } from "./plugin/attempt.ts";
import { startRealHost } from "./real_host.ts";

const { SVC_BIN_DIR, CONTRACT_DIR } = process.env;
assert.ok(SVC_BIN_DIR && CONTRACT_DIR, "started by run.mjs, which says where things are");

let fake: ContractHost;
let real: ContractHost;
before(async () => {
  [fake, real] = await Promise.all([startFakeHost(), startRealHost(SVC_BIN_DIR, `${CONTRACT_DIR}/plugin`)]);
  for (const host of [fake, real]) {
    await host.settings({ key: "s3cret" });
  }
});
after(() => Promise.all([fake?.stop(), real?.stop()]));

async function attempted(host: ContractHost, area: Area, index: number): Promise<unknown> {
  const answer = (await host.rpc("attempt", { area, index })) as {
    result?: { value?: unknown; error?: { name: string; message: string } };
  };
  assert.ok(answer.result, JSON.stringify(answer));
  const { value, error } = answer.result;
  if (error === undefined) {
    return { gives: value };
  }
  return { refused: error.name === "TypeError" ? error.message : `${error.name}: ${error.message}` };
}

function attempts(area: Area): void {
  areas[area].forEach(({ name, refused, gives }: Attempt, index) => {
    const expected = refused === undefined ? { gives } : { refused };
    it(`${refused === undefined ? "takes" : "refuses"} ${name}`, async () => {
      assert.deepEqual(await attempted(real, area, index), expected, "the server");
      assert.deepEqual(await attempted(fake, area, index), expected, "the fake host");
    });
  });
}

function onBoth(list: Case[]): void {
  for (const { name, run, gives } of list) {
    it(name, async () => {
      assert.deepEqual(await run(real), gives, "the server");
      assert.deepEqual(await run(fake), gives, "the fake host");
    });
  }
}

async function same(what: string, ask: (host: ContractHost) => unknown): Promise<unknown> {
  const [server, ours] = [await ask(real), await ask(fake)];
  assert.deepEqual(ours, server, what);
  return server;
}

describe("registrations and actions", () => {
  for (const area of Object.keys(areas) as Area[]) {
    describe(area, () => attempts(area));
  }
});

describe("calls", () => {
  const { lifecycle, ...calls } = cases;
  for (const [name, list] of Object.entries(calls)) {
    describe(name, () => onBoth(list));
  }
});

describe("schedule expressions", () => {
  it("the same answer to five hundred of them", async () => {
    const expressions = randomCrons(500);
    const { result } = (await same("messages", (host) => host.rpc("crons", expressions))) as { result: string[] };
    // Neither all good nor all bad, else this would say little.
    const good = result.filter((message) => message.includes("the third argument must be a function")).length;
    assert.ok(good > 50 && good < 450, `${good} of 500 are good`);
  });
});

describe("what is left of it", () => {
  it("the same problems", async () => {
    const problems = (await same("problems", (host) => host.problems())) as string[];
    assert.equal(problems.length, 6);
  });
  it("the same members that are not used", async () => {
    assert.deepEqual(await same("unsupported", (host) => host.unsupported()), [
      'events.on("experimental_terminal.input")',
      "experimental_aiServices.register",
    ]);
  });
  it("the same registrations", async () => {
    await same("registrations", (host) => host.registrations());
  });
  it("the same signals", async () => {
    const expected = [
      { channel: "first", payload: { n: 1 } },
      { channel: "second", payload: null },
      { channel: "first", payload: ["é", null] },
    ];
    assert.deepEqual(await same("signals", (host) => host.signals()), expected);
  });
  it("the same log", async () => {
    const written = async (host: ContractHost) => (await host.log()).filter((line) => !/^info (loaded|disposed)/.test(line));
    const log = (await same("log", written)) as string[];
    assert.ok(log.includes("info level low high"));
    assert.ok(log.includes("error rpc:wrong failed: full"));
  });
});

describe("lifecycle", () => onBoth(cases.lifecycle));
