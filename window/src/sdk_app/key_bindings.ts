import { useMemo } from "react";

import type { PluginCommand, PluginCommandContext } from "#sdk/app/commands.js";

import { activePluginsNow, type ActivePlugin, useActivePlugins } from "@/plugins/registry";
import { commandNavigateOf } from "./navigate";
import { projectOfThread } from "./threads_data";

import { useWindowCommands, type WindowCommand, windowCommandsNow } from "@/lib/commands";
import { routeContextNow } from "@/lib/navigation";
import { isComposing } from "@/lib/composing";
import { notify } from "@/lib/notifications";
import { runPluginAction } from "@/plugins/plugin_action";
import { openOnCurrentSurface } from "@/plugins/right_panel";
import { type ShortcutChoices, shortcutChoicesNow, useShortcutChoices } from "@/lib/shortcut_choices";
import { pressedKeys, type Shortcut, shortcutAria, shortcutKey } from "@/lib/shortcuts";

export const kPaletteShortcut: Shortcut = { key: "k", mod: true };
/** As in editors. Firefox keeps these keys for a private window. */
export const kPaletteEditorShortcut: Shortcut = { key: "p", mod: true, shift: true };
export const kSidebarShortcut: Shortcut = { key: "b", mod: true };
export const kSettingsShortcut: Shortcut = { key: ",", mod: true };

/** What has a shortcut, or may get one. */
export interface Binding {
  /** Stable: what the user chose is kept by it. */
  readonly id: string;
  /** Null when it has none. */
  readonly shortcut: Shortcut | null;
  readonly title: string;
  /** Null for the window itself. */
  readonly plugin: ActivePlugin | null;
  /** The user chose its keys, or that it has none. */
  readonly isChosen: boolean;
  /** Who has these keys; null when this binding is the one that works. */
  readonly takenBy: string | null;
  /** Undefined where another part of the window runs it. */
  readonly run?: () => void;
}

type Unbound = Pick<Binding, "id" | "title" | "plugin" | "run"> & { readonly preset: Shortcut | undefined };

/** What a plugin command is given. */
export function commandContext(plugin: ActivePlugin): PluginCommandContext {
  const { threadId, projectId } = routeContextNow();
  return {
    threadId,
    projectId: projectId ?? projectOfThread(threadId),
    openPanel: (options) => openOnCurrentSurface({ pluginId: plugin.pluginId, ...options }),
    navigate: commandNavigateOf(plugin),
  };
}

/** False also when the plugin's check throws. */
export function isPluginCommandAvailable(plugin: ActivePlugin, command: PluginCommand): boolean {
  try {
    return command.isAvailable?.(commandContext(plugin)) ?? true;
  } catch {
    return false;
  }
}

export function runPluginCommand(plugin: ActivePlugin, command: PluginCommand): void {
  runPluginAction(plugin, `commands ${command.id}`, command.title, () => command.run(commandContext(plugin)));
}

export function isWindowCommandAvailable(command: WindowCommand): boolean {
  try {
    return command.isAvailable?.() ?? true;
  } catch {
    return false;
  }
}

export function runWindowCommand(command: WindowCommand): void {
  const fail = (failure: unknown) =>
    notify({
      kind: "error",
      title: `“${command.title}” failed`,
      description: failure instanceof Error ? failure.message : String(failure),
    });
  try {
    Promise.resolve(command.run()).catch(fail);
  } catch (failure) {
    fail(failure);
  }
}

function ofWindow(command: WindowCommand): Unbound[] {
  const run = () => isWindowCommandAvailable(command) && runWindowCommand(command);
  const own = { id: windowBindingId(command), title: command.title, plugin: null, preset: command.shortcut, run };
  return command.otherShortcut === undefined ? [own] : [own, { ...own, id: `${own.id}:other`, preset: command.otherShortcut }];
}

function ofPlugin(plugin: ActivePlugin): Unbound[] {
  return [
    ...plugin.app.commands.map((command) => ({
      id: pluginBindingId(plugin, command),
      title: command.title,
      plugin,
      preset: command.defaultShortcut,
      run: () => isPluginCommandAvailable(plugin, command) && runPluginCommand(plugin, command),
    })),
    // The composer that holds the caret runs these.
    ...plugin.app.composerCommands.map((command) => ({
      id: composerBindingId(plugin, command),
      title: command.title,
      plugin,
      preset: command.defaultShortcut,
    })),
  ];
}

