import { createContext, type ReactNode, type RefObject, use, useSyncExternalStore } from "react";

import type { TimelineRow } from "#sdk/records.js";

import type { GrowingText } from "@/lib/growing_text";
import type { SurfaceContext } from "@/plugins/mount_context";
import { createStore, type Store, useStore } from "@/lib/store";
import type { VirtualListHandle } from "@/ui/virtual_list";
import type { TimelineStore } from "./timeline_store";

/** What a plugin that shows a thread adds to the bar of its messages. */
export interface ExtraMessageAction {
  readonly id: string;
  readonly title: string;
  readonly icon?: string | undefined;
  readonly roles: readonly ("user" | "assistant")[];
  run(message: { id: string; threadId: string; role: "user" | "assistant"; text: string; sourceSeqEnd: number }): unknown;
}

/** What all rows of one shown thread have in common. */
export interface ThreadView {
  readonly threadId: string;
  readonly projectId: string | null;
  readonly surface: SurfaceContext;
  readonly store: TimelineStore;
  readonly list: RefObject<VirtualListHandle | null>;
  /** Which rows somebody opened or closed; outside of the rows, which leave the page while they are scrolled away. */
  readonly unfolded: Store<ReadonlyMap<string, boolean>>;
  /** The event of a message that somebody is led to and that a turn folds; null once it is shown. */
  readonly sought: Store<number | null>;
  /** How rows within rows are shown. */
  renderRow(this: void, shown: ShownRow): ReactNode;
  readonly extraActions: readonly ExtraMessageAction[];
  /** Absent where messages cannot be changed. */
  readonly onFork?: ((sourceSeqEnd: number) => void) | undefined;
  readonly onEdit?: ((row: TimelineRow & { kind: "conversation" }) => void) | undefined;
  /** Asks the last turn again; absent while it did not fail. */
  readonly onRetry?: (() => void) | undefined;
}

export const createUnfolded = (): Store<ReadonlyMap<string, boolean>> => createStore<ReadonlyMap<string, boolean>>(new Map());

export const ThreadViewContext = createContext<ThreadView | null>(null);

export function useThreadView(): ThreadView {
  const view = use(ThreadViewContext);
  if (view === null) {
    throw new Error("rows of a thread are shown in a ThreadViewContext only");
  }
  return view;
}

/** A row with what streams into it. */
export interface ShownRow {
  readonly row: TimelineRow;
  /** Null for rows that do not stream. */
  readonly text: GrowingText | null;
  readonly isStreaming: boolean;
}

/** One row of the timeline; renders anew only for changes of its own. */
export function useShownRow(id: string): ShownRow | null {
  const { store } = useThreadView();
  useSyncExternalStore(
    (listener) => store.subscribeRow(id, listener),
    () => store.version(id),
  );
  const row = store.row(id);
  return row === undefined ? null : { row, text: store.text(id) ?? null, isStreaming: store.isStreaming(id) };
}

/** Whether a row is still being written; one within a row is not. */
export function useIsStreaming(id: string): boolean {
  const { store } = useThreadView();
  return useSyncExternalStore(
    (listener) => store.subscribeRow(id, listener),
    () => store.isStreaming(id),
  );
}

/** Whether no other message to the agent comes after a row. */
export function useIsOfLast(id: string): boolean {
  const { store } = useThreadView();
  return useSyncExternalStore(store.subscribe, () => store.row(id) !== undefined && store.nextRequest(id) === null);
}

/** Whether a row is open, and what opens or closes it. */
export function useUnfolded(id: string, isOpenByDefault: boolean): [boolean, () => void] {
  const { unfolded } = useThreadView();
  const isOpen = useStore(unfolded, (all) => all.get(id)) ?? isOpenByDefault;
  return [isOpen, () => unfolded.update((all) => new Map(all).set(id, !isOpen))];
}
