import * as Popover from "@radix-ui/react-popover";
import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import TextQuote from "lucide-react/icons/text-quote";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

import { findComposer, useComposers } from "@/composer/registry";
import { useRegistrations } from "@/plugins/registry";
import { Icon } from "@/sdk_app/icon";
import { Button } from "@/ui/button";
import { cn } from "@/ui/cn";
import { useCopy } from "@/ui/copy_button";
import { kMenuClass } from "@/ui/menu_classes";
import { runMessageAction } from "./message_actions";
import { type MessageSelection, messageOf, useMessageSelection, viewOf } from "./message_selection";
import { seenText } from "./seen_text";
import { useIsStreaming, useThreadView } from "./thread_view";

/** Pixels that are kept free below, for a menu that has no place above the text. */
const kRoomBelow = 96;
/** Pixels to the text; fingers hold it by handles, which hang below. */
const kDistance = { fine: 6, coarse: 28 };

interface Entry {
  key: string;
  title: string;
  icon: ReactNode;
  choose(): void;
}

interface MenuProps {
  selected: MessageSelection;
  putAside(this: void): void;
  content: RefObject<HTMLDivElement | null>;
}

/** What can be done with text that somebody selects in a message, at that text. Without a selection, nothing. */
export function SelectionMenu() {
  const content = useRef<HTMLDivElement>(null);
  const { selected, putAside } = useMessageSelection((target) => target instanceof Node && content.current?.contains(target) === true);
  return (
    <>
      <span aria-live="polite" className="sr-only">
        {selected === null ? "" : "Text selected. Tab goes to what can be done with it."}
      </span>
      {selected !== null && <Menu selected={selected} putAside={putAside} content={content} />}
    </>
  );
}

