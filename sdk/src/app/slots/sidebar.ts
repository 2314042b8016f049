// The foot of the sidebar.
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";

/** An icon button in the sidebar's footer, as `slots.sidebarFooterAction` takes it. */
export interface SidebarFooterActionRegistration {
  /** Shares its ids with `experimental_sidebarFooter`. */
  id: string;
  title: string;
  icon: PluginIconName;
  /** `openSettings` shows the plugin's settings page. A rejection becomes an error toast. */
  run(context: { openSettings(): void }): void | Promise<void>;
}

/** Props of what a disclosure of the sidebar's footer shows. */
export interface SidebarFooterDisclosureProps {
  /** Closes the disclosure. */
  dismiss(): void;
}

/**
 * A control of the sidebar's footer, as `experimental_sidebarFooter.register` takes it. `action` runs `onActivate`; `disclosure` shows its
 * component while it is open.
 */
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
