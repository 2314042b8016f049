import Plus from "lucide-react/icons/plus";

import type { Composer } from "#sdk/app/composer.js";

import type { ActivePlugin } from "../plugins/registry";
import { Icon } from "../sdk_app/icon";
import { runPluginAction } from "../shell/plugin_action";
import { IconButton } from "../ui/button";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuLabel, DropdownMenuTrigger } from "../ui/dropdown_menu";
import type { OwnedCustomization } from "./customizations";
import { composerViewOf } from "./handle";

export interface PlusMenuProps {
  customizations: readonly OwnedCustomization[];
  /** The composer as this plugin sees it at the moment of the call. */
  composerFor(plugin: ActivePlugin): Composer;
}

/** What plugins can add to a message; nothing at all while there is none. */
export function PlusMenu({ customizations, composerFor }: PlusMenuProps) {
  const withItems = customizations.filter(({ customization }) => customization.plusMenu.length > 0);
  if (withItems.length === 0) {
    return null;
  }
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton label="Add to message" tooltip={false}>
          <Plus aria-hidden />
        </IconButton>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start">
        {withItems.flatMap(({ plugin, customization }, index) => [
          withItems[index - 1]?.plugin !== plugin && (
            <DropdownMenuLabel key={plugin.pluginId}>{plugin.name}</DropdownMenuLabel>
          ),
          ...customization.plusMenu.map((item) => (
            <DropdownMenuItem
              key={`${plugin.pluginId}/${customization.id}/${item.id}`}
              disabled={item.disabled === true}
              onSelect={() =>
                runPluginAction(plugin, `composer.plusMenu ${item.id}`, item.label, () => {
                  const composer = composerFor(plugin);
                  return item.run({ composer, view: composerViewOf(composer) });
                })
              }
            >
              <Icon name={item.icon ?? "puzzle"} pluginId={plugin.pluginId} />
              <span className="min-w-0">
                <span className="block">{item.label}</span>
                {item.description !== undefined && <span className="block text-xs text-muted-foreground">{item.description}</span>}
              </span>
            </DropdownMenuItem>
          )),
        ])}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
