// The foot of the sidebar.
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";

export interface SidebarFooterActionRegistration {
  /** Shares its ids with `experimental_sidebarFooter`. */
  id: string;
  title: string;
  icon: PluginIconName;
  run(context: { openSettings(): void }): void | Promise<void>;
}

export interface SidebarFooterDisclosureProps {
  dismiss(): void;
}

export type SidebarFooterRegistration =
  | {
      kind: "action";
      id: string;
      label: string;
      icon: PluginIconName;
      onActivate(context: { openPluginDetails(): void }): void | Promise<void>;
    }
  | {
      kind: "disclosure";
      id: string;
      label: string;
      icon: PluginIconName;
      component: ComponentType<SidebarFooterDisclosureProps>;
    };

/** A disclosure of the sidebar footer. At most one is open per window. */
export interface PluginSidebarDisclosure {
  open(): void;
  close(): void;
  toggle(): void;
}
