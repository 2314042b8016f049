import type { SettingDescriptor } from "@/api/records";

import { createStore, type Store } from "@/lib/store";

import { type SaveState, type SendValue, kIdle, kSaved, kSaving, saveFailure } from "./field_state";

export interface SecretSnapshot {
  readonly isSet: boolean;
  readonly save: SaveState;
}

/** One secret: it can be written and cleared, never read. What is typed stays in its input until it is saved. */
export class SecretField {
  readonly kind = "secret";
  readonly store: Store<SecretSnapshot>;
  private refused: { secret: string; message: string } | undefined;

  constructor(
    readonly key: string,
    readonly descriptor: SettingDescriptor,
    isSet: boolean,
    private readonly send: SendValue,
  ) {
    this.store = createStore({ isSet, save: kIdle });
  }

  /** True when the secret is stored: the input is emptied then. */
  async write(secret: string): Promise<boolean> {
    if (this.store.get().save.kind === "saving") {
      return false;
    }
    if (secret === "") {
      this.fail("Enter the new value, or use Clear to remove the saved one.", false);
      return false;
    }
    if (this.refused?.secret === secret) {
      this.fail(this.refused.message, false);
      return false;
    }
    return this.put(secret);
  }

  async clear(): Promise<boolean> {
    return this.store.get().save.kind === "saving" ? false : this.put(null);
  }

  /** Another value is being typed. */
  edit(): void {
    if (this.store.get().save.kind === "failed" || this.store.get().save.kind === "saved") {
      this.store.set({ ...this.store.get(), save: kIdle });
    }
  }

  receive(isSet: boolean): void {
    if (isSet !== this.store.get().isSet) {
      this.store.set({ ...this.store.get(), isSet });
    }
  }

  dispose(): void {
    this.refused = undefined;
  }

  private async put(secret: string | null): Promise<boolean> {
    this.store.set({ ...this.store.get(), save: kSaving });
    try {
      await this.send(this.key, secret);
      this.refused = undefined;
      this.store.set({ isSet: secret !== null, save: kSaved });
      return true;
    } catch (error) {
      const { message, isRefused } = saveFailure(this.key, error);
      this.refused = isRefused && secret !== null ? { secret, message } : undefined;
      this.fail(message, !isRefused);
      return false;
    }
  }

  private fail(message: string, canRetry: boolean): void {
    this.store.set({ ...this.store.get(), save: { kind: "failed", message, canRetry } });
  }
}
