import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../../../support/js/bundle.mjs";
import { FakeApi, FakeRuntime, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const loadProviders = partLoader("modules/agents/js/providers.ts");
const loadRegistries = partLoader("modules/agents/js/registries.ts");
const loadUi = partLoader("modules/agents/js/ui.ts");

describe("providers.register", () => {
  const declaration = (extra = {}) => ({ id: "my-agent", displayName: "My agent", capabilities: {}, composerActions: [], ...extra });

  it("normalises and announces the declaration", () => {
    const { svc, api } = loadProviders();
    svc.providers.register(
      declaration({
        capabilities: { fork: "tip", permissionModes: ["auto", "auto"], supportsThreadRename: true },
        env: { passthrough: ["TOKEN"] },
        models: { scope: "workspace" },
        experimental_bridgeOptions: { a: 1 },
        later: true,
      }),
    );
    const [registered] = api.registrations.get("providers");
    assert.deepEqual(registered, {
      id: "my-agent",
      displayName: "My agent",
      maintenance: { health: false, usage: false, installation: false },
      capabilities: {
        supportsServiceTier: false,
        supportsNativeUserQuestion: false,
        supportsManualCompaction: false,
        supportsThreadArchive: false,
        supportsThreadRename: true,
        fork: "tip",
        permissionModes: ["auto"],
        reasoningLevels: [],
      },
      composerActions: [],
      models: { scope: "workspace" },
      env: { passthrough: ["TOKEN"] },
      experimental_bridgeOptions: { a: 1 },
      experimental_visibility: "always",
      derivesOptions: false,
    });
    assert.ok(Object.isFrozen(registered) && Object.isFrozen(registered.capabilities));
    assert.deepEqual(
      api.problems.map(({ code }) => code),
      ["unknown_field"],
    );
  });

  const refused = [
    ["a bad id", { id: "A" }, /id must be 2 to 64 lower-case letters/],
    ["no name", { displayName: " " }, /displayName of provider "my-agent" must be non-blank text/],
    ["a long name", { displayName: "x".repeat(81) }, /has 81 characters, the limit providerName is 80/],
    ["no capabilities", { capabilities: undefined }, /capabilities of provider "my-agent" must be an object/],
    [
      "an unknown fork",
      { capabilities: { fork: "all" } },
      /capabilities.fork of provider "my-agent" must be one of none, tip, checkpoint, is "all"/,
    ],
    [
      "an unknown mode",
      { capabilities: { permissionModes: ["root"] } },
      /permissionModes of provider "my-agent" must be one of accept-edits, auto, full/,
    ],
    ["no actions", { composerActions: undefined }, /composerActions of provider "my-agent" must be an array, is undefined/],
    ["an unknown action", { composerActions: ["dance"] }, /composerActions of provider "my-agent" must be one of plan, goal/],
    ["an unknown scope", { models: { scope: "moon" } }, /models.scope of provider/],
    ["too many variables", { env: { passthrough: Array(33).fill("A") } }, /has 33 names, the limit providerEnv is 32/],
    ["large options", { experimental_bridgeOptions: { a: "x".repeat(65_536) } }, /the limit bridgeOptions is 65536/],
    ["a flag that is no boolean", { maintenance: { health: "yes" } }, /maintenance.health of provider "my-agent" must be a boolean/],
    ["options that are no function", { deriveProviderOptions: 1 }, /deriveProviderOptions of provider "my-agent" must be a function/],
  ];
  for (const [what, extra, message] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => loadProviders().svc.providers.register(declaration(extra)), { name: "TypeError", message });
    });
  }

  it("refuses what the host refuses, and a second one of the same id", () => {
    const { svc, runtime } = loadProviders();
    svc.providers.register(declaration());
    assert.throws(() => svc.providers.register(declaration()), { message: 'providers.register: duplicate name "my-agent"' });
    runtime.callSync = (name, id) => `${name} says no to ${id}`;
    assert.throws(() => svc.providers.register(declaration({ id: "other" })), {
      message: "providers.register: providers.refusal says no to other",
    });
  });

  it("has an older name, which registers in the same list", () => {
    const { svc, api } = loadProviders();
    const handle = svc.agents.experimental_registerProvider(declaration({ capabilities: { supportsWorkflows: true } }));
    assert.throws(() => svc.providers.register(declaration()), { message: 'providers.register: duplicate name "my-agent"' });
    assert.throws(() => svc.agents.experimental_registerProvider({}), { message: /^agents.experimental_registerProvider: id must be/ });
    assert.deepEqual(
      api.registrations.get("providers").map(({ id }) => id),
      ["my-agent"],
    );
    assert.deepEqual(api.problems, []);
    handle.dispose();
    assert.deepEqual(api.registrations.get("providers"), []);
  });

  it("takes a declaration back", () => {
    const { svc, api } = loadProviders();
    const handle = svc.providers.register(declaration());
    svc.providers.register(declaration({ id: "other" }));
    handle.dispose();
    handle.dispose();
    assert.deepEqual(
      api.registrations.get("providers").map(({ id }) => id),
      ["other"],
    );
  });
});

