import { createStore, useStore } from "./store";
import type { Shortcut } from "./shortcuts";

/** A command of the window itself, in the palette and, with a shortcut, on the keyboard. */
export interface WindowCommand {
  /** Unique in the window, such as `settings.open`. */
  id: string;
  title: string;
  /** Heading in the palette; default `Window`. */
  group?: string;
  /** Further words it is found by. */
  keywords?: readonly string[];
  shortcut?: Shortcut;
  /** Keys that do the same. */
  otherShortcut?: Shortcut;
  /** Synchronous and cheap; false or a throw hides it. */
  isAvailable?(): boolean;
  /** Starts after the palette closed. A rejection becomes an error toast. */
  run(): void | Promise<void>;
}

const commands = createStore<readonly WindowCommand[]>([]);

/** Adds a command until the returned function is called. A second one with the same id shadows the first. */
export function registerCommand(command: WindowCommand): () => void {
  commands.update((all) => [...all, command]);
  return () => commands.update((all) => all.filter((other) => other !== command));
}

function withoutShadowed(all: readonly WindowCommand[]): readonly WindowCommand[] {
  return [...new Map(all.map((command) => [command.id, command])).values()];
}

export function windowCommandsNow(): readonly WindowCommand[] {
  return withoutShadowed(commands.get());
}

export function useWindowCommands(): readonly WindowCommand[] {
  return withoutShadowed(useStore(commands));
}
