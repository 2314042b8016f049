import { useEffect, useLayoutEffect, useRef, useState } from "react";

import { Icon } from "@/sdk_app/icon";
import { cn } from "@/ui/cn";
import type { MentionSearch } from "./use_mentions";

/** Pixels that the list may need above the editor; with less, it opens below. */
const kRoomAbove = 320;

export interface MentionPopupProps {
  search: MentionSearch;
  /** Of the list; an option's is `<id>-<index>`. */
  id: string;
}

/** Suggestions for what is being typed. The focus stays in the editor, which names the active option. */
export function MentionPopup({ search, id }: MentionPopupProps) {
  const { query, groups, options, activeIndex, hint } = search;
  const active = useRef<HTMLDivElement>(null);
  useEffect(() => {
    active.current?.scrollIntoView({ block: "nearest" });
  }, [activeIndex]);
  const box = useRef<HTMLDivElement>(null);
  const [isBelow, setIsBelow] = useState(false);
  const start = query?.start;
  useLayoutEffect(() => {
    const editor = box.current?.parentElement;
    if (start !== undefined && editor != null) {
      setIsBelow(editor.getBoundingClientRect().top < kRoomAbove);
    }
  }, [start]);
  if (query === null) {
    return null;
  }
  let index = -1;
  return (
    <div
      ref={box}
      className={cn(
        "absolute inset-x-0 z-40 overflow-hidden rounded-lg border border-border bg-popover text-sm text-popover-foreground shadow-lg",
        isBelow ? "top-full" : "bottom-full mb-1",
      )}
    >
      {hint !== null && <p className="px-3 py-2 text-muted-foreground">{hint}</p>}
      <div
        id={id}
        role="listbox"
        aria-label="Suggestions"
        className="max-h-[min(16rem,40dvh)] overflow-y-auto p-1"
        hidden={options.length === 0}
      >
        {groups.map((group, at) => (
          <div key={at} role="group" aria-labelledby={`${id}-group-${at}`}>
            <div id={`${id}-group-${at}`} role="presentation" className="px-2 py-1 text-xs text-muted-foreground">
              {group.label}
            </div>
            {group.options.map((option) => {
              const own = ++index;
              const isActive = own === activeIndex;
              return (
                // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- focus and keys stay in the text
                <div
                  key={`${option.providerId}:${option.itemId}`}
                  id={`${id}-${own}`}
                  ref={isActive ? active : undefined}
                  role="option"
                  aria-selected={isActive}
                  className={cn(
                    "flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 pointer-coarse:min-h-11",
                    isActive && "bg-state-active",
                  )}
                  // The caret must stay where it is.
                  onPointerDown={(event) => event.preventDefault()}
                  onPointerMove={() => !isActive && search.setActiveIndex(own)}
                  onClick={() => search.choose(option)}
                >
                  {option.icon !== null && (
                    <Icon name={option.icon} {...(option.pluginId === "" ? {} : { pluginId: option.pluginId })} className="shrink-0" />
                  )}
                  <span className="truncate">{option.title}</span>
                  {option.subtitle !== null && <span className="ml-auto truncate text-xs text-muted-foreground">{option.subtitle}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

/** What a screen reader says about the suggestions. */
export function mentionStatus({ query, options, hint }: MentionSearch): string {
  if (query === null) {
    return "";
  }
  return hint ?? (options.length === 1 ? "1 suggestion" : `${options.length} suggestions`);
}

/** Keys that work on the suggestions while there are some. True when the key was one of them. */
export function handleMentionKey(search: MentionSearch, event: { key: string; preventDefault(): void }): boolean {
  const { query, options, activeIndex } = search;
  if (query === null) {
    return false;
  }
  const move = (by: number) => search.setActiveIndex((activeIndex + by + options.length) % options.length);
  const option = options[activeIndex];
  if (event.key === "Escape") {
    search.dismiss();
  } else if (option === undefined) {
    return false;
  } else if (event.key === "ArrowDown") {
    move(1);
  } else if (event.key === "ArrowUp") {
    move(-1);
  } else if (event.key === "Enter" || event.key === "Tab") {
    search.choose(option);
  } else {
    return false;
  }
  event.preventDefault();
  return true;
}
