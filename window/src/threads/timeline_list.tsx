import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading, Spinner } from "@/ui/spinner";
import { VirtualList } from "@/ui/virtual_list";
import { TimelineRowView } from "./row_view";
import { useSoughtMessage } from "./sought_message";
import { useThreadView } from "./thread_view";

/** Pixels of a row before it was drawn. */
const kEstimatedHeight = 64;
const kOlder = "older";
const kLeading = "leading";

/** The rows of a thread, at its end as long as nobody scrolls up, or at the message that somebody is led to. */
export function TimelineList({ leadingContent, at }: { leadingContent?: ReactNode; at?: number | undefined }) {
  const { store, list } = useThreadView();
  const { status, error, order, hasOlder, isLoadingOlder } = useSyncExternalStore(store.subscribe, store.snapshot);
  useEffect(() => store.follow(), [store]);
  const [isFollowing, setFollowing] = useState(true);
  // The scrolling that shows a message may end at the end, which is no wish to stay there.
  const isLed = useRef(false);
  const isLooking = useSoughtMessage(
    at,
    useCallback(() => {
      isLed.current = true;
      setFollowing(false);
    }, []),
  );
  const onInput = () => (isLed.current = false);
  const hasLeading = leadingContent !== undefined && leadingContent !== null;
  const items = useMemo(() => [...(hasLeading ? [kLeading] : []), ...(hasOlder ? [kOlder] : []), ...order], [hasLeading, hasOlder, order]);
  if (status === "loading") {
    return <Loading label="Loading the thread…" />;
  }
  if (status === "error") {
    return <ErrorNotice className="m-4" title="The thread could not be loaded" error={error} onRetry={() => store.retry()} />;
  }
  if (items.length === 0) {
    return <EmptyState title="Nothing here yet" description="What you write below starts the conversation." />;
  }
  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      onWheelCapture={onInput}
      onPointerDownCapture={onInput}
      onClickCapture={onInput}
      onTouchMoveCapture={onInput}
      onKeyDownCapture={onInput}
    >
      {isLooking && (
        <p role="status" className="flex items-center justify-center gap-2 p-2 text-sm text-muted-foreground">
          <Spinner className="size-4" />
          Looking for the message…
        </p>
      )}
      {error !== null && (
        <ErrorNotice className="m-2" title="The thread may not be up to date" error={error} onRetry={() => store.retry()} />
      )}
      <VirtualList
        ref={list}
        label="Messages"
        items={items}
        keyOf={itself}
        estimatedHeight={kEstimatedHeight}
        isFollowing={isFollowing}
        onFollowing={(isAtEnd) => setFollowing(isAtEnd && !isLed.current)}
      >
        {(id) => (
          <div className="mx-auto max-w-3xl px-4 py-1">
            {id === kLeading ? (
              leadingContent
            ) : id === kOlder ? (
              <div className="flex justify-center py-2">
                <Button size="sm" isBusy={isLoadingOlder} onClick={() => void store.loadOlder()}>
                  Show older messages
                </Button>
              </div>
            ) : (
              <TimelineRowView id={id} />
            )}
          </div>
        )}
      </VirtualList>
      {!isFollowing && (
        <Button size="sm" className="absolute bottom-3 left-1/2 -translate-x-1/2" onClick={() => setFollowing(true)}>
          <ArrowDown aria-hidden />
          To the end
        </Button>
      )}
    </div>
  );
}

const itself = (id: string): string => id;
