import type { PluginSidebarDisclosure } from "#sdk/app/slots/sidebar.js";

/** Finds what opens and closes a disclosure of the sidebar footer. */
export type DisclosureFactory = (pluginId: string, id: string) => PluginSidebarDisclosure;

let factory: DisclosureFactory | undefined;

/** The shell offers this once; handles that plugins hold already use it too. */
export function setDisclosureFactory(next: DisclosureFactory): void {
  factory = next;
}

/**
 * The handle for a disclosure that `setup` registers. It does nothing while `isActive` says no: the app entry may never be
 * committed, or be replaced while the plugin still holds the handle.
 */
export function createDisclosure(pluginId: string, id: string, isActive: () => boolean): PluginSidebarDisclosure {
  const act = (verb: keyof PluginSidebarDisclosure) => () => {
    if (isActive()) {
      factory?.(pluginId, id)[verb]();
    }
  };
  return { open: act("open"), close: act("close"), toggle: act("toggle") };
}
