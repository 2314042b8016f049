import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/agents/js/mentions.ts");
const provider = (extra = {}) => ({ id: "notes", label: "Notes", search: () => [], resolve: () => ({ context: "" }), ...extra });

function registered(extra) {
  const part = load();
  part.svc.ui.registerMentionProvider(provider(extra));
  const run =
    (name) =>
    (body, id = "notes", call = new FakeCall()) =>
      outcomeOf(async () => JSON.parse(await part.runtime.handlers.get(name)(id, JSON.stringify(body), call)));
  return { ...part, search: run("mentions.search"), resolve: run("mentions.resolve") };
}

describe("ui.registerMentionProvider", () => {
  const refused = [
    ["a bad id", provider({ id: "a b" }), /the id "a b" must be/],
    ["a blank label", provider({ label: "" }), /label of provider "notes" must be non-blank text/],
    ["no search", provider({ search: undefined }), /search of provider "notes" must be a function/],
    ["no resolve", provider({ resolve: 1 }), /resolve of provider "notes" must be a function/],
    ["an unknown trigger", provider({ triggers: ["%"] }), /triggers of provider "notes" has "%", which is not one of @ # \$ ! ~/],
    ["no triggers", provider({ triggers: [] }), /must be an array with at least one/],
  ];
  for (const [what, value, message] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => load().svc.ui.registerMentionProvider(value), { name: "TypeError", message });
    });
  }

  it("shows id, label and triggers, with @ as the default", () => {
    const { svc, api } = registered();
    svc.ui.registerMentionProvider(provider({ id: "tags", triggers: ["#", "#", "!"] }));
    assert.deepEqual(api.registrations.get("mention-providers"), [
      { id: "notes", label: "Notes", triggers: ["@"] },
      { id: "tags", label: "Notes", triggers: ["#", "!"] },
    ]);
    assert.throws(() => svc.ui.registerMentionProvider(provider()), { message: /duplicate name "notes"/ });
  });
});

describe("mention search and resolve", () => {
  it("hands over the query and answers the first fifty items", async () => {
    let seen;
    const { search } = registered({
      search: async (query) => {
        seen = { ...query };
        return Array.from({ length: 60 }, (_, index) => ({ id: `${index}`, title: "t", subtitle: index === 0 ? "s" : undefined }));
      },
    });
    const query = { trigger: "@", query: "x", projectId: null, threadId: "thr_1" };
    const { value } = await search(query);
    assert.deepEqual(seen, query);
    assert.equal(value.length, 50);
    assert.deepEqual(value[0], { itemId: "0", title: "t", subtitle: "s", icon: null });
  });

  it("fails with words for what is no list of items", async () => {
    assert.match((await registered({ search: () => "x" }).search({})).error.message, /it returned a string, expected an array of items/);
    assert.match((await registered({ search: () => [{ id: 1 }] }).search({})).error.message, /item 0 is not { id, title/);
    const { error } = await registered({
      search: () => {
        throw new Error("no");
      },
    }).search({});
    assert.equal(error.wireCode, "handler_error");
    assert.equal(error.message, 'search of mention provider "notes" failed: no');
    assert.equal((await registered().search({}, "gone")).error.wireCode, "not_found");
  });

  it("resolves an item to context and images", async () => {
    const images = [
      { type: "image", url: "http://x/y" },
      { type: "localImage", path: "/a", context: "c" },
    ];
    const { resolve } = registered({ resolve: (id) => ({ context: `item ${id}`, experimental_images: images }) });
    assert.deepEqual((await resolve("7")).value, { context: "item 7", images });
    assert.match((await registered({ resolve: () => ({}) }).resolve("7")).error.message, /it returned no { context } text/);
    const odd = registered({ resolve: () => ({ context: "", experimental_images: [{ type: "image" }] }) });
    assert.match((await odd.resolve("7")).error.message, /experimental_images\[0\] is neither/);
  });
});