export const windowBindingId = ({ id }: { id: string }) => `window:${id}`;
export const pluginBindingId = ({ pluginId }: { pluginId: string }, { id }: { id: string }) => `plugin:${pluginId}/${id}`;
export const composerBindingId = ({ pluginId }: { pluginId: string }, { id }: { id: string }) => `composer:${pluginId}/${id}`;

/**
 * Everything that has a shortcut or may get one, the window's first, then plugins in slot order. The keys that the user chose are theirs;
 * of the others the first that asks for keys gets them.
 */
export function resolveBindings(
  commands: readonly WindowCommand[],
  plugins: readonly ActivePlugin[],
  choices: ShortcutChoices = {},
): Binding[] {
  const owners = new Map<string, Unbound>();
  const all = [
    // What a composer gives the palette is bound as the plugin's own.
    ...commands.filter(({ id }) => !id.startsWith("composer:")).flatMap(ofWindow),
    ...plugins.flatMap(ofPlugin),
  ].map((unbound) => {
    const choice = choices[unbound.id];
    return { unbound, isChosen: choice !== undefined, shortcut: choice === undefined ? (unbound.preset ?? null) : choice };
  });
  for (const { unbound, shortcut } of [...all].sort((a, b) => Number(b.isChosen) - Number(a.isChosen))) {
    const keys = shortcut === null ? null : shortcutKey(shortcut);
    if (keys !== null && !owners.has(keys)) {
      owners.set(keys, unbound);
    }
  }
  return all.map(({ unbound: { preset: _, ...unbound }, isChosen, shortcut }) => {
    const owner = shortcut === null ? undefined : owners.get(shortcutKey(shortcut));
    const takenBy =
      owner === undefined || owner.id === unbound.id
        ? null
        : `“${owner.title}” of ${owner.plugin === null ? "the window" : owner.plugin.name}`;
    return { ...unbound, isChosen, shortcut, takenBy };
  });
}

/** All bindings as they are now. */
export function bindingsNow(): Binding[] {
  return resolveBindings(windowCommandsNow(), activePluginsNow(), shortcutChoicesNow());
}

export function useBindings(): Binding[] {
  const commands = useWindowCommands();
  const plugins = useActivePlugins();
  const choices = useShortcutChoices();
  return useMemo(() => resolveBindings(commands, plugins, choices), [commands, plugins, choices]);
}

/** The keys that work for a binding; undefined when it has none, or they are another's. */
export function shortcutOf(bindings: readonly Binding[], id: string): Shortcut | undefined {
  return bindings.find((binding) => binding.id === id && binding.takenBy === null)?.shortcut ?? undefined;
}

/** The keys of a command of the window, as they are now. */
export function useShortcut(commandId: string): Shortcut | undefined {
  return shortcutOf(useBindings(), windowBindingId({ id: commandId }));
}

/** For a control that does what a command of the window does. */
export function useAriaShortcut(commandId: string): { "aria-keyshortcuts"?: string } {
  const shortcut = useShortcut(commandId);
  return shortcut === undefined ? {} : { "aria-keyshortcuts": shortcutAria(shortcut) };
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** What a key press is bound to, with the spelling of it that is. */
export function bindingFor(event: KeyboardEvent, bindings: readonly Binding[]): { binding: Binding; pressed: string } | undefined {
  for (const pressed of pressedKeys(event)) {
    const binding = bindings.find(({ shortcut, takenBy }) => shortcut !== null && takenBy === null && shortcutKey(shortcut) === pressed);
    if (binding !== undefined) {
      return { binding, pressed };
    }
  }
  return undefined;
}

/** Runs what a key press is bound to. A key without modifiers stays text where text is written. */
export function handleKey(event: KeyboardEvent, bindings: readonly Binding[]): boolean {
  if (event.defaultPrevented || isComposing(event) || (isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey)) {
    return false;
  }
  const run = bindingFor(event, bindings)?.binding.run;
  if (run === undefined) {
    return false;
  }
  event.preventDefault();
  run();
  return true;
}

/** Listens for shortcuts until the returned function is called. */
export function startKeyBindings(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    // Read at the press: what plugins registered changes, the listener does not.
    handleKey(event, bindingsNow());
  };
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}
