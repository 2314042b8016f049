import type { JsonValue } from "#sdk/json.js";
import type { PluginSettingsAnswer, SettingChanges, SettingDescriptor } from "@/api/records";

import { ownMember } from "@/lib/own";
import { createStore } from "@/lib/store";

import { SecretField } from "./secret_field";
import { ValueField } from "./value_field";

export type SettingField = ValueField | SecretField;

function isSecretSet(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && value.set === true;
}

/**
 * The fields of one plugin's settings. Saves go one after the other, each with one key: a refused value never holds back
 * another field's, and an older answer never overwrites a newer one.
 */
export class SettingsFormModel {
  readonly store = createStore<readonly SettingField[]>([]);
  private byKey = new Map<string, SettingField>();
  private queue: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** `save` stores changes and gives back what the server then has. */
  constructor(
    view: PluginSettingsAnswer,
    private readonly save: (changes: SettingChanges) => Promise<PluginSettingsAnswer>,
  ) {
    this.receive(view);
  }

  /** In the order of declaration. Another array after the schema changed. */
  get fields(): readonly SettingField[] {
    return this.store.get();
  }

  /** Takes over what the server has. Fields whose declaration is the same keep what is being typed. */
  receive(view: PluginSettingsAnswer): void {
    const next = new Map<string, SettingField>();
    for (const [key, descriptor] of Object.entries(view.schema)) {
      next.set(key, this.updated(key, descriptor, ownMember(view.values, key)));
    }
    const fields = [...next.values()];
    const isSame = fields.length === this.store.get().length && fields.every((field, index) => field === this.store.get()[index]);
    for (const [key, field] of this.byKey) {
      if (next.get(key) !== field) {
        field.dispose();
      }
    }
    this.byKey = next;
    if (!isSame) {
      this.store.set(fields);
    }
  }

  /** True while a save is under way: answers of earlier reads are older than what the form has. */
  get isSaving(): boolean {
    return this.waiting > 0;
  }

  /** Saves every draft now, when the page is left. */
  flush(): void {
    for (const field of this.store.get()) {
      if (field.kind === "value") {
        void field.commit();
      }
    }
  }

  private updated(key: string, descriptor: SettingDescriptor, value: JsonValue | undefined): SettingField {
    const known = this.byKey.get(key);
    if (known !== undefined && JSON.stringify(known.descriptor) === JSON.stringify(descriptor)) {
      if (known.kind === "secret") {
        known.receive(isSecretSet(value));
      } else {
        known.receive(value);
      }
      return known;
    }
    const send = (name: string, next: JsonValue | null) => this.enqueue({ [name]: next });
    return descriptor.secret === true
      ? new SecretField(key, descriptor, isSecretSet(value), send)
      : new ValueField(key, descriptor, value, send);
  }

  private enqueue(changes: SettingChanges): Promise<void> {
    this.waiting += 1;
    const result = this.queue.then(async () => {
      try {
        this.receive(await this.save(changes));
      } finally {
        this.waiting -= 1;
      }
    });
    this.queue = result.catch(() => undefined);
    return result;
  }
}

/** Fields in which every word of the query occurs in key, label or description. */
export function searchFields(fields: readonly SettingField[], query: string): readonly SettingField[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return fields;
  }
  return fields.filter(({ key, descriptor }) => {
    const text = `${key}\n${descriptor.label}\n${descriptor.description ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
