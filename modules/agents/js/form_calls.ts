/** Which call of a tool a signal belongs to, so that a form finds who waits for it. */
const ids = new WeakMap<AbortSignal, string>();

/** `id` is the host's name of a call whose caller shows forms, or wants to know that one is shown in its thread. */
export function rememberFormCall(signal: AbortSignal, id: string): void {
  ids.set(signal, id);
}

export function formCallOf(signal: AbortSignal | undefined): string | undefined {
  return signal === undefined ? undefined : ids.get(signal);
}
