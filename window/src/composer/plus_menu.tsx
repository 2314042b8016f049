import Paperclip from "lucide-react/icons/paperclip";
import Plus from "lucide-react/icons/plus";
import { useEffect, useRef } from "react";

import type { Composer, ComposerMenuItem, ComposerView } from "#sdk/app/composer.js";

import { reportPluginFailure } from "@/plugins/mount_context";
import type { ActivePlugin } from "@/plugins/registry";
import { Icon } from "@/sdk_app/icon";
import { runPluginAction } from "@/plugins/plugin_action";
import { IconButton } from "@/ui/button";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuLabel, DropdownMenuTrigger } from "@/ui/dropdown_menu";
import { kAttachmentLimits } from "./attachments";
import type { OwnedCustomization } from "./customizations";
import { composerViewOf } from "./handle";

export interface PlusMenuProps {
  customizations: readonly OwnedCustomization[];
  /** The composer as this plugin sees it at the moment of the call. */
  composerFor(plugin: ActivePlugin): Composer;
  onFiles(files: FileList): void;
}

/** What can be added to a message: files, and what plugins offer. */
export function PlusMenu({ customizations, composerFor, onFiles }: PlusMenuProps) {
  const withItems = customizations.filter(({ customization }) => customization.plusMenu.length > 0);
  const input = useRef<HTMLInputElement>(null);
  return (
    <DropdownMenu>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles(target.files!);
          // The same file can be chosen again after it was removed.
          target.value = "";
        }}
      />
      <DropdownMenuTrigger asChild>
        <IconButton label="Add to message" tooltip={false}>
          <Plus aria-hidden />
        </IconButton>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start">
        <DropdownMenuItem onSelect={() => input.current?.click()}>
          <Paperclip aria-hidden />
          <span className="min-w-0">
            <span className="block">Attach files</span>
            <span className="block text-xs text-muted-foreground">{kAttachmentLimits}</span>
          </span>
        </DropdownMenuItem>
        {withItems.flatMap(({ plugin, customization }, index) => [
          withItems[index - 1]?.plugin !== plugin && <DropdownMenuLabel key={plugin.pluginId}>{plugin.name}</DropdownMenuLabel>,
          ...customization.plusMenu.map((item) => (
            <PlusMenuItem key={`${plugin.pluginId}/${customization.id}/${item.id}`} plugin={plugin} item={item} composerFor={composerFor} />
          )),
        ])}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

interface PlusMenuItemProps {
  plugin: ActivePlugin;
  item: ComposerMenuItem;
  composerFor(plugin: ActivePlugin): Composer;
}

/** Mounted while the menu is open, and rendered with every change of the composer. */
function PlusMenuItem({ plugin, item, composerFor }: PlusMenuItemProps) {
  const { isDisabled, failure } = availabilityOf(item, () => composerViewOf(composerFor(plugin)));
  const slot = `composer.plusMenu ${item.id}`;
  useEffect(() => {
    if (failure !== null) {
      console.error(`${plugin.pluginId}: disabled of the menu item "${item.id}" threw: ${failure}`);
      reportPluginFailure(plugin.pluginId, "render", failure, slot);
    }
  }, [plugin.pluginId, item.id, slot, failure]);
  return (
    <DropdownMenuItem
      disabled={isDisabled}
      onSelect={() =>
        runPluginAction(plugin, slot, item.label, () => {
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
  );
}

/** `failure` is what a function threw, which disables its item. */
function availabilityOf(item: ComposerMenuItem, view: () => ComposerView): { isDisabled: boolean; failure: string | null } {
  if (typeof item.disabled !== "function") {
    return { isDisabled: item.disabled === true, failure: null };
  }
  try {
    return { isDisabled: item.disabled(view()) === true, failure: null };
  } catch (thrown) {
    return { isDisabled: true, failure: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
