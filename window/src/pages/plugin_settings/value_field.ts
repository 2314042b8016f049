import type { JsonValue } from "#sdk/json.js";
import type { SettingDescriptor } from "@/api/records";

import { createStore, type Store } from "@/lib/store";

import { type SaveState, type SendValue, kIdle, kSaved, kSaving, saveFailure } from "./field_state";
import { type Draft, isSameValue, parseDraft, toDraft } from "./setting_values";

/** `L:autosave`: a text or number is saved after this long without typing, in milliseconds. */
export const kAutosave = 800;

export interface ValueSnapshot {
  readonly draft: Draft;
  readonly save: SaveState;
  /** True when there is something to reset: a value other than the default. */
  readonly canReset: boolean;
}

/** One setting that is not a secret: its draft, when it is saved, and what became of it. */
export class ValueField {
  readonly kind = "value";
  readonly store: Store<ValueSnapshot>;
  private saved: JsonValue | undefined;
  private isTouched = false;
  /** The person is in the field and has typed: nothing may replace what stands there. */
  private isEdited = false;
  private sent: JsonValue | null | undefined;
  private refused: { value: JsonValue | null; message: string } | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly key: string,
    readonly descriptor: SettingDescriptor,
    value: JsonValue | undefined,
    private readonly send: SendValue,
  ) {
    this.saved = value;
    this.store = createStore({ draft: toDraft(descriptor, value), save: kIdle, canReset: this.canReset() });
  }

  /** Switches and dropdowns are saved at once, text when typing pauses. */
  edit(draft: Draft): void {
    this.isTouched = true;
    this.isEdited = true;
    clearTimeout(this.timer);
    this.store.set({ ...this.store.get(), draft, save: this.store.get().save.kind === "saving" ? kSaving : kIdle });
    if (this.descriptor.type === "boolean" || this.descriptor.type === "select") {
      void this.commit();
    } else {
      this.timer = setTimeout(() => void this.commit(), kAutosave);
    }
  }

  /** Leaving the field saves what stands there. */
  async blur(): Promise<void> {
    this.isEdited = false;
    await this.commit();
    if (!this.isTouched && !this.isEdited) {
      this.store.set({ ...this.store.get(), draft: toDraft(this.descriptor, this.saved) });
    }
  }

  async reset(): Promise<void> {
    clearTimeout(this.timer);
    this.isTouched = true;
    this.isEdited = false;
    await this.put(null);
  }

  /** Saves the draft unless it is what is saved, is being saved, cannot be read, or was refused before. */
  async commit(): Promise<void> {
    clearTimeout(this.timer);
    if (!this.isTouched) {
      return;
    }
    const parsed = parseDraft(this.descriptor, this.store.get().draft);
    if ("issue" in parsed) {
      this.fail(parsed.issue, false);
    } else if (this.sent !== undefined) {
      // One save at a time; its end looks at the draft again.
    } else if (isSameValue(this.descriptor, parsed.value, this.saved)) {
      this.isTouched = false;
      this.store.set({ ...this.store.get(), save: kIdle });
    } else if (this.refused !== undefined && this.refused.value === parsed.value) {
      this.fail(this.refused.message, false);
    } else {
      await this.put(parsed.value);
    }
  }

  /** A value from the server: shown unless the person is changing this very field. */
  receive(value: JsonValue | undefined): void {
    if (this.saved !== value) {
      this.refused = undefined;
    }
    this.saved = value;
    const keeps = this.isTouched || this.isEdited;
    const draft = keeps ? this.store.get().draft : toDraft(this.descriptor, value);
    const canReset = this.canReset();
    if (draft !== this.store.get().draft || canReset !== this.store.get().canReset) {
      this.store.set({ ...this.store.get(), draft, canReset });
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private async put(value: JsonValue | null): Promise<void> {
    const draft = this.store.get().draft;
    this.sent = value;
    this.store.set({ ...this.store.get(), save: kSaving });
    try {
      await this.send(this.key, value);
      this.sent = undefined;
      this.refused = undefined;
      this.settle(value, draft);
    } catch (error) {
      this.sent = undefined;
      const { message, isRefused } = saveFailure(this.key, error);
      this.refused = isRefused ? { value, message } : undefined;
      this.afterFailure(value, message, !isRefused);
    }
  }

  private settle(value: JsonValue | null, sentDraft: Draft): void {
    if (value !== null && this.store.get().draft !== sentDraft) {
      void this.commit();
      return;
    }
    this.isTouched = false;
    const draft = this.isEdited ? this.store.get().draft : toDraft(this.descriptor, this.saved);
    this.store.set({ draft, save: kSaved, canReset: this.canReset() });
  }

  private afterFailure(value: JsonValue | null, message: string, canRetry: boolean): void {
    const parsed = parseDraft(this.descriptor, this.store.get().draft);
    if (value !== null && "value" in parsed && parsed.value !== value) {
      // The draft went on while the refused value was under way: the failure is about what no longer stands there.
      this.store.set({ ...this.store.get(), save: kIdle });
      this.timer = setTimeout(() => void this.commit(), kAutosave);
    } else {
      this.fail(message, canRetry);
    }
  }

  private fail(message: string, canRetry: boolean): void {
    this.store.set({ ...this.store.get(), save: { kind: "failed", message, canRetry } });
  }

  private canReset(): boolean {
    return this.saved !== undefined && this.saved !== this.descriptor.default;
  }
}
