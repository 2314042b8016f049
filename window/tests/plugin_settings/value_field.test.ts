import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { SettingDescriptor } from "@/api/records";
import { kAutosave, ValueField } from "@/pages/plugin_settings/value_field";

import { invalidInput, networkError } from "./fixtures";

const text: SettingDescriptor = { type: "string", label: "Title", default: "Hello" };
const number: SettingDescriptor = { type: "number", label: "Limit" };
const flag: SettingDescriptor = { type: "boolean", label: "Verbose" };

/** A server that stores what it is sent, as the form does with its answer. */
function accepting(field: () => ValueField) {
  return vi.fn(async (_key: string, value: unknown) => {
    field().receive(value === null ? field().descriptor.default : (value as never));
  });
}

function fieldOf(descriptor: SettingDescriptor, value: string | number | boolean | undefined) {
  let field!: ValueField;
  const send = accepting(() => field);
  field = new ValueField("key", descriptor, value, send);
  return { field, send };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("ValueField", () => {
  it("saves text after a pause in typing, once", async () => {
    const { field, send } = fieldOf(text, "Hello");
    field.edit("Hell");
    await vi.advanceTimersByTimeAsync(kAutosave - 1);
    field.edit("Hey");
    await vi.advanceTimersByTimeAsync(kAutosave - 1);
    expect(send).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(send.mock.calls).toEqual([["key", "Hey"]]);
    expect(field.store.get()).toEqual({ draft: "Hey", save: { kind: "saved" }, canReset: true });
  });

  it("saves on blur and not again when the pause is over", async () => {
    const { field, send } = fieldOf(text, "Hello");
    field.edit("Hey");
    await field.blur();
    await vi.advanceTimersByTimeAsync(kAutosave);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("sends nothing for a field that was only visited or edited back", async () => {
    const { field, send } = fieldOf(text, "Hello");
    await field.blur();
    field.edit("Hey");
    field.edit("Hello");
    await field.blur();
    expect(send).not.toHaveBeenCalled();
    expect(field.store.get().save.kind).toBe("idle");
  });

  it("saves a switch at once", async () => {
    const { field, send } = fieldOf(flag, undefined);
    field.edit(true);
    expect(send.mock.calls).toEqual([["key", true]]);
  });

  it("refuses text that is no number without asking the server", async () => {
    const { field, send } = fieldOf(number, 5);
    field.edit("five");
    await field.blur();
    expect(send).not.toHaveBeenCalled();
    expect(field.store.get()).toMatchObject({ draft: "five", save: { kind: "failed", canRetry: false } });
  });

  it("resets an emptied number, whose type has no empty value", async () => {
    const { field, send } = fieldOf(number, 5);
    field.edit(" ");
    await field.blur();
    expect(send.mock.calls).toEqual([["key", null]]);
    expect(field.store.get()).toMatchObject({ draft: "", canReset: false });
  });

  it("keeps a refused draft in the field and never sends it twice", async () => {
    const send = vi.fn(async () => Promise.reject(invalidInput("key", "At most 10")));
    const field = new ValueField("key", number, 5, send);
    field.edit("50");
    await field.blur();
    expect(field.store.get()).toMatchObject({ draft: "50", save: { kind: "failed", message: "At most 10", canRetry: false } });
    field.edit("500");
    field.edit("50");
    await field.blur();
    expect(send).toHaveBeenCalledTimes(1);
    expect(field.store.get().save).toMatchObject({ kind: "failed", message: "At most 10" });
  });

  it("sends a draft again that failed on the way to the server", async () => {
    const send = vi.fn().mockRejectedValueOnce(networkError());
    const field = new ValueField("key", text, "Hello", send);
    field.edit("Hey");
    await field.blur();
    expect(field.store.get().save).toMatchObject({ kind: "failed", canRetry: true });
    await field.commit();
    expect(send).toHaveBeenCalledTimes(2);
  });

  it("saves what was typed while a save was under way", async () => {
    const answers: (() => void)[] = [];
    let field!: ValueField;
    const send = vi.fn(
      (_key: string, value: unknown) =>
        new Promise<void>((resolve) => {
          answers.push(() => {
            field.receive(value as never);
            resolve();
          });
        }),
    );
    field = new ValueField("key", text, "Hello", send);
    field.edit("A");
    void field.commit();
    field.edit("AB");
    await field.commit();
    expect(send).toHaveBeenCalledTimes(1);
    answers[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(send.mock.calls.map(([, value]) => value)).toEqual(["A", "AB"]);
    answers[1]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(field.store.get()).toMatchObject({ draft: "AB", save: { kind: "saved" } });
  });

  it("shows another window's value unless this one is editing the field", async () => {
    const { field } = fieldOf(text, "Hello");
    field.receive("Theirs");
    expect(field.store.get().draft).toBe("Theirs");
    field.edit("Mine");
    field.receive("Theirs again");
    expect(field.store.get().draft).toBe("Mine");
  });

  it("does not touch what stands in a field between two pauses of typing", async () => {
    const { field } = fieldOf(number, 5);
    field.edit("7.");
    await vi.advanceTimersByTimeAsync(kAutosave);
    expect(field.store.get()).toMatchObject({ draft: "7.", save: { kind: "saved" } });
    field.receive(9);
    expect(field.store.get().draft).toBe("7.");
    await field.blur();
    expect(field.store.get().draft).toBe("9");
  });

  it("resets to the default", async () => {
    const { field, send } = fieldOf(text, "Hey");
    expect(field.store.get().canReset).toBe(true);
    await field.reset();
    expect(send.mock.calls).toEqual([["key", null]]);
    expect(field.store.get()).toEqual({ draft: "Hello", save: { kind: "saved" }, canReset: false });
  });
});
