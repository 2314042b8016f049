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
import { pressedKeys, type Shortcut, shortcutKey } from "@/lib/shortcuts";

export const kPaletteShortcut: Shortcut = { key: "k", mod: true };
/** As in editors. Firefox keeps these keys for a private window. */
export const kPaletteEditorShortcut: Shortcut = { key: "p", mod: true, shift: true };
export const kSidebarShortcut: Shortcut = { key: "b", mod: true };
export const kSettingsShortcut: Shortcut = { key: ",", mod: true };

/** A shortcut and what it belongs to. */
export interface Binding {
  readonly shortcut: Shortcut;
  readonly title: string;
  /** Null for the window itself. */
  readonly plugin: ActivePlugin | null;
  /** Who has these keys; null when this binding is the one that works. */
  readonly takenBy: string | null;
  /** Undefined where another part of the window runs it. */
  readonly run?: () => void;
}

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

/** All shortcuts, the window's first, then plugins in slot order: the first that asks for keys gets them. */
export function resolveBindings(commands: readonly WindowCommand[], plugins: readonly ActivePlugin[]): Binding[] {
  const owners = new Map<string, string>();
  const bind = (shortcut: Shortcut, title: string, plugin: ActivePlugin | null, run?: () => void): Binding => {
    const keys = shortcutKey(shortcut);
    const takenBy = owners.get(keys) ?? null;
    if (takenBy === null) {
      owners.set(keys, plugin === null ? `“${title}” of the window` : `“${title}” of ${plugin.name}`);
    }
    return { shortcut, title, plugin, takenBy, ...(run === undefined ? {} : { run }) };
  };
  return [
    ...commands.flatMap((command) =>
      [command.shortcut, command.otherShortcut].flatMap((shortcut) =>
        shortcut === undefined
          ? []
          : [bind(shortcut, command.title, null, () => isWindowCommandAvailable(command) && runWindowCommand(command))],
      ),
    ),
    ...plugins.flatMap((plugin) => [
      ...plugin.app.commands.flatMap((command) =>
        command.defaultShortcut === undefined
          ? []
          : [
              bind(command.defaultShortcut, command.title, plugin, () => {
                if (isPluginCommandAvailable(plugin, command)) {
                  runPluginCommand(plugin, command);
                }
              }),
            ],
      ),
      // The composer that holds the caret runs these.
      ...plugin.app.composerCommands.flatMap((command) =>
        command.defaultShortcut === undefined ? [] : [bind(command.defaultShortcut, command.title, plugin)],
      ),
    ]),
  ];
}

export function useBindings(): Binding[] {
  const commands = useWindowCommands();
  const plugins = useActivePlugins();
  return useMemo(() => resolveBindings(commands, plugins), [commands, plugins]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** What a key press is bound to, with the spelling of it that is. */
export function bindingFor(event: KeyboardEvent, bindings: readonly Binding[]): { binding: Binding; pressed: string } | undefined {
  for (const pressed of pressedKeys(event)) {
    const binding = bindings.find(({ shortcut, takenBy }) => takenBy === null && shortcutKey(shortcut) === pressed);
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
    handleKey(event, resolveBindings(windowCommandsNow(), activePluginsNow()));
  };
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}
