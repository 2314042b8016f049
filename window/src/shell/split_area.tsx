import { type ComponentType, lazy, type ReactNode, Suspense, useLayoutEffect, useRef } from "react";

import { split, type ShownSplit, useShownSplit } from "@/plugins/split";
import { useIsCompact } from "@/lib/viewport";

const SplitPane = lazy<ComponentType<{ shown: ShownSplit }>>(() =>
  import("./split_pane").catch(() => ({
    default: () => (
      <p role="alert" className="p-4 text-sm">
        The split could not be loaded. Reload the window.
      </p>
    ),
  })),
);

/** The page of the address, and beside it the one in the split. The page stays mounted whatever the split does. */
export function SplitArea({ children }: { children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  const shown = useShownSplit(useIsCompact());
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null || typeof ResizeObserver !== "function") {
      return undefined;
    }
    const observer = new ResizeObserver(() => split.setRoom(element.clientWidth));
    split.setRoom(element.clientWidth);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={area} data-split-area="" className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
      {shown !== null && (
        <Suspense fallback={null}>
          <SplitPane shown={shown} />
        </Suspense>
      )}
    </div>
  );
}
