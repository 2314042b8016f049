import { type ComponentType, lazy } from "react";

import type { ThreadChatProps } from "#sdk/app/components.js";

let bound: ComponentType<ThreadChatProps> | null = null;

/** Hands in what shows a thread: it stands above this folder. */
export function bindThreadChat(load: () => Promise<{ default: ComponentType<ThreadChatProps> }>): void {
  bound = lazy(load);
}

/** Null where nothing was bound. */
export function boundThreadChat(): ComponentType<ThreadChatProps> | null {
  return bound;
}
