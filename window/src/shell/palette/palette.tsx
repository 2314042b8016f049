import * as Radix from "@radix-ui/react-dialog";
import { Command } from "cmdk";
import Search from "lucide-react/icons/search";
import { useEffect, useMemo, useRef, useState } from "react";

import { kOverlayClass } from "@/ui/dialog";
import { Kbd } from "@/ui/kbd";
import { useReturnFocus } from "@/ui/return_focus";

import { layers } from "@/shell/layers";
import { usePreference } from "@/lib/preferences";
import { type RunnableItem, usePaletteItems, useSaidItem } from "./items";
import { arrange } from "./matching";
import { takeTyped } from "./type_ahead";

const kNoRecent: string[] = [];
const kRecentKept = 30;

/** Search and commands. It is mounted while it is open. */
export default function Palette() {
  const [isOpen, setOpen] = useState(true);
  const [query, setQuery] = useState("");
  const [recent, setRecent] = usePreference<string[]>("palette.recent", kNoRecent);
  const items = usePaletteItems();
  const groups = useMemo(() => arrange(items, query, recent), [items, query, recent]);
  const said = useSaidItem(query);
  const chosen = useRef<RunnableItem | null>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    // A new query starts at its best match.
    list.current?.scrollTo({ top: 0 });
  }, [query]);

  const choose = (item: RunnableItem) => {
    chosen.current = item;
    if (item !== said) {
      setRecent((ids) => [item.id, ...ids.filter((id) => id !== item.id)].slice(0, kRecentKept));
    }
    setOpen(false);
  };
  // From here on what is typed goes into the field.
  const onFocus = () => {
    const { text, isEntered } = takeTyped();
    const meant = isEntered ? arrange(items, text, recent)[0]?.items[0] : undefined;
    if (text !== "") {
      setQuery(text);
    }
    if (meant !== undefined) {
      choose(meant);
    }
  };
  const returnFocus = useReturnFocus(isOpen);
  const afterClose = (event: Event) => {
    returnFocus(event);
    layers.setPalette(false);
    const item = chosen.current;
    if (item !== null) {
      // After the focus is back where it was: a command may rely on it, or move it itself.
      setTimeout(() => item.run(), 0);
    }
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={setOpen}>
      <Radix.Portal>
        <Radix.Overlay className={kOverlayClass} />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={afterClose}
          className="fixed top-[max(0.5rem,min(14dvh,8rem))] left-1/2 z-60 flex max-h-[min(72dvh,30rem)] w-[calc(100vw-1rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-border bg-popover text-popover-foreground shadow-2xl outline-hidden data-[state=open]:animate-fade-in motion-reduce:animate-none"
        >
          <Radix.Title className="sr-only">Search and commands</Radix.Title>
          <Command shouldFilter={false} loop label="Search and commands" className="flex min-h-0 flex-1 flex-col">
            <div className="flex items-center gap-2.5 border-b border-border-hairline px-4">
              <Search aria-hidden className="size-4 shrink-0 text-muted-foreground" />
              <Command.Input
                autoFocus
                value={query}
                onValueChange={setQuery}
                onFocus={onFocus}
                placeholder="Search pages, commands and threads"
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-hidden placeholder:text-subtle-foreground"
              />
            </div>
            <Command.List ref={list} label="Results" className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-2">
              {groups.length === 0 && (
                <p role="presentation" className="px-3 py-6 text-center text-sm text-muted-foreground">
                  Nothing is called “{query}”. Try fewer letters.
                </p>
              )}
              {groups.map((group) => (
                <Command.Group
                  key={group.title}
                  heading={group.title}
                  className="not-first:mt-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted-foreground"
                >
                  {group.items.map((item) => (
                    <Row key={item.id} item={item} context={group.title === item.group ? null : item.group} onChoose={choose} />
                  ))}
                </Command.Group>
              ))}
              {said !== null && (
                <Command.Group className="not-first:mt-2">
                  <Row item={said} context={null} onChoose={choose} />
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Row({ item, context, onChoose }: { item: RunnableItem; context: string | null; onChoose(item: RunnableItem): void }) {
  return (
    <Command.Item
      value={item.id}
      onSelect={() => onChoose(item)}
      {...(item.threadId === undefined ? {} : { "data-thread-id": item.threadId })}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 text-sm select-none data-[selected=true]:bg-accent data-[selected=true]:text-accent-foreground pointer-coarse:min-h-11 forced-colors:data-[selected=true]:outline-2 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground"
    >
      {item.icon}
      <span className="min-w-0 flex-1 truncate">
        {item.title}
        {context !== null && <span className="text-muted-foreground"> · {context}</span>}
      </span>
      {item.shortcut !== undefined && <Kbd shortcut={item.shortcut} className="pointer-coarse:hidden" />}
    </Command.Item>
  );
}
