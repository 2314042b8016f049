import { abortError } from "../../plugins/js/policy/thrown";

/** What a call rejects with whose signal was aborted. */
export function reasonOf(signal: AbortSignal | undefined, path: string): unknown {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name === "AbortError" ? reason : abortError(`svc.sdk.${path} was aborted`);
}
