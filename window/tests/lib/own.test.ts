import { expect, it } from "vitest";

import { previewKindOf } from "@/files/preview_kind";
import { ownMember } from "@/lib/own";
import { platformName } from "@/pages/machines/state";
import { argumentsOf } from "@/pages/plugins/tool_form";
import { languageOfPath } from "@/sdk_app/languages";
import { visibleSettings } from "@/sdk_app/settings";
import { failureText } from "@/threads/turn_failure_text";
import { findLucideImport } from "@/ui/lucide";

it("finds what a table has of its own, and nothing that every object has", () => {
  const table = { a: 1, ["__proto__"]: 2 };
  expect(["a", "b", "__proto__", "constructor", "toString"].map((name) => ownMember(table, name))).toEqual([
    1,
    undefined,
    2,
    undefined,
    undefined,
  ]);
});

it("takes names from outside for what they are", async () => {
  expect(languageOfPath("src/constructor")).toBeUndefined();
  expect(languageOfPath("a.constructor")).toBe("constructor");
  expect(previewKindOf("a.constructor")).toBe("text");
  expect(platformName("constructor-x64")).toBe("constructor, x64");
  expect(failureText({ code: "constructor", message: "No." }, { hasBegun: true }).title).toBe("The agent could not finish");
  expect(await findLucideImport("constructor")).toBeUndefined();
});

it("reads and writes members of such names", () => {
  const field = { kind: "text", isRequired: false, description: "", options: [] } as const;
  const fields = ["constructor", "__proto__"].map((name) => ({ ...field, name }));
  expect(argumentsOf(fields, {})).toEqual({ value: {} });
  const read = argumentsOf(fields, { constructor: "a", ["__proto__"]: "b" });
  expect(JSON.stringify(read)).toBe('{"value":{"constructor":"a","__proto__":"b"}}');
  const schema = JSON.parse('{"__proto__":{"type":"string","label":"P"}}') as Parameters<typeof visibleSettings>[0]["schema"];
  expect(JSON.stringify(visibleSettings({ schema, values: JSON.parse('{"__proto__":"x"}') }))).toBe('{"__proto__":"x"}');
});
