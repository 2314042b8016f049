import { useId, useMemo } from "react";

import { PluginSection } from "@/plugins/plugin_section";
import { type ActivePlugin, useRegistrations } from "@/plugins/registry";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";
import { useCurrentPanelSurface } from "@/plugins/right_panel";
import type { HomepageSectionRegistration } from "#sdk/app/slots/page.js";

/** What plugins show on the new-thread page, in slot order. */
export function HomepageSections({ projectId }: { projectId: string | null }) {
  const sections = useRegistrations("homepageSections");
  return sections.map(({ plugin, registration }) => (
    <HomepageSection key={`${plugin.pluginId}/${registration.id}`} plugin={plugin} registration={registration} projectId={projectId} />
  ));
}

interface HomepageSectionProps {
  plugin: ActivePlugin;
  registration: HomepageSectionRegistration;
  projectId: string | null;
}

function HomepageSection({ plugin, registration, projectId }: HomepageSectionProps) {
  const { id, title, component } = registration;
  const headingId = useId();
  const panel = useCurrentPanelSurface();
  const surface = useMemo<SurfaceContext>(() => ({ projectId, threadId: null, ...(panel === null ? {} : { panel }) }), [projectId, panel]);
  const props = useMemo(() => ({ projectId }), [projectId]);
  const heading = (
    <h2 id={headingId} className="text-sm font-medium text-muted-foreground">
      {title}
    </h2>
  );
  return (
    <PluginSection labelledBy={headingId} heading={heading}>
      <SlotMount plugin={plugin} slot="homepageSection" id={id} surface={surface} component={component} props={props} />
    </PluginSection>
  );
}
