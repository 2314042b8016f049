import { useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";

const kNoProps = {};

/** What plugins lay over the whole window, each once. */
export function AppOverlays() {
  return useRegistrations("appOverlays").map(({ plugin, registration: { id, component } }) => (
    <SlotMount
      key={`${plugin.pluginId}/${id}`}
      plugin={plugin}
      slot="experimental_appOverlay"
      id={id}
      component={component}
      props={kNoProps}
      fallback="none"
    />
  ));
}
