import type { SurfaceContext } from "@/plugins/mount_context";
import { SlotMount } from "@/plugins/slot_mount";
import type { OwnedCustomization } from "./customizations";

interface MountsProps {
  customizations: readonly OwnedCustomization[];
  composerKey: string;
  surface: SurfaceContext;
}

const kNoProps = {};

/** What plugins show above the editor. A card that has nothing in it takes no place. */
export function ComposerBanners({ customizations, composerKey, surface }: MountsProps) {
  return customizations.flatMap(({ plugin, customization }) =>
    customization.banners.map(({ id, chrome, component }) => (
      <div
        key={`${plugin.pluginId}/${customization.id}/${id}`}
        className={
          chrome === "card"
            ? "rounded-lg border border-border bg-surface-raised-solid px-3 py-2 text-sm has-[>[data-svc-plugin]:empty]:hidden"
            : "contents"
        }
      >
        <SlotMount
          plugin={plugin}
          slot="composer.banner"
          id={`${customization.id}/${id}`}
          instanceId={composerKey}
          surface={surface}
          component={component}
          props={kNoProps}
        />
      </div>
    )),
  );
}

/** What plugins put beside the send button. */
export function ComposerActions({ customizations, composerKey, surface }: MountsProps) {
  return customizations.flatMap(({ plugin, customization }) =>
    customization.actions.map(({ id, component }) => (
      <SlotMount
        key={`${plugin.pluginId}/${customization.id}/${id}`}
        plugin={plugin}
        slot="composer.action"
        id={`${customization.id}/${id}`}
        instanceId={composerKey}
        surface={surface}
        component={component}
        props={kNoProps}
        fallback="none"
      />
    )),
  );
}
