import { useId, useMemo } from "react";

import { type ActivePlugin, useRegistrations } from "@/plugins/registry";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";
import { useCurrentPanelSurface } from "@/shell/right_panel";
import type { HomepageSectionRegistration } from "#sdk/app/slots.js";

const kProps = { projectId: null };

/** What plugins show on the new-thread page, in slot order. */
export function HomepageSections() {
  const sections = useRegistrations("homepageSections");
  return sections.map(({ plugin, registration }) => (
    <HomepageSection key={`${plugin.pluginId}/${registration.id}`} plugin={plugin} registration={registration} />
  ));
}

function HomepageSection({ plugin, registration }: { plugin: ActivePlugin; registration: HomepageSectionRegistration }) {
  const { id, title, component } = registration;
  const headingId = useId();
  const panel = useCurrentPanelSurface();
  const surface = useMemo<SurfaceContext>(
    () => ({ projectId: null, threadId: null, ...(panel === null ? {} : { panel }) }),
    [panel],
  );
  return (
    <section aria-labelledby={headingId} className="flex min-w-0 flex-col gap-3">
      <h2 id={headingId} className="text-sm font-medium text-muted-foreground">
        {title}
      </h2>
      <SlotMount plugin={plugin} slot="homepageSection" id={id} surface={surface} component={component} props={kProps} />
    </section>
  );
}
