import { type Binding, useBindings } from "@/sdk_app/key_bindings";
import type { Shortcut } from "@/lib/shortcuts";
import { Badge } from "@/ui/badge";
import { Card, Section } from "@/ui/card";
import { Kbd } from "@/ui/kbd";

const rowBinding = (title: string, key: string): Binding => ({ shortcut: { key, alt: true }, title, plugin: null, takenBy: null });

const kRowBindings: readonly Binding[] = [
  rowBinding("Open the page in a split", "Enter"),
  rowBinding("Move the row up", "ArrowUp"),
  rowBinding("Move the row down", "ArrowDown"),
];

const threadBinding = (title: string, shortcut: Shortcut): Binding => ({ shortcut, title, plugin: null, takenBy: null });

const kThreadBindings: readonly Binding[] = [
  threadBinding("Stop the agent that works", { key: "Escape" }),
  threadBinding("To the message before; from what you write, first to what is asked", { key: "ArrowUp", alt: true }),
  threadBinding("To the message after, and from the last one to what you write", { key: "ArrowDown", alt: true }),
  threadBinding("In what you write: the message that you sent before", { key: "ArrowUp" }),
  threadBinding("In what you write: the message that you sent after, and back to the draft", { key: "ArrowDown" }),
  threadBinding("While you change a message that waits: leave it as it was", { key: "Escape" }),
];

/** Every shortcut that something asked for, those without effect included. */
export function ShortcutsSection() {
  const bindings = useBindings();
  const own = bindings.filter(({ plugin }) => plugin === null);
  const ofPlugins = bindings.filter(({ plugin }) => plugin !== null);
  return (
    <>
      <Section title="Window">
        <List bindings={own} />
      </Section>
      <Section
        title="Threads"
        description="With the focus in a thread. Arrows without Alt count at the beginning and the end of what you write; Escape does what an open menu or dialog makes of it first."
      >
        <List bindings={kThreadBindings} />
      </Section>
      <Section
        title="Rows of plugins and threads"
        description="With the focus on a row of the sidebar; only those of plugins move. A click on it with Alt opens the split too; with Ctrl or Cmd it opens a tab of the browser."
      >
        <List bindings={kRowBindings} />
      </Section>
      <Section
        title="Plugins"
        description="Of two that ask for the same keys, the window comes first, then plugins in the order of their ids."
      >
        {ofPlugins.length === 0 ? (
          <p className="text-sm text-muted-foreground">No plugin has a shortcut.</p>
        ) : (
          <List bindings={ofPlugins} />
        )}
      </Section>
    </>
  );
}

function List({ bindings }: { bindings: readonly Binding[] }) {
  return (
    <Card>
      <ul className="divide-y divide-border-hairline">
        {bindings.map(({ shortcut, title, plugin, takenBy }, index) => (
          <li
            key={`${plugin?.pluginId ?? ""}:${title}:${index}`}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-sm"
          >
            <span className="min-w-0 wrap-anywhere">
              {title}
              {plugin !== null && <span className="text-muted-foreground"> · {plugin.name}</span>}
              {takenBy !== null && <span className="block text-xs text-warning-text">Not bound: these keys belong to {takenBy}.</span>}
            </span>
            <span className="flex items-center gap-2">
              {takenBy !== null && <Badge tone="warning">Not bound</Badge>}
              <Kbd shortcut={shortcut} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