describe("registries that are only accepted", () => {
  const fn = () => undefined;
  const named = { id: "x", displayName: "X", description: "d", icon: "i" };
  const valid = {
    experimental_environments: { ...named, requires: [], create: fn, remove: fn },
    experimental_machines: { ...named, create: fn, remove: fn, suspend: fn, resume: fn },
    experimental_serverAccess: { ...named, availability: fn, acquire: fn, release: fn },
    experimental_aiServices: { id: "x", displayName: "X", complete: fn },
  };
  for (const [namespace, value] of Object.entries(valid)) {
    it(`${namespace} validates, lists itself as unsupported and does nothing else`, () => {
      const { svc, api } = loadRegistries();
      svc[namespace].register(value);
      assert.deepEqual(api.unsupportedMembers, [`${namespace}.register`]);
      assert.deepEqual([...api.registrations.keys()], []);
      assert.throws(() => svc[namespace].register(value), { message: `${namespace}.register: duplicate name "x"` });
      assert.throws(() => svc[namespace].register({ ...value, id: "a b" }), { message: /the id "a b" must be/ });
      assert.throws(() => svc[namespace].register({ ...value, id: "y", displayName: "" }), {
        message: /displayName of "y" must be non-blank/,
      });
    });
  }

  it("wants suspend and resume together", () => {
    const { svc } = loadRegistries();
    assert.throws(() => svc.experimental_machines.register({ ...valid.experimental_machines, resume: undefined }), {
      message: /"x" needs both suspend and resume, or neither/,
    });
  });

  it("rejects calls that would have to answer", async () => {
    const { svc, api } = loadRegistries();
    for (const member of ["bootstrap", "getResource"]) {
      const { error } = await outcomeOf(() => svc.experimental_machines[member]("host_1"));
      assert.equal(error.code, "not_supported");
      assert.match(error.message, new RegExp(`svc.experimental_machines.${member} is not supported`));
    }
    svc.experimental_environments.recheck();
    assert.deepEqual(api.unsupportedMembers, ["experimental_environments.recheck"]);
  });
});

describe("ui.requestInput", () => {
  it("hands the checked request to whoever shows forms", async () => {
    const api = new FakeApi();
    const asked = [];
    load("modules/agents/js/ui.ts").default(new FakeRuntime(), api, async (...given) => (asked.push(given), "outcome"));
    const { signal } = new AbortController();
    const request = { threadId: "t", rendererId: "r", title: " Which? ", payload: null };
    assert.equal(await api.svc.ui.requestInput(request, { signal }), "outcome");
    assert.deepEqual(asked, [[{ ...request, title: "Which?" }, signal]]);
    assert.match((await outcomeOf(() => api.svc.ui.requestInput({ ...request, title: "" }))).error.message, /title must be non-blank text/);
    assert.equal(asked.length, 1);
  });

  const request = (extra = {}) => ({ threadId: "thr_1", rendererId: "form", title: "Which?", payload: {}, ...extra });
  const ask = (value, options) => outcomeOf(() => loadUi().svc.ui.requestInput(value, options));

  it("rejects a good request because there are no threads", async () => {
    const { error } = await ask(request({ timeoutMs: 1000, describeSubmission: () => ({}) }), { signal: new AbortController().signal });
    assert.equal(error.code, "not_supported");
    assert.equal(error.message, "svc.ui.requestInput is not supported: this service has no threads");
  });

  it("rejects a form outside of a thread that no call waits for", async () => {
    for (const [options, why] of [
      [undefined, /whose signal says which: requestInput\(request, \{ signal: ctx\.signal \}\)$/],
      [{ signal: new AbortController().signal }, /the signal is of no call whose caller shows forms/],
    ]) {
      const { error } = await ask(request({ threadId: null }), options);
      assert.equal(error.code, "not_supported");
      assert.match(error.message, why);
    }
  });

  const refused = [
    ["no thread", request({ threadId: undefined }), /threadId must be non-blank text/],
    ["a bad renderer", request({ rendererId: "a b" }), /rendererId "a b" must be/],
    ["a long title", request({ title: "x".repeat(161) }), /title has 161 characters, the limit inputTitle is 160/],
    ["a payload that is not JSON", request({ payload: { at: new Date() } }), /the payload is not JSON: payload.at is an instance of Date/],
    ["a large payload", request({ payload: "x".repeat(65_536) }), /has 65538 bytes as JSON, the limit inputPayload is 65536/],
    ["no time", request({ timeoutMs: 0 }), /timeoutMs must be a number of milliseconds from 1/],
    ["too much time", request({ timeoutMs: 3_600_001 }), /timeoutMs is 3600001, the limit inputTimeoutMax is 3600000/],
    ["a description that is no function", request({ describeSubmission: 1 }), /describeSubmission must be a function/],
  ];
  for (const [what, value, message] of refused) {
    it(`rejects ${what}`, async () => {
      const { error } = await ask(value);
      assert.equal(error.name, "TypeError");
      assert.match(error.message, message);
    });
  }
});