function Menu({ selected, putAside, content }: MenuProps) {
  const entries = useEntries(selected, putAside);
  const keys = useKeys({ selected, putAside, content });
  const anchor = useMemo(() => ({ current: anchorOf(selected) }), [selected]);
  const [chosen, setChosen] = useState("copy");
  const reachable = entries.some(({ key }) => key === chosen) ? chosen : "copy";
  const isByFinger = matchMedia("(pointer: coarse)").matches;
  return (
    <Popover.Root open onOpenChange={putAside}>
      <Popover.Anchor virtualRef={anchor} />
      <Popover.Portal>
        <Popover.Content
          ref={content}
          role="toolbar"
          aria-label="Selected text"
          // Above is the browser's own menu of a touch screen.
          side={isByFinger ? "bottom" : "top"}
          sideOffset={isByFinger ? kDistance.coarse : kDistance.fine}
          collisionPadding={8}
          className={cn(kMenuClass, "flex w-max min-w-0 flex-wrap gap-0.5")}
          // Whoever selects goes on selecting: the focus comes by a key only, and goes back to where it was.
          onOpenAutoFocus={prevent}
          onCloseAutoFocus={prevent}
          // It goes with the selection, which a click elsewhere ends or not.
          onInteractOutside={prevent}
          onMouseDown={prevent}
          {...keys}
        >
          {entries.map(({ key, title, icon, choose }) => (
            <Button
              key={key}
              variant="ghost"
              size="sm"
              className="max-w-full min-w-0"
              tabIndex={key === reachable ? 0 : -1}
              onFocus={() => setChosen(key)}
              onClick={choose}
            >
              {icon}
              <span className="truncate">{title}</span>
            </Button>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

const prevent = (event: { preventDefault(): void }): void => event.preventDefault();

/** What the window offers itself, then what plugins offer with messages that are complete. */
function useEntries(selected: MessageSelection, putAside: () => void): Entry[] {
  const view = useThreadView();
  const composer = findComposer(useComposers(), { threadId: view.threadId });
  const registrations = useRegistrations("messageActions");
  const { isCopied, copy } = useCopy();
  const isStreaming = useIsStreaming(messageOf(selected)?.row.id ?? "");
  const own: Entry[] = [
    {
      key: "copy",
      title: isCopied ? "Copied" : "Copy",
      icon: isCopied ? <Check aria-hidden /> : <Copy aria-hidden />,
      choose: () => void copy(seenText(selected.range)),
    },
  ];
  if (composer !== undefined) {
    const quote = () => {
      const text = seenText(selected.range);
      putAside();
      composer.addQuote(text);
      composer.focus();
    };
    own.push({ key: "quote", title: "Quote", icon: <TextQuote aria-hidden />, choose: quote });
  }
  const ofPlugins = registrations.map<Entry>((registered) => {
    const { pluginId } = registered.plugin;
    const { id, title, icon } = registered.registration;
    const choose = () => {
      const message = messageOf(selected);
      const selectedText = seenText(selected.range);
      putAside();
      if (message !== null) {
        runMessageAction(registered, view, { ...message, selectedText });
      }
    };
    return { key: `${pluginId}/${id}`, title, icon: <Icon name={icon ?? "puzzle"} pluginId={pluginId} />, choose };
  });
  return isStreaming ? own : [...own, ...ofPlugins];
}

/** Where the selected text can be seen. */
function anchorOf({ element, range }: MessageSelection) {
  return {
    contextElement: element,
    getBoundingClientRect: () => {
      const view = viewOf(element);
      const all = range.getBoundingClientRect();
      const left = Math.max(all.left, view.left);
      const top = Math.max(all.top, view.top);
      const right = Math.max(left, Math.min(all.right, view.right));
      const bottom = Math.max(top, Math.min(all.bottom, view.bottom, window.innerHeight - kRoomBelow));
      return new DOMRect(left, top, right - left, bottom - top);
    },
  };
}

/** Gives the focus back, and the selection where the browser has taken it with the focus. */
function giveBack(to: HTMLElement | null, { range }: MessageSelection): void {
  to?.focus({ preventScroll: true });
  const selection = document.getSelection();
  if (selection !== null && selection.isCollapsed && !range.collapsed) {
    selection.removeAllRanges();
    selection.addRange(range);
  }
}

/** Tab goes into the menu and leaves it to where it came from, arrows go from entry to entry. Escape ends it. */
function useKeys({ selected, putAside, content }: MenuProps) {
  const opener = useRef<HTMLElement | null>(null);
  const now = useRef(selected);
  now.current = selected;

  useEffect(() => {
    const enter = (event: globalThis.KeyboardEvent) => {
      const { activeElement: active } = document;
      const message = now.current.element.closest<HTMLElement>("[data-message-role]");
      const isHere = active === document.body || message?.closest("[data-svc-thread-window]")?.contains(active) === true;
      if (event.key === "Tab" && isPlain(event) && !event.defaultPrevented && isHere) {
        event.preventDefault();
        opener.current = active instanceof HTMLElement && active !== document.body ? active : message;
        content.current?.querySelector<HTMLElement>("button[tabindex='0']")?.focus();
      }
    };
    document.addEventListener("keydown", enter);
    return () => document.removeEventListener("keydown", enter);
  }, [content]);

  // However it goes: before what has the focus is taken off the page.
  useLayoutEffect(
    () => () => {
      if (content.current?.contains(document.activeElement) === true) {
        giveBack(opener.current, now.current);
      }
    },
    [content],
  );

  // An entry may go while it has the focus, with its plugin: of that, no event tells.
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) {
      content.current?.querySelector<HTMLElement>("button[tabindex='0']")?.focus();
    }
  });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Tab") {
      // The browser goes on from there.
      giveBack(opener.current, selected);
      putAside();
      return;
    }
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const target = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (target !== undefined && isPlain(event)) {
      event.preventDefault();
      buttons.at(target % buttons.length)?.focus();
    }
  };
  return { onKeyDown, onFocus: () => void (hasFocus.current = true), onBlur: () => void (hasFocus.current = false) };
}

const isPlain = (event: Pick<globalThis.KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey">): boolean =>
  !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
