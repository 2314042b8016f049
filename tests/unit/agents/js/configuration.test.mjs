import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/agents/js/agents.ts");

const kParameters = {
  type: "object",
  properties: {
    a: { type: ["string", "number"], maxLength: 10, minimum: 1 },
    kind: { enum: ["x", "y", 5] },
    inner: { type: "object", properties: { deep: { type: "integer" } }, additionalProperties: false },
  },
};

function configured(member, callback) {
  const part = load();
  for (const name of ["a", "b"]) {
    part.svc.agents.registerTool({ name, description: "d", parameters: kParameters, execute: () => "" });
  }
  part.svc.agents[member](callback);
  return {
    ...part,
    run: (context = {}) => outcomeOf(() => part.runtime.handlers.get(`agents.${member}`)("", JSON.stringify(context), new FakeCall())),
  };
}

describe("agents.configure", () => {
  it("is registered at most once", () => {
    const { svc, api } = configured("configure", () => ({ tools: [], skills: [] }));
    assert.deepEqual(api.registrations.get("agent-config"), { configure: true, instructions: false });
    assert.throws(() => svc.agents.configure(() => undefined), { message: /^agents.configure: is registered already/ });
    assert.throws(() => load().svc.agents.configure(5), { message: "agents.configure: the callback must be a function, is a number" });
  });

  it("offers everything when a plugin has none", async () => {
    const { value } = await outcomeOf(() => load().runtime.handlers.get("agents.configure")("", "{}", new FakeCall()));
    assert.deepEqual(JSON.parse(value), { tools: null, skills: null, instructions: null });
  });

  it("gets a deep-frozen context and selects", async () => {
    let seen;
    const parameters = { type: "object", properties: { kind: { const: "x" } } };
    const { run } = configured("configure", (context) => {
      seen = context;
      return { tools: ["a", { name: "b", parameters }], skills: ["s"], instructions: "i".repeat(5000) };
    });
    const { value } = await run({ thread: { id: "thr_1" } });
    assert.ok(Object.isFrozen(seen) && Object.isFrozen(seen.thread));
    const { tools, skills, instructions } = JSON.parse(value);
    assert.deepEqual(tools, [{ name: "a" }, { name: "b", inputSchema: parameters }]);
    assert.deepEqual(skills, ["s"]);
    assert.equal(instructions.length, 4096);
  });

  it("narrows in every way that allows less, and says a tool once", async () => {
    const properties = {
      a: { type: "string", maxLength: 5, minimum: 2 },
      kind: { enum: ["x", 5] },
      inner: { properties: { deep: { type: "integer", maximum: 3 } } },
    };
    const parameters = { type: "object", properties, required: ["a"] };
    const { run } = configured("configure", () => ({ tools: ["a", { name: "a", parameters }], skills: [] }));
    assert.deepEqual(JSON.parse((await run()).value).tools, [{ name: "a", inputSchema: parameters }]);
  });

  const broken = [
    [
      "a throw",
      () => {
        throw new Error("no");
      },
      "agents.configure failed: no",
    ],
    ["a promise", async () => ({ tools: [], skills: [] }), /returned a promise; it must answer synchronously/],
    ["nothing", () => undefined, /returned undefined, expected { tools, skills, instructions\? }/],
    ["no skills", () => ({ tools: [] }), /returned skills that are undefined, expected an array/],
    ["too many ids", () => ({ tools: Array(257).fill("a"), skills: [] }), /returned 257 tools, the limit configIds is 256/],
    [
      "a tool that is not registered",
      () => ({ tools: ["a", "gone"], skills: [] }),
      /chose the tool "gone", which this plugin has not registered/,
    ],
    ["an odd tool", () => ({ tools: [5], skills: [] }), /returned a tool that is neither a name nor/],
    [
      "parameters that are no object schema",
      () => ({ tools: [{ name: "a", parameters: { type: "array" } }], skills: [] }),
      /parameters of tool "a" that must describe an object/,
    ],
    ...[
      [{ a: { type: "boolean" } }, 'allows "a" to be boolean, the tool takes string or number'],
      [{ a: { maxLength: 11 } }, 'has maxLength 11 for "a", the tool has 10'],
      [{ a: { minimum: 0 } }, 'has minimum 0 for "a", the tool has 1'],
      [{ kind: { const: "z" } }, 'allows "kind" to be "z", which the tool does not take'],
      [{ inner: { properties: { more: {} } } }, 'adds "more" to "inner", which the tool does not take'],
    ].map(([properties, problem]) => [
      `parameters that widen (${problem})`,
      () => ({ tools: [{ name: "a", parameters: { type: "object", properties } }], skills: [] }),
      new RegExp(`parameters of tool "a" that allow more than the tool: it ${problem}`),
    ]),
    [
      "large parameters",
      () => ({ tools: [{ name: "a", parameters: { type: "object", title: "x".repeat(131_072) } }], skills: [] }),
      /the limit paramOverride is 131072/,
    ],
  ];
  for (const [what, callback, message] of broken) {
    it(`fails with words for ${what}`, async () => {
      const { error } = await configured("configure", callback).run();
      assert.equal(error.wireCode, "handler_error");
      assert.match(error.message, typeof message === "string" ? new RegExp(message) : message);
    });
  }
});

describe("agents.contributeInstructions", () => {
  it("answers text, cut at the limit, or nothing", async () => {
    const long = configured("contributeInstructions", ({ threadId }) => threadId + "x".repeat(5000));
    assert.equal(JSON.parse((await long.run({ threadId: "thr_1" })).value).length, 4096);
    assert.equal((await configured("contributeInstructions", () => null).run()).value, "null");
  });

  it("fails with words for anything else, and is registered at most once", async () => {
    const { run, svc, api } = configured("contributeInstructions", () => 5);
    assert.match((await run()).error.message, /agents.contributeInstructions returned a number, expected a string or null/);
    assert.throws(() => svc.agents.contributeInstructions(() => null), { message: /is registered already/ });
    assert.deepEqual(api.registrations.get("agent-config"), { configure: false, instructions: true });
  });
});
