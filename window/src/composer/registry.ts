import { useSyncExternalStore } from "react";
export interface ComposerEntry { readonly key: string }
const none: readonly ComposerEntry[] = [];
export function useComposers(): readonly ComposerEntry[] {
  return useSyncExternalStore(() => () => undefined, () => none);
}