describe("ui.requestInput in a thread", () => {
  const kRequest = { threadId: "thr_1", rendererId: "form", title: "Which?", payload: { a: 1 } };

  /** A host that shows forms and answers with `outcome()`. */
  function host(outcome) {
    const { runtime, svc } = loadUi();
    const calls = [];
    runtime.callSync = (name, argument) => {
      calls.push([name, argument]);
      return name === "ui.hasThreads" ? "yes" : "";
    };
    runtime.call = async (name, argument) => {
      calls.push([name, argument]);
      return JSON.stringify(await outcome(JSON.parse(argument)));
    };
    return { svc, sent: (name) => calls.filter(([called]) => called === name).map(([, argument]) => argument) };
  }

  it("answers with what was submitted", async () => {
    const { svc, sent } = host(() => ({ outcome: "submitted", value: "blue", interactionId: "int_1" }));
    assert.deepEqual(await svc.ui.requestInput({ ...kRequest, timeoutMs: 500 }), { outcome: "submitted", value: "blue" });
    assert.deepEqual(JSON.parse(sent("ui.requestThreadInput")[0]), { number: "1", ...kRequest, timeoutMs: 500, described: false });
    assert.deepEqual(sent("ui.describeThreadInput"), []);
  });

  it("tells the service what the plugin says of the answer", async () => {
    const { svc, sent } = host(() => ({ outcome: "submitted", value: "blue", interactionId: "int_1" }));
    const describeSubmission = (value) => ({ title: `Chose ${value}` });
    assert.deepEqual(await svc.ui.requestInput({ ...kRequest, describeSubmission }), { outcome: "submitted", value: "blue" });
    assert.equal(JSON.parse(sent("ui.requestThreadInput")[0]).described, true);
    assert.deepEqual(JSON.parse(sent("ui.describeThreadInput")[0]), { interactionId: "int_1", description: { title: "Chose blue" } });
  });

  for (const [what, describeSubmission] of [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["is no object", () => "x"],
    ["is no JSON", () => ({ at: new Date() })],
    ["is large", () => ({ detail: "x".repeat(65_536) })],
  ]) {
    it(`gives the answer when the description ${what}`, async () => {
      const { svc, sent } = host(() => ({ outcome: "submitted", value: 1, interactionId: "int_1" }));
      assert.equal((await svc.ui.requestInput({ ...kRequest, describeSubmission })).value, 1);
      assert.deepEqual(JSON.parse(sent("ui.describeThreadInput")[0]), { interactionId: "int_1", description: null });
    });
  }

  it("is cancelled by the signal, before and while it is shown", async () => {
    const { svc, sent } = host(() => new Promise((resolve) => setImmediate(resolve, { outcome: "cancelled", reason: "request-aborted" })));
    const before = await svc.ui.requestInput(kRequest, { signal: AbortSignal.abort() });
    assert.deepEqual(before, { outcome: "cancelled", reason: "request-aborted" });
    assert.deepEqual(sent("ui.requestThreadInput"), []);
    const controller = new AbortController();
    const shown = svc.ui.requestInput(kRequest, { signal: controller.signal });
    controller.abort();
    assert.deepEqual(await shown, { outcome: "cancelled", reason: "request-aborted" });
    assert.deepEqual(sent("ui.cancelThreadInput"), ["1"]);
  });

  it("leaves a form to the end of the load when that aborts the call it belongs to", async () => {
    const { svc, sent } = host(() => new Promise((resolve) => setImmediate(resolve, { outcome: "cancelled", reason: "plugin-disposed" })));
    const controller = new AbortController();
    const shown = svc.ui.requestInput(kRequest, { signal: controller.signal });
    controller.abort(Object.assign(new Error("plugin-disposed"), { name: "AbortError" }));
    assert.deepEqual(await shown, { outcome: "cancelled", reason: "plugin-disposed" });
    assert.deepEqual(sent("ui.cancelThreadInput"), []);
    const late = await svc.ui.requestInput(kRequest, { signal: controller.signal });
    assert.deepEqual(late, { outcome: "cancelled", reason: "plugin-disposed" });
  });

  it("leaves a signal alone that is given up after the answer", async () => {
    const { svc, sent } = host(() => ({ outcome: "cancelled", reason: "user" }));
    const controller = new AbortController();
    await svc.ui.requestInput(kRequest, { signal: controller.signal });
    controller.abort();
    assert.deepEqual(sent("ui.cancelThreadInput"), []);
  });
});

describe("ui.registerThreadAction", () => {
  it("takes whatever it gets, and lists itself as unsupported", () => {
    const { svc, api } = loadUi();
    svc.ui.registerThreadAction({ id: "ship", title: "Ship it", confirm: true, run: () => undefined });
    svc.ui.registerThreadAction();
    assert.deepEqual(new Set(api.unsupportedMembers), new Set(["ui.registerThreadAction"]));
    assert.deepEqual(api.problems, []);
  });
});
