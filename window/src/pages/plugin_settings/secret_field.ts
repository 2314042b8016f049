import type { SettingDescriptor } from "@/api/records";

import { type SaveState, type SendValue, Observable, kIdle, kSaved, kSaving, saveFailure } from "./field_state";

export interface SecretSnapshot {
  readonly isSet: boolean;
  readonly save: SaveState;
}

/** One secret: it can be written and cleared, never read. What is typed stays in its input until it is saved. */
export class SecretField extends Observable<SecretSnapshot> {
  readonly kind = "secret";
  protected current: SecretSnapshot;
  private refused: { secret: string; message: string } | undefined;

  constructor(
    readonly key: string,
    readonly descriptor: SettingDescriptor,
    isSet: boolean,
    private readonly send: SendValue,
  ) {
    super();
    this.current = { isSet, save: kIdle };
  }

  /** True when the secret is stored: the input is emptied then. */
  async write(secret: string): Promise<boolean> {
    if (this.current.save.kind === "saving") {
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
    return this.store(secret);
  }

  async clear(): Promise<boolean> {
    return this.current.save.kind === "saving" ? false : this.store(null);
  }

  /** Another value is being typed. */
  edit(): void {
    if (this.current.save.kind === "failed" || this.current.save.kind === "saved") {
      this.change({ ...this.current, save: kIdle });
    }
  }

  receive(isSet: boolean): void {
    if (isSet !== this.current.isSet) {
      this.change({ ...this.current, isSet });
    }
  }

  dispose(): void {
    this.refused = undefined;
  }

  private async store(secret: string | null): Promise<boolean> {
    this.change({ ...this.current, save: kSaving });
    try {
      await this.send(this.key, secret);
      this.refused = undefined;
      this.change({ isSet: secret !== null, save: kSaved });
      return true;
    } catch (error) {
      const { message, isRefused } = saveFailure(this.key, error);
      this.refused = isRefused && secret !== null ? { secret, message } : undefined;
      this.fail(message, !isRefused);
      return false;
    }
  }

  private fail(message: string, canRetry: boolean): void {
    this.change({ ...this.current, save: { kind: "failed", message, canRetry } });
  }
}
