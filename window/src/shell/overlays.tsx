import { useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import type { Registered } from "@/plugins/types";

const kNoProps = {};

/** What plugins lay over the whole window, each once. */
export function AppOverlays() {
  const overlays = useRegistrations("appOverlays");
  if (overlays.length === 0) {
    return null;
  }
  // A region of their own: what they show belongs to none of the layout's.
  return (
    <section aria-label="Overlays of plugins" className="contents">
      {overlays.map(mountOverlay)}
    </section>
  );
}

function mountOverlay({ plugin, registration: { id, component } }: Registered<"appOverlays">) {
  return (
    <SlotMount
      key={`${plugin.pluginId}/${id}`}
      plugin={plugin}
      slot="experimental_appOverlay"
      id={id}
      component={component}
      props={kNoProps}
      fallback="none"
    />
  );
}
