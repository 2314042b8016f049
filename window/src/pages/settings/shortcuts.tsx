import { useState } from "react";

import { type Binding, useBindings } from "@/sdk_app/key_bindings";
import { forgetShortcutChoices } from "@/lib/shortcut_choices";
import type { Shortcut } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Card, Section } from "@/ui/card";
import { Input } from "@/ui/input";
import { Kbd } from "@/ui/kbd";

import { BindingRow, kBindingRow } from "./shortcut_row";

/** Keys of a place that has the focus; they are what they are. */
interface FixedKeys {
  readonly title: string;
  readonly shortcut: Shortcut;
}

const kRowKeys: readonly FixedKeys[] = [
  { title: "Open the page in a split", shortcut: { key: "Enter", alt: true } },
  { title: "Move the row up", shortcut: { key: "ArrowUp", alt: true } },
  { title: "Move the row down", shortcut: { key: "ArrowDown", alt: true } },
];

const kThreadKeys: readonly FixedKeys[] = [
  { title: "Stop the agent that works", shortcut: { key: "Escape" } },
  { title: "To the message before; from what you write, first to what is asked", shortcut: { key: "ArrowUp", alt: true } },
  { title: "To the message after, and from the last one to what you write", shortcut: { key: "ArrowDown", alt: true } },
  { title: "In what you write: the message that you sent before", shortcut: { key: "ArrowUp" } },
  { title: "In what you write: the message that you sent after, and back to the draft", shortcut: { key: "ArrowDown" } },
  { title: "While you change a message that waits: leave it as it was", shortcut: { key: "Escape" } },
];

/** Every command of the window and of plugins, with its keys and the way to others. */
export function ShortcutsSection() {
  const [query, setQuery] = useState("");
  const bindings = useBindings();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = bindings.filter(({ title, plugin }) => {
    const text = `${title} ${plugin?.name ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const own = found.filter(({ plugin }) => plugin === null);
  const ofPlugins = found.filter(({ plugin }) => plugin !== null);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Input
          type="search"
          aria-label="Search commands"
          placeholder="Search commands"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="max-w-sm min-w-40 flex-1"
        />
        {bindings.some(({ isChosen }) => isChosen) && (
          <Button size="sm" className="ml-auto" onClick={forgetShortcutChoices}>
            Reset all
          </Button>
        )}
      </div>
      <p className="text-sm text-pretty text-muted-foreground">
        Keys that you choose are kept in this browser. They go before those that the window and plugins come with.
      </p>
      <Section title="Window">
        <List bindings={own} nothing={query === "" ? "" : "No command of the window matches."} isSearch={query !== ""} />
      </Section>
      <Section
        title="Plugins"
        description="Of two that come with the same keys, the window has them first, then plugins in the order of their ids."
      >
        <List
          bindings={ofPlugins}
          nothing={query === "" ? "No plugin has a command." : "No command of a plugin matches."}
          isSearch={query !== ""}
        />
      </Section>
      <Section
        title="Threads"
        description="With the focus in a thread. Arrows without Alt count at the beginning and the end of what you write; Escape does what an open menu or dialog makes of it first."
      >
        <FixedList keys={kThreadKeys} />
      </Section>
      <Section
        title="Rows of plugins and threads"
        description="With the focus on a row of the sidebar; only those of plugins move. A click on it with Alt opens the split too; with Ctrl or Cmd it opens a tab of the browser."
      >
        <FixedList keys={kRowKeys} />
      </Section>
    </>
  );
}

/** Those with keys, or that had some; the rest on demand, or when it is searched. */
function List({ bindings, nothing, isSearch }: { bindings: readonly Binding[]; nothing: string; isSearch: boolean }) {
  const [areAllShown, setAllShown] = useState(false);
  const isOpen = areAllShown || isSearch;
  const shown = isOpen ? bindings : bindings.filter(({ shortcut, isChosen }) => shortcut !== null || isChosen);
  if (bindings.length === 0) {
    return <p className="text-sm text-muted-foreground">{nothing}</p>;
  }
  return (
    <>
      {shown.length > 0 && (
        <Card>
          <ul className="divide-y divide-border-hairline">
            {shown.map((binding) => (
              <BindingRow key={binding.id} binding={binding} />
            ))}
          </ul>
        </Card>
      )}
      {!isSearch && (isOpen || shown.length < bindings.length) && (
        <Button size="sm" variant="ghost" className="self-start" aria-expanded={isOpen} onClick={() => setAllShown(!areAllShown)}>
          {isOpen ? "Only those with keys" : `Commands without keys (${bindings.length - shown.length})`}
        </Button>
      )}
    </>
  );
}

function FixedList({ keys }: { keys: readonly FixedKeys[] }) {
  return (
    <Card>
      <ul className="divide-y divide-border-hairline">
        {keys.map(({ title, shortcut }) => (
          <li key={title} className={kBindingRow}>
            <span className="min-w-0 wrap-anywhere">{title}</span>
            <Kbd shortcut={shortcut} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
