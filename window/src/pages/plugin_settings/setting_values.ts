import type { JsonValue } from "#sdk/json.js";
import type { SettingDescriptor } from "@/api/records";

/** What a control holds: text of text-like fields, the position of a switch. */
export type Draft = string | boolean;

export type ParsedDraft = { value: JsonValue | null } | { issue: string };

const kNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What a control shows for a saved value. */
export function toDraft(descriptor: SettingDescriptor, value: JsonValue | undefined): Draft {
  if (descriptor.type === "boolean") {
    return value === true;
  }
  return value === undefined || value === null ? "" : typeof value === "string" ? value : String(value);
}

/** The value of a draft; null for an empty field of a type that has no empty value. */
export function parseDraft(descriptor: SettingDescriptor, draft: Draft): ParsedDraft {
  if (typeof draft === "boolean" || descriptor.type === "string") {
    return { value: draft };
  }
  const text = draft.trim();
  if (text === "") {
    return { value: null };
  }
  if (descriptor.type !== "number") {
    return { value: text };
  }
  const number = Number(text);
  return kNumber.test(text) && Number.isFinite(number) ? { value: number } : { issue: "Enter a number, such as 12 or 0.5." };
}

/** True when saving the draft would change nothing. */
export function isSameValue(descriptor: SettingDescriptor, parsed: JsonValue | null, saved: JsonValue | undefined): boolean {
  if (saved === undefined) {
    // A switch that was never set shows "off", an unset text shows nothing: neither is a change.
    return parsed === null || parsed === "" || parsed === false;
  }
  if (parsed === null) {
    return descriptor.default === saved;
  }
  return parsed === saved;
}
