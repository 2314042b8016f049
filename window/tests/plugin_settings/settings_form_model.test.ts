import { describe, expect, it, vi } from "vitest";

import { SecretField } from "@/pages/plugin_settings/secret_field";
import { type SettingField, SettingsFormModel, searchFields } from "@/pages/plugin_settings/settings_form_model";
import type { SettingChanges, PluginSettingsAnswer } from "@/api/records";
import { ValueField } from "@/pages/plugin_settings/value_field";

import { invalidInput } from "./fixtures";

const view: PluginSettingsAnswer = {
  schema: {
    title: { type: "string", label: "Title" },
    apiKey: { type: "string", label: "API key", secret: true },
    verbose: { type: "boolean", label: "Verbose" },
  },
  values: { title: "Hello", apiKey: { set: false } },
};

function value(model: SettingsFormModel, key: string): ValueField {
  const field = model.fields.find((each) => each.key === key);
  if (!(field instanceof ValueField)) {
    throw new Error(`${key} is not a value`);
  }
  return field;
}

function secret(model: SettingsFormModel, key: string): SecretField {
  const field = model.fields.find((each) => each.key === key);
  if (!(field instanceof SecretField)) {
    throw new Error(`${key} is not a secret`);
  }
  return field;
}

/** A server with the values of `view`, which shows secrets as set or not. */
function server() {
  const stored: Record<string, unknown> = { ...view.values };
  return vi.fn(async (changes: SettingChanges): Promise<PluginSettingsAnswer> => {
    for (const [key, next] of Object.entries(changes)) {
      stored[key] = key === "apiKey" ? { set: next !== null } : (next ?? undefined);
    }
    return { schema: view.schema, values: { ...stored } as PluginSettingsAnswer["values"] };
  });
}

describe("SettingsFormModel", () => {
  it("keeps the order of the schema and tells secrets from values", () => {
    const model = new SettingsFormModel(view, server());
    expect(model.fields.map(({ key, kind }: SettingField) => [key, kind])).toEqual([
      ["title", "value"],
      ["apiKey", "secret"],
      ["verbose", "value"],
    ]);
  });

  it("sends one key per save and one save at a time", async () => {
    let release: (() => void) | undefined;
    const save = vi.fn(async (_changes: SettingChanges) => {
      await new Promise<void>((resolve) => (release = resolve));
      return view;
    });
    const model = new SettingsFormModel(view, save);
    value(model, "verbose").edit(true);
    value(model, "title").edit("Hey");
    void value(model, "title").commit();
    await vi.waitFor(() => expect(save).toHaveBeenCalledTimes(1));
    expect(save.mock.calls[0]).toEqual([{ verbose: true }]);
    release?.();
    await vi.waitFor(() => expect(save).toHaveBeenCalledTimes(2));
    expect(save.mock.calls[1]).toEqual([{ title: "Hey" }]);
    expect(model.isSaving).toBe(true);
    release?.();
    await vi.waitFor(() => expect(model.isSaving).toBe(false));
  });

  it("saves other fields although one was refused", async () => {
    const store = server();
    const save = vi.fn(async (changes: SettingChanges) =>
      "title" in changes ? Promise.reject(invalidInput("title", "Too short")) : store(changes),
    );
    const model = new SettingsFormModel(view, save);
    value(model, "title").edit("");
    await value(model, "title").commit();
    value(model, "verbose").edit(true);
    await vi.waitFor(() => expect(value(model, "verbose").store.get().save.kind).toBe("saved"));
    expect(value(model, "title").store.get()).toMatchObject({ draft: "", save: { kind: "failed", message: "Too short" } });
  });

  it("keeps fields that stay the same when the schema changes", () => {
    const model = new SettingsFormModel(view, server());
    const title = value(model, "title");
    const fields = model.fields;
    model.receive(view);
    expect(model.fields).toBe(fields);
    model.receive({
      schema: { title: { type: "string", label: "Title" }, more: { type: "number", label: "More" } },
      values: { title: "New" },
    });
    expect(model.fields.map(({ key }) => key)).toEqual(["title", "more"]);
    expect(value(model, "title")).toBe(title);
    expect(title.store.get().draft).toBe("New");
  });

  it("holds of a secret only whether it is set", async () => {
    const save = server();
    const model = new SettingsFormModel(view, save);
    const field = secret(model, "apiKey");
    expect(field.store.get()).toEqual({ isSet: false, save: { kind: "idle" } });
    await expect(field.write("s3cret")).resolves.toBe(true);
    expect(save.mock.calls).toEqual([[{ apiKey: "s3cret" }]]);
    expect(field.store.get()).toEqual({ isSet: true, save: { kind: "saved" } });
    expect(JSON.stringify(model)).not.toContain("s3cret");
    await expect(field.clear()).resolves.toBe(true);
    expect(field.store.get()).toEqual({ isSet: false, save: { kind: "saved" } });
  });

  it("never sends a refused secret twice, and an empty one not at all", async () => {
    const save = vi.fn(async () => Promise.reject(invalidInput("apiKey", "Wrong prefix")));
    const field = secret(new SettingsFormModel(view, save), "apiKey");
    await expect(field.write("bad")).resolves.toBe(false);
    await expect(field.write("bad")).resolves.toBe(false);
    await expect(field.write("")).resolves.toBe(false);
    expect(save).toHaveBeenCalledTimes(1);
    expect(field.store.get().save.kind).toBe("failed");
    field.edit();
    expect(field.store.get().save.kind).toBe("idle");
  });

  it("saves drafts that wait for the end of typing when the page is left", async () => {
    const save = server();
    const model = new SettingsFormModel(view, save);
    value(model, "title").edit("Bye");
    model.flush();
    await vi.waitFor(() => expect(save.mock.calls).toEqual([[{ title: "Bye" }]]));
  });
});

describe("searchFields", () => {
  it("looks in key, label and description", () => {
    const model = new SettingsFormModel(view, server());
    expect(searchFields(model.fields, " api  key ").map(({ key }) => key)).toEqual(["apiKey"]);
    expect(searchFields(model.fields, "")).toBe(model.fields);
    expect(searchFields(model.fields, "nothing")).toEqual([]);
  });
});
