import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { decorationsOf, segmentsOf } from "@/composer/decorations";
import { keepDraft, loadDraft } from "@/composer/draft_store";
import { findMentionQuery } from "@/composer/mention_query";
import { editBetween } from "#sdk/app_policy/composer_text.js";
import { inputOf } from "@/composer/send";

import { activePlugin } from "../plugins/fake_plugins";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const caretAt = (at: number) => ({ start: at, end: at });

describe("editBetween", () => {
  it.each([
    ["", "a", undefined, { start: 0, end: 0, inserted: "a" }],
    ["abc", "ac", undefined, { start: 1, end: 2, inserted: "" }],
    ["aaa", "aaaa", 1, { start: 1, end: 1, inserted: "a" }],
    ["aaa", "aaaa", 4, { start: 3, end: 3, inserted: "a" }],
    ["one two", "one 2", undefined, { start: 4, end: 7, inserted: "2" }],
    ["same", "same", undefined, { start: 4, end: 4, inserted: "" }],
  ])("finds what changed from %j to %j", (before, after, caret, edit) => {
    expect(editBetween(before, after, caret)).toEqual(edit);
  });
});

describe("findMentionQuery", () => {
  const find = (text: string, caret = text.length, mentions: never[] = []) =>
    findMentionQuery({ text, selection: caretAt(caret), mentions }, ["@", "#"]);

  it.each([
    ["@", { trigger: "@", query: "", start: 0, end: 1 }],
    ["hi @ad", { trigger: "@", query: "ad", start: 3, end: 6 }],
    ["(#12", { trigger: "#", query: "12", start: 1, end: 4 }],
  ])("finds the query at the end of %j", (text, query) => {
    expect(find(text)).toEqual(query);
  });

  it.each(["mail ada@example", "@ada done", "!x", `@${"x".repeat(80)}`])("finds none at the end of %j", (text) => {
    expect(find(text)).toBeNull();
  });

  it("leaves a mention that stands there alone", () => {
    const mention = { provider: "p", id: "1", label: "Ada", start: 0, end: 4 };
    expect(findMentionQuery({ text: "@Ada", selection: caretAt(4), mentions: [mention] }, ["@"])).toBeNull();
  });

  it("finds none while a range is selected", () => {
    expect(findMentionQuery({ text: "@ad", selection: { start: 0, end: 3 }, mentions: [] }, ["@"])).toBeNull();
  });
});

describe("decorations", () => {
  const owned = (match: (text: string) => { start: number; end: number }[]) => ({
    plugin: activePlugin(),
    customizationId: "c",
    effect: { id: "e", match, className: "wavy" },
  });

  it("cuts the text where they start and end", () => {
    const decorations = decorationsOf(
      "abcdef",
      [{ provider: "p", id: "1", label: "x", start: 2, end: 4 }],
      [owned(() => [{ start: 0, end: 3 }])],
    );
    const segments = segmentsOf(6, decorations);
    expect(segments.map(({ start, end, over }) => [start, end, over.map(({ pluginId }) => pluginId)])).toEqual([
      [0, 2, ["todo"]],
      [2, 3, ["todo", null]],
      [3, 4, [null]],
      [4, 6, []],
    ]);
  });

  it("leaves out an effect that throws, and does not ask it again", () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const match = vi.fn(() => {
      throw new Error("boom");
    });
    const effect = owned(match);
    expect(decorationsOf("a", [], [effect])).toEqual([]);
    expect(decorationsOf("ab", [], [effect])).toEqual([]);
    expect(match).toHaveBeenCalledOnce();
    expect(error).toHaveBeenCalledOnce();
  });

  it("keeps ranges inside of the text", () => {
    const ranges = [
      { start: -5, end: 99 },
      { start: 3, end: 1 },
      { start: Number.NaN, end: 2 },
    ];
    expect(decorationsOf("abc", [], [owned(() => ranges)])).toMatchObject([{ start: 0, end: 3 }]);
  });
});

describe("the kept draft", () => {
  beforeEach(() => sessionStorage.clear());
  afterEach(() => vi.restoreAllMocks());

  it("is there again for the same tab", () => {
    const draft = { text: "@Ada hi", mentions: [{ provider: "p", id: "1", label: "Ada", start: 0, end: 4 }], attachments: [] };
    keepDraft("k", draft);
    expect(loadDraft("k")).toEqual(draft);
    keepDraft("k", { text: "", mentions: [], attachments: [] });
    expect(loadDraft("k")).toBeUndefined();
  });

  it.each(["{", "null", '{"text":1}', '{"text":"a"}'])("ignores %s", (stored) => {
    sessionStorage.setItem("svc.draft.k", stored);
    expect(loadDraft("k")).toBeUndefined();
  });

  it("drops mentions that are not in the text", () => {
    sessionStorage.setItem(
      "svc.draft.k",
      JSON.stringify({ text: "a", mentions: [{ provider: "p", id: "1", label: "x", start: 0, end: 9 }, 7] }),
    );
    expect(loadDraft("k")).toEqual({ text: "a", mentions: [], attachments: [] });
  });
});

describe("a message for the service", () => {
  it("names the plugin and the item of each mention, and sends those of nobody as text", async () => {
    const ada = { provider: "people", id: "1", label: "Ada", start: 0, end: 4 };
    const message = {
      text: "@Ada @Bob",
      mentions: [
        { ...ada, pluginId: "todo" },
        { ...ada, label: "Bob", start: 5, end: 9 },
      ],
      attachments: [],
    };
    expect(await inputOf(message, null)).toEqual([
      {
        type: "text",
        text: "@Ada @Bob",
        mentions: [{ start: 0, end: 4, resource: { kind: "plugin", pluginId: "todo", itemId: "people:1", label: "Ada" } }],
      },
    ]);
  });
});
