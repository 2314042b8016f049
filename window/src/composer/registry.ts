import { createStore, useStore } from "@/lib/store";
import type { ComposerModel } from "./model";

const onScreen = createStore<readonly ComposerModel[]>([]);

/** Announces a composer until the returned function is called. */
export function addComposer(model: ComposerModel): () => void {
  onScreen.update((all) => [...all, model]);
  return () => onScreen.update((all) => all.filter((other) => other !== model));
}

/** Every composer on screen, oldest first. */
export function useComposers(): readonly ComposerModel[] {
  return useStore(onScreen);
}

/** Called when a composer comes or goes. */
export const subscribeComposers = onScreen.subscribe;

/** The same outside of React. */
export function composersNow(): readonly ComposerModel[] {
  return onScreen.get();
}

/** Whether it still is one of them. Plugins keep what they were given. */
export function isOnScreen(model: ComposerModel): boolean {
  return onScreen.get().includes(model);
}

/** The composer of a surface, else that of the route; undefined when neither is on screen. */
export function findComposer(
  all: readonly ComposerModel[],
  { composerKey, threadId }: { composerKey?: string | undefined; threadId: string | null },
): ComposerModel | undefined {
  const own = composerKey === undefined ? undefined : all.find(({ key }) => key === composerKey);
  return (
    own ??
    all.find(({ scope }) => (threadId === null ? scope.kind === "new-thread" : scope.kind === "thread" && scope.threadId === threadId))
  );
}
