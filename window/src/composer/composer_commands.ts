import { useEffect } from "react";

import type { ComposerCommand } from "#sdk/app/composer.js";

import { type ActivePlugin, useRegistrations } from "@/plugins/registry";
import { registerCommand } from "@/lib/commands";
import { isComposing } from "@/lib/composing";
import { bindingFor, bindingsNow, composerBindingId } from "@/sdk_app/key_bindings";

export type RunComposerCommand = (plugin: ActivePlugin, command: ComposerCommand) => void;

/** The composer command that a key press is bound to. Keys that the window or another plugin has are not bound. */
export function composerCommandFor(event: KeyboardEvent): { plugin: ActivePlugin; command: ComposerCommand } | undefined {
  if (event.defaultPrevented || isComposing(event) || (!event.ctrlKey && !event.metaKey && !event.altKey)) {
    return undefined;
  }
  const { id, plugin } = bindingFor(event, bindingsNow())?.binding ?? {};
  const command = plugin?.app.composerCommands.find((own) => composerBindingId(plugin, own) === id);
  return command === undefined ? undefined : { plugin: plugin!, command };
}

/** Puts composer commands into the palette, where those without a shortcut are found. */
export function useComposerCommands(run: RunComposerCommand): void {
  const commands = useRegistrations("composerCommands");
  useEffect(() => {
    const removers = commands.map(({ plugin, registration }) =>
      registerCommand({
        // The composer that came last has the palette's commands.
        id: `composer:${plugin.pluginId}/${registration.id}`,
        title: registration.title,
        group: plugin.name,
        run: () => run(plugin, registration),
      }),
    );
    return () => removers.forEach((remove) => remove());
  }, [commands, run]);
}
