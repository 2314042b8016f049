import type { ComposerDraft } from "@/composer/model";
import { composersNow, findComposer } from "@/composer/registry";

/** Puts what was written for a thread to where its next message is written. False where nobody can write one. */
export function handBack(threadId: string, draft: ComposerDraft): boolean {
  const composer = findComposer(composersNow(), { threadId });
  composer?.append(draft);
  return composer !== undefined;
}

/** The same for somebody who asked for it: the focus goes there too. */
export function takeUp(threadId: string, draft: ComposerDraft): boolean {
  const isThere = handBack(threadId, draft);
  findComposer(composersNow(), { threadId })?.focus();
  return isThere;
}
